/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/goruntime.h"
#include "printers/document/print_document.h"
#include "printers/document/print_signal.h"
#include "printers/document/verdict.h"
#include "printers/goroutine/frame.h"
#include "printers/values/redacted.h"

static void print_place(struct sink *out, const char *name,
			const struct fault_place *place)
{
	if (!place->known)
		return;
	sink_named_begin(out, name, SINK_OBJECT);
	sink_named_string(out, "stack", place->of_thread ? "thread" : "goroutine");
	sink_named_uint(out, "frame", place->frame);
	sink_named_string(out, "function", place->function);
	sink_named_string(out, "file", place->file);
	if (place->line)
		sink_named_uint(out, "line", place->line);
	sink_end(out);
}

static void print_others(struct sink *out, const struct fault *fault)
{
	if (fault->other_count == 0)
		return;
	sink_named_begin(out, "others", SINK_ARRAY);
	for (size_t i = 0; i < fault->other_count; i++)
		sink_uint(out, fault->others[i]);
	sink_end(out);
	if (fault->same_map)
		sink_named_bool(out, "same_map", true);
}

char *fault_verdict(const struct fault_printing *p)
{
	AUTO(xfree) char *verdict = verdict_of(p);

	return text_without_secrets(p->redaction, verdict);
}

void print_fault(struct sink *out, const struct fault_printing *p)
{
	static const char *const kinds[] = {
		[FAULT_PANIC] = "panic",
		[FAULT_FATAL_ERROR] = "fatal error",
		[FAULT_SIGNAL] = "signal",
	};
	const struct fault *fault = p->fault;
	AUTO(xfree) char *verdict = verdict_of(p);

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "kind", kinds[fault->kind]);
	if (fault->recovered)
		sink_named_bool(out, "recovered", true);
	sink_named_string(out, "cause", p->cause);
	sink_named_string(out, "fingerprint", p->fingerprint);
	print_masked_member(out, p->redaction, "verdict", verdict);
	print_masked_member(out, p->redaction, "message", fault->message);
	if (fault->message_omitted)
		sink_named_uint(out, "message_omitted", fault->message_omitted);
	print_whose(out, p->runtimes, fault->runtime);
	if (fault->goroutine)
		sink_named_uint(out, "goroutine", fault->goroutine->id);
	if (fault->thread >= 0)
		sink_named_int(out, "thread", p->threads[fault->thread].tid);
	if (fault->has_signal)
		print_signal(out, p->redaction, &fault->signal);
	if (fault->registers.valid) {
		sink_named_begin(out, "registers", SINK_OBJECT);
		print_registers(out, p->redaction, p->arch, &fault->registers);
		sink_end(out);
	}
	print_place(out, "place", &fault->place);
	print_place(out, "caller", &fault->caller);
	print_place(out, "printing", &fault->printing);
	sink_named_string(out, "variable", fault->variable);
	print_others(out, fault);
	sink_end(out);
}
