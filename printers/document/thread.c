/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "printers/document/print_document.h"
#include "printers/document/print_signal.h"
#include "printers/values/objects.h"
#include "printers/goroutine/frame.h"
#include "printers/values/redacted.h"
#include "redaction/redaction.h"

static const char redacted[] = "redacted";

static void print_vector(struct sink *out, struct redaction *r,
			 const uint8_t bytes[static REDACTION_VECTOR])
{
	uint64_t half[2];
	char text[40];

	memcpy(half, bytes, sizeof(half));
	snprintf(text, sizeof(text), "0x%016lx%016lx", half[1], half[0]);
	sink_string(out, redaction_of_vector(r, bytes) ? redacted : text);
}

static void print_vectors(struct sink *out, struct redaction *r, const struct arch *arch,
			  const struct vector_regs *vectors)
{
	char name[16];

	for (unsigned i = 0; i < vectors->count; i++) {
		snprintf(name, sizeof(name), "%s%u", arch->vector_prefix, i);
		sink_name(out, name);
		print_vector(out, r, vectors->value[i]);
	}
	if (vectors->count)
		sink_named_address(out, "mxcsr", vectors->control);
}

static void print_thread_registers(struct sink *out, const struct thread_printing *p,
				   const struct arch *arch,
				   const struct target_thread *th)
{
	sink_named_begin(out, "registers", SINK_OBJECT);
	print_registers(out, p->redaction, arch, &th->regs);
	if (p->vector_registers)
		print_vectors(out, p->redaction, arch, &th->vectors);
	sink_end(out);
}

static void print_signal_of(struct sink *out, struct redaction *r, const siginfo_t *info)
{
	struct fault_signal signal;

	fault_take_signal(info, &signal);
	print_signal(out, r, &signal);
}

static void print_syscall(struct sink *out, struct redaction *r,
			  const struct target_thread *th)
{
	sink_named_begin(out, "syscall", SINK_OBJECT);
	sink_named_int(out, "number", th->syscall_number);
	sink_named_begin(out, "arguments", SINK_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(th->syscall_args); i++)
		print_word_without_secrets(out, r, th->syscall_args[i]);
	sink_end(out);
	sink_end(out);
}

/* As the processor sees it: with the breakpoints of probes. */
static void print_code(struct sink *out, const struct thread_printing *p, uint64_t pc)
{
	uint8_t buf[THREAD_CODE_BEFORE + THREAD_CODE_AFTER];
	uint64_t from = pc - THREAD_CODE_BEFORE;
	const struct image *img = images_at(p->images, pc);
	const void *bytes = buf;
	struct err ignored;

	if (!target_read(p->target, from, buf, sizeof(buf), &ignored))
		bytes = img ? image_bytes(img, from, sizeof(buf)) : NULL;
	if (!bytes)
		return;
	sink_name(out, "code");
	sink_hex(out, bytes, sizeof(buf));
}

static void print_runtime_side(struct sink *out, const struct runtimes *all,
			       const struct thread_state *s)
{
	static const char *const kinds[] = {
		[ON_GOROUTINE] = "goroutine",
		[ON_G0] = "g0",
		[ON_SIGNAL] = "signal",
		[ON_C] = "c",
	};

	print_whose(out, all, s->runtime);
	if (s->has_machine)
		sink_named_int(out, "m", s->machine);
	if (s->has_processor)
		sink_named_int(out, "p", s->processor);
	if (s->has_goroutine)
		sink_named_uint(out, "goroutine", s->goroutine);
	sink_named_string(out, "stack_kind", kinds[s->stack_kind]);
}

static void print_members_of(struct sink *out, const struct thread_printing *p, size_t i)
{
	size_t n;
	const struct target_thread *th = &target_threads(p->target, &n)[i];
	const struct thread_state *s = runtimes_thread(p->runtimes, i);
	const struct arch *arch = target_arch(p->target);

	sink_begin(out, SINK_OBJECT);
	sink_named_int(out, "id", th->tid);
	if (th->name[0])
		print_masked_member(out, p->redaction, "name", th->name);
	if (th->state)
		sink_named_string(out, "state", (char[]){ th->state, '\0' });
	print_runtime_side(out, p->runtimes, s);
	if (th->stopped)
		print_thread_registers(out, p, arch, th);
	if (th->has_siginfo)
		print_signal_of(out, p->redaction, &th->siginfo);
	if (th->in_syscall)
		print_syscall(out, p->redaction, th);
	if (th->wchan[0])
		sink_named_string(out, "wchan", th->wchan);
	if (th->has_cpu)
		sink_named_uint(out, "cpu_ns", th->cpu_ns);
	if (target_thread_sleeps(th) && th->ran_ns && th->ran_ns <= p->now_ns)
		sink_named_uint(out, "asleep_ns", p->now_ns - th->ran_ns);
	sink_named_string(out, "kernel_stack", th->kernel_stack);
	if (th->stopped)
		print_code(out, p, th->regs.value[arch->pc]);
	if (s->stack != NO_STACK) {
		sink_name(out, "frames");
		print_frames_of_thread(out, p->values, p->runtimes, i);
	}
	print_unwind(out, p->runtimes, (enum stack_state)s->state, s->reason);
	sink_end(out);
}

void print_thread(struct sink *out, const struct thread_printing *p, size_t i)
{
	struct source source = { .objects = p->values ? p->values->objects : NULL,
				 .redaction = p->redaction,
				 .memory = p->target,
				 .b = i + 1 };

	source_begin(&source);
	print_members_of(out, p, i);
	source_end(&source);
}
