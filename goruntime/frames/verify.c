/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two unwinders. They meet where a frame saves its caller's frame pointer, two
 * words below its CFA: pclntab's CFA and the chain of frame pointers must give the same
 * place, or one of them is wrong. */
#include <inttypes.h>
#include <stdio.h>

#include "goruntime/frames/verify.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/unwind/unwind_fp.h"

enum { CALL_BYTES_MAX = 5 }; /* a direct call: amd64 has 5 bytes, arm64 4 */

struct check {
	struct runtimes *all;
	const struct goroutine *g;
	struct verification *v;
	struct stack_reader window;
	uint64_t frame_pointer; /* in the current frame */
	bool known;
	enum verify_inconclusive why; /* when not known */
};

static void set_frame_pointer(struct check *c, uint64_t value)
{
	c->frame_pointer = value;
	c->known = true;
}

static void lose_frame_pointer(struct check *c, enum verify_inconclusive why)
{
	c->known = false;
	c->why = why;
}

static void disagree(struct check *c, uint32_t number, const struct code *code,
		     const struct raw_frame *caller)
{
	char where[48], theirs[32] = "none";
	struct frame_link link;

	c->v->disagreements++;
	snprintf(where, sizeof(where), "goroutine %" PRIu64, c->g->id);
	if (frame_pointer_follow(&c->window, c->frame_pointer, &link))
		snprintf(theirs, sizeof(theirs), "0x%" PRIx64, link.pc);
	warnings_add(c->all->warnings, where,
		     "frame %" PRIu32 " (%s): pclntab gives return address 0x%" PRIx64
		     ", but frame pointer 0x%" PRIx64 " gives %s",
		     number, code_own_call(code)->name, caller->pc, c->frame_pointer,
		     theirs);
}

/* Is what is at the frame pointer the caller's pc? False: it is not this frame's frame
 * pointer. */
static bool agrees(struct check *c, uint64_t cfa, const struct raw_frame *caller)
{
	struct frame_link link;

	if (!c->known || c->frame_pointer + FRAME_POINTER_TO_CFA != cfa ||
	    !frame_pointer_follow(&c->window, c->frame_pointer, &link) ||
	    link.pc != caller->pc)
		return false;
	c->v->agreed++;
	set_frame_pointer(c, link.frame_pointer);
	return true;
}

static bool is_callback(const struct code *code)
{
	return code->special == SPECIAL_cgocallback ||
	       code->special == SPECIAL_cgocallback_gofunc;
}

/* After a frame whose own frame pointer is not known or wrong, continues from the frame
 * pointer it saved: each mistake is reported once. */
static void go_on_behind(struct check *c, uint64_t cfa)
{
	struct frame_link link;

	if (frame_pointer_follow(&c->window, cfa - FRAME_POINTER_TO_CFA, &link))
		set_frame_pointer(c, link.frame_pointer);
	else
		lose_frame_pointer(c, INCONCLUSIVE_NO_FRAME_POINTER);
}

/* Is the frame in its call of deferreturn? Up to Go 1.20, recovery() in runtime/panic.go resumes a function there with
 * the frame pointer of gopanic, whose frame is gone. The function's epilogue restores the right one. A deferred call
 * of 1.15 returns to the call instruction itself (jmpdefer in asm_amd64.s), those of later releases behind it. */
static bool may_have_recovered(const struct code *code, const struct raw_frame *frame)
{
	const struct pclntab *tab = &code->module->tab;
	struct pclntab_func func;

	if (!pclntab_find(tab, code->entry, &func))
		return false;
	uint64_t call = pclntab_deferreturn(tab, &func), at = frame->pc - code->entry;
	return call != 0 && at >= call && at <= call + CALL_BYTES_MAX;
}

static bool is_in_own_stack(const struct check *c)
{
	return c->frame_pointer >= c->g->stack_low && c->frame_pointer < c->g->stack_high;
}

static void prove_nothing(struct check *c, enum verify_inconclusive why)
{
	c->v->inconclusive[why]++;
}

static void check_frame(struct check *c, uint32_t number, const struct raw_frame *frame,
			const struct raw_frame *caller)
{
	struct runtime *rt;
	const struct code *code = code_of_frame(c->all, frame, &rt);
	uint64_t cfa = goroutine_argp(c->g, frame);

	c->v->frames++;
	if (!code || cfa == 0) {
		lose_frame_pointer(c, INCONCLUSIVE_NO_FRAME_POINTER);
		prove_nothing(c, INCONCLUSIVE_NO_FRAME_POINTER);
	} else if (is_callback(code)) {
		lose_frame_pointer(c, INCONCLUSIVE_CALLBACK);
		prove_nothing(c, INCONCLUSIVE_CALLBACK);
	} else if (agrees(c, cfa, caller)) {
		return;
	} else if (code->frame_size == 0) {
		prove_nothing(c, INCONCLUSIVE_FRAMELESS);
	} else if (code_is_assembly(code)) {
		/* A function that leaves the stack may keep the old SP in RBP: walltime1
		 * of 1.15. */
		if (code->flags & PCLNTAB_SPWRITE)
			lose_frame_pointer(c, INCONCLUSIVE_ASSEMBLY);
		prove_nothing(c, INCONCLUSIVE_ASSEMBLY);
	} else if (frame->flags & FRAME_AT_INSTRUCTION) {
		prove_nothing(c, INCONCLUSIVE_INTERRUPTED);
		/* Around a call of duffzero or duffcopy, it points below the frame (asm6.go in cmd/internal/obj/x86). In
		 * a function that recovered, it points to a frame that is gone. Otherwise it points to the caller's. */
		if (c->known &&
		    (c->frame_pointer < cfa || c->frame_pointer == c->g->stack_high))
			go_on_behind(c, cfa);
	} else {
		if (c->known && may_have_recovered(code, frame))
			prove_nothing(c, INCONCLUSIVE_NO_FRAME_POINTER);
		else if (c->known && c->g->stack_moves && !is_in_own_stack(c))
			prove_nothing(c, INCONCLUSIVE_COPYING);
		else if (c->known)
			disagree(c, number, code, caller);
		else
			prove_nothing(c, c->why);
		go_on_behind(c, cfa);
	}
}

/* The next frame of the goroutine's own stack, from i on; NULL: none. */
static const struct raw_frame *own_frame(struct stack stack, uint32_t *i)
{
	while (*i < stack.count && stack.frames[*i].flags & FRAME_SYSTEM_STACK)
		++*i;
	return *i < stack.count ? &stack.frames[*i] : NULL;
}

static void check_goroutine(struct runtimes *all, const struct goroutine *g,
			    struct verification *v)
{
	struct stack stack = runtimes_stack(all, g->stack);
	struct check c;
	uint32_t i = 0;

	c.all = all;
	c.g = g;
	c.v = v;
	c.why = INCONCLUSIVE_NO_FRAME_POINTER;
	c.known = goroutine_frame_pointer(g, &c.frame_pointer);
	stack_reader_init(&c.window, all->target, g->stack_low, g->stack_high);
	target_budget_unit(all->target);
	const struct raw_frame *frame = own_frame(stack, &i), *caller;
	v->goroutines += frame != NULL;
	for (; frame; frame = caller) {
		uint32_t number = i++;
		caller = own_frame(stack, &i);
		if (caller)
			check_frame(&c, number, frame, caller);
	}
}

void runtimes_verify(struct runtimes *all, struct verification *ret)
{
	*ret = (struct verification){ 0 };
	for (size_t i = 0; i < all->count; i++)
		for (size_t j = 0; j < all->list[i]->goroutine_count; j++)
			if (all->list[i]->goroutines[j].stack != NO_STACK)
				check_goroutine(all, &all->list[i]->goroutines[j], ret);
}
