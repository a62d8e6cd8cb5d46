/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/fingerprints.h"

#include "lib/document/sink.h"
#include "lib/procfs/process.h"

enum { MAIN = 1 }; /* the main goroutine's id */

/* Some of a stack's frames. */
struct calls {
	struct stack_text *to;
	uint32_t first, last, at;
};

static void add_call(void *arg, const struct code_frame *f)
{
	struct calls *calls = arg;
	const uint32_t at = calls->at++;

	if (at < calls->first || at > calls->last)
		return;
	stack_text_call(calls->to,
			&(struct stack_call){
				.function = f->function,
				.file = f->file,
				.c = f->c,
				.hidden = f->hidden,
				.wrapper = f->kind && strcmp(f->kind, "wrapper") == 0,
			});
}

void stack_text_of(struct stack_text *ret, struct runtimes *all, uint32_t stack)
{
	struct calls calls = { .to = ret, .last = UINT32_MAX };

	*ret = (struct stack_text){ .most = STACK_LINES };
	runtimes_each_frame(all, stack, add_call, &calls);
	stack_text_end(ret);
}

void print_group_fingerprint(struct sink *out, struct runtimes *all, uint32_t stack)
{
	struct stack_text calls;
	struct text text = { .words = NULL };
	char fingerprint[FINGERPRINT_TEXT];

	stack_text_of(&calls, all, stack);
	fingerprint_add_group(&text, &calls);
	fingerprint_of(&text, fingerprint);
	sink_named_string(out, "fingerprint", fingerprint);
	text_done(&text);
	stack_text_done(&calls);
}

char *cause_of_fault(const struct fault *fault)
{
	if (fault->kind == FAULT_SIGNAL)
		return fault->has_signal && fault_signal_text(fault->signal.number)
			       ? fault_cause(fault_signal_text(fault->signal.number))
			       : NULL;
	if (!fault->message || (fault->kind == FAULT_PANIC && !fault->by_runtime))
		return NULL;
	return fault_cause(fault->message);
}

/* Limits calls to one round of those that a stack that overflowed repeats. */
static void note_cycle(void *arg, const struct code_frame *f)
{
	struct calls *calls = arg;

	if (f->repeated_frames && calls->last == UINT32_MAX &&
	    f->repeated_frames <= calls->at + 1) {
		calls->first = calls->at + 1 - f->repeated_frames;
		calls->last = calls->at;
	}
	calls->at++;
}

/* Returns the main goroutine of the fault's runtime, or of the first runtime. NULL: there
 * is none. */
static const struct goroutine *main_goroutine(struct runtimes *all,
					      const struct fault *fault)
{
	const struct runtime *rt = fault->runtime;

	if (!rt && runtimes_count(all))
		rt = runtimes_get(all, 0);
	for (size_t i = 0; i < runtimes_goroutine_count(all); i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		if (it.runtime == rt && it.goroutine->id == MAIN)
			return it.goroutine;
	}
	return NULL;
}

/* Did another process send the signal? Then the stack is not the cause. */
static bool is_sent(const struct fault *fault, const struct process *process)
{
	return fault->kind == FAULT_SIGNAL && fault->has_signal &&
	       fault->signal.has_sender && fault->signal.sender != process->pid &&
	       fault->signal.sender != process->ns_pid;
}

static void each_frame(struct runtimes *all, const struct fault *fault, code_frame_fn *fn,
		       struct calls *calls)
{
	const struct goroutine *g =
		fault->place.known ? fault->goroutine : main_goroutine(all, fault);

	calls->at = 0;
	if (fault->place.of_thread)
		runtimes_each_frame_of_thread(all, (size_t)fault->thread,
					      VARIABLES_OF_NONE, fn, calls);
	else if (g && g->stack != NO_STACK)
		runtimes_each_frame(all, g->stack, fn, calls);
}

void fingerprint_of_fault(struct runtimes *all, const struct fault *fault,
			  const struct process *process,
			  char ret[static FINGERPRINT_TEXT])
{
	static const char *const kinds[] = {
		[FAULT_PANIC] = "panic",
		[FAULT_FATAL_ERROR] = "fatal error",
		[FAULT_SIGNAL] = "signal",
	};
	AUTO(xfree) char *cause = cause_of_fault(fault);
	struct stack_text stack = { .most = STACK_FAULT_CALLS };
	struct calls calls = { .to = &stack,
			       .first = fault->place.frame,
			       .last = UINT32_MAX };
	struct text text = { .words = NULL };

	if (!is_sent(fault, process)) {
		each_frame(all, fault, note_cycle, &calls);
		each_frame(all, fault, add_call, &calls);
	}
	stack_text_end(&stack);
	fingerprint_add_fault(&text, kinds[fault->kind], cause, &stack);
	fingerprint_of(&text, ret);
	text_done(&text);
	stack_text_done(&stack);
}
