/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/frame.h"
#include "printers/goroutine/pending_read.h"
#include "printers/goroutine/print_call.h"
#include "printers/goroutine/print_goroutine.h"
#include "printers/known/known.h"
#include "printers/values/redacted.h"
#include "printers/values/value_printers.h"

const struct value_bounds value_bounds_traced = {
	.string = 256,
	.elements = 16,
	.entries = 16,
	.depth = 6,
	.pointers = 1,
	.levels = 1,
	.bytes = 16 << 10,
	.goroutine_bytes = 64 << 10,
};

struct call_printing {
	struct sink *out;
	const struct traced_call *call;
	struct printing values;
};

static void print_one(void *arg, struct runtime *rt, const struct variable *v)
{
	struct call_printing *p = arg;

	if (v->compiler && !p->values.bounds->compiler)
		return;
	p->values.rt = rt;
	print_variable(&p->values, rt, v);
}

/* Results are not there yet. */
static void print_argument(void *arg, struct runtime *rt, const struct variable *v)
{
	if (!v->result)
		print_one(arg, rt, v);
}

static void print_function(void *arg, const struct code_frame *f)
{
	struct call_printing *p = arg;
	const bool is_return = p->call->is_return;

	print_location(p->out, f);
	sink_named_string(p->out,
			  is_return ? "results_unreadable" : "arguments_unreadable",
			  f->why_none);
	if (!f->variables)
		return;
	if (!is_return)
		note_pending_read(&p->values, f);
	sink_named_begin(p->out, is_return ? "results" : "arguments", SINK_ARRAY);
	if (is_return)
		calls_each_result(p->call->calls, print_one, p);
	else
		frame_each_variable(f->variables, true, print_argument, p);
	sink_end(p->out);
}

static void print_head(struct sink *out, const struct traced_call *call)
{
	sink_named_string(out, "event", call->is_return ? "return" : "call");
	sink_name(out, "time");
	sink_time(out, call->moment.realtime_ns);
	if (call->number)
		sink_named_uint(out, "call", call->number);
	if (call->number && call->is_return)
		sink_named_uint(out, "took_ns", call->took_ns);
	sink_named_int(out, "pid", call->pid);
	sink_named_int(out, "tid", call->tid);
	if (call->goroutine->addr)
		sink_named_uint(out, "goroutine", call->goroutine->id);
}

static void print_stack_of(struct sink *out, const struct traced_call *call)
{
	struct runtimes *all = calls_runtimes(call->calls);
	const struct goroutine *g = call->goroutine;

	sink_name(out, "frames");
	print_frames(out, all, g->stack);
	print_unwind(out, all, (enum stack_state)g->state, g->reason);
}

static void print_labels_of(struct sink *out, const struct traced_call *call)
{
	struct call_label list[CALL_LABELS];
	const size_t n = calls_labels(call->calls, list);
	struct redaction *r = call->redaction;

	if (!n)
		return;
	sink_named_begin(out, "labels", SINK_ARRAY);
	for (size_t i = 0; i < n; i++) {
		const struct call_label *l = &list[i];
		sink_begin(out, SINK_OBJECT);
		sink_name(out, "key");
		print_item_without_secrets(out, r, NULL,
					   (struct bytes_of_text){ l->key, l->key_len });
		print_text_without_secrets(
			out, r, "value", redaction_of_name(r, l->key, l->key_len),
			(struct bytes_of_text){ l->value, l->value_len });
		if (l->omitted)
			sink_named_uint(out, "omitted", l->omitted);
		sink_end(out);
	}
	sink_end(out);
}

static void print_once(void *arg)
{
	struct call_printing *p = arg;
	const struct traced_call *call = p->call;
	struct sink *out = p->out;

	printing_begin(&p->values, out, call->bounds, &call->moment, &known_texts,
		       call->redaction);
	sink_begin(out, SINK_OBJECT);
	print_head(out, call);
	runtimes_called_function(calls_runtimes(call->calls), call->goroutine,
				 print_function, p);
	if (!call->is_return) {
		print_labels_of(out, call);
		print_stack_of(out, call);
	}
	sink_end(out);
	printing_end(&p->values);
}

void print_call(struct sink *out, const struct traced_call *call)
{
	struct runtime *rt = runtimes_get(calls_runtimes(call->calls), 0);
	struct call_printing p = { .out = out, .call = call };

	print_to_fixpoint(&(struct print_again){ out, call->redaction, runtime_memory(rt),
						 print_once, &p });
}
