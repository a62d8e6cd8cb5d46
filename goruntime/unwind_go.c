/* SPDX-License-Identifier: Apache-2.0 */
/* A goroutine's own stack by pclntab, frame by frame as runtime/traceback.go does it
 * (gentraceback up to 1.20, unwinder from 1.21). Where C called back into Go the C frames
 * are put in between: they lie on the thread's stack. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"
#include "runtime_priv.h"
#include "window.h"

enum { WORD = 8 };

struct go_walk {
	struct runtime *rt;
	struct goroutine *g;
	const struct machine *m;
	struct raw_frame *frames;
	size_t count;
	uint64_t pc, sp;
	bool exact, innermost;
	uint64_t
		callback_sp; /* of the next callback on the thread's stack; 0: not known */
	struct window *window;
};

static bool ends(struct go_walk *u, enum stack_state state, uint32_t reason)
{
	u->g->state = state;
	u->g->reason = reason;
	return false;
}

static bool lost(struct go_walk *u, uint32_t reason)
{
	return ends(u, STACK_LOST, reason);
}

static bool read_word(struct go_walk *u, uint64_t addr, uint64_t *ret)
{
	struct err err;
	const uint8_t *bytes = window_bytes(u->window, addr, WORD, &err);

	if (bytes) {
		memcpy(ret, bytes, WORD);
		return true;
	}
	if (err.code == ERR_BAD_DATA)
		return lost(u, reason_add(u->rt, "a frame ends outside the stack"));
	if (addr - u->g->sp >= LIMIT_STACK_BYTES)
		return ends(u, STACK_TRUNCATED,
			    reason_add(u->rt, "more than %" PRIu64 " bytes of stack",
				       LIMIT_STACK_BYTES));
	return lost(u, reason_add(u->rt, "the stack cannot be read: %s", err.text));
}

static bool push(struct go_walk *u)
{
	struct err err;

	if (u->count == LIMIT_FRAMES)
		return ends(
			u, STACK_TRUNCATED,
			reason_add(u->rt, "more than %" PRIu64 " frames", LIMIT_FRAMES));
	if (!target_spend(u->rt->target, 1, &err))
		return ends(u, STACK_TRUNCATED, reason_add(u->rt, "%s", err.text));
	u->frames[u->count++] = (struct raw_frame){
		.pc = u->pc,
		.flags = u->exact ? FRAME_EXACT : 0,
		.argp = NO_ARGP,
	};
	return true;
}

static void set_argp(struct go_walk *u, uint64_t cfa)
{
	uint64_t offset = cfa - u->g->sp;

	if (offset < NO_ARGP)
		u->frames[u->count - 1].argp = (uint32_t)offset;
}

/* The frames of C, and of Go on the thread's stack, between a callback and the call into C
 * that it came from: from cgocallback's second frame, the one on the thread's stack.
 * runtime/asm_amd64.s cgocallback keeps the older g0.sched.sp at 0(SP) of it. */
static void add_c_frames(struct go_walk *u, const struct code *c)
{
	struct walk w = { .count = u->count };
	struct regs regs = { .valid = 0 };
	const struct arch *arch = target_arch(u->rt->target);
	uint64_t older, pc, cfa = u->callback_sp + (uint64_t)c->frame_size + WORD;
	struct err err;
	char where[48];

	snprintf(where, sizeof(where), "goroutine %" PRIu64, u->g->id);
	if (u->callback_sp == 0 || c->frame_size < 0 ||
	    !target_read_uint(u->rt->target, u->callback_sp, WORD, &older, &err) ||
	    !target_read_uint(u->rt->target, cfa - WORD, WORD, &pc, &err)) {
		warnings_add(u->rt->warnings, where,
			     "the C frames that called back are not known");
		u->callback_sp = 0;
		return;
	}
	reg_set(&regs, arch->pc, pc);
	reg_set(&regs, arch->sp, cfa);
	walk_thread(u->rt->shared, (size_t)(u->m - u->rt->machines), &regs, false, &w);
	for (size_t i = u->count; i < w.count; i++)
		w.frames[i].flags |= FRAME_SYSTEM_STACK;
	u->count = w.count;
	if (w.state != STACK_COMPLETE)
		warnings_add(u->rt->warnings, where, "its C frames are not whole: %s",
			     runtimes_reason(u->rt->shared, w.reason));
	u->callback_sp = older > u->callback_sp ? older : 0;
}

/* Does this function end the walk? See resolveInternal in runtime/traceback.go (1.21). */
static bool ends_here(struct go_walk *u, const struct code *c)
{
	if (c->flags & PCLNTAB_TOPFRAME)
		return !ends(u, STACK_COMPLETE, 0);
	if (!(c->flags & PCLNTAB_SPWRITE) || c->special == SPECIAL_cgocallback ||
	    c->special == SPECIAL_cgocallback_gofunc || u->innermost)
		return false;
	return !lost(
		u, reason_add(u->rt, "a function that switches stacks is in its middle"));
}

static bool injects_call(enum special s)
{
	return s == SPECIAL_sigpanic || s == SPECIAL_sigpanic0 ||
	       s == SPECIAL_async_preempt || s == SPECIAL_debug_call_v1 ||
	       s == SPECIAL_debug_call_v2;
}

static bool step(struct go_walk *u)
{
	const struct code *c = code_at(u->rt->code, u->pc, u->exact);

	if (!c)
		return lost(u, reason_add(u->rt, "pc 0x%" PRIx64 " is in no Go function",
					  u->pc));
	if (!push(u))
		return false;
	if (c->foreign || c->frame_size < 0)
		return lost(u,
			    reason_add(u->rt, "no frame size at pc 0x%" PRIx64, u->pc));
	uint64_t cfa = u->sp + (uint64_t)c->frame_size + WORD, ret_pc;
	set_argp(u, cfa);
	if (ends_here(u, c))
		return false;
	if (!read_word(u, cfa - WORD, &ret_pc))
		return false;
	if (ret_pc == 0)
		return lost(u, reason_add(u->rt, "a return address is zero"));
	if (u->m && u->m->g0 &&
	    (c->special == SPECIAL_cgocallback ||
	     c->special == SPECIAL_cgocallback_gofunc))
		add_c_frames(u, c);
	u->pc = ret_pc;
	u->sp = cfa;
	u->exact = injects_call(c->special);
	/* systemstack and asmcgocall call this one before they leave the stack. */
	u->innermost = u->innermost && c->special == SPECIAL_gosave_systemstack_switch;
	return true;
}

/* A call of a nil function: the caller is on top of the stack (traceback.go initAt). */
static bool skip_nil_call(struct go_walk *u)
{
	if (u->pc != 0)
		return true;
	if (!read_word(u, u->sp, &u->pc))
		return false;
	u->sp += WORD;
	u->exact = false;
	return true;
}

void unwind_goroutine(struct runtime *rt, struct goroutine *g, const struct machine *m)
{
	struct window window;
	struct go_walk u = {
		.rt = rt,
		.g = g,
		.m = m,
		.frames = rt->shared->scratch,
		.pc = g->pc,
		.sp = g->sp,
		.exact = g->exact,
		.innermost = true,
		.callback_sp = m ? m->g0_sched_sp : 0,
		.window = &window,
	};

	g->unwound = true;
	window_init(&window, rt->target, g->stack_low, g->stack_high);
	target_budget_unit(rt->target);
	if (g->bad_context) {
		g->state = STACK_LOST;
	} else if (g->sp < g->stack_low || g->sp > g->stack_high ||
		   g->stack_high - g->stack_low < WORD) {
		lost(&u, reason_add(rt, "its stack pointer is outside its stack"));
	} else if (skip_nil_call(&u)) {
		while (step(&u))
			continue;
	}
	if (u.count > LIMIT_FRAMES_RUN - stacks_frames(rt->shared->stacks)) {
		u.count = 0;
		ends(&u, STACK_TRUNCATED,
		     reason_add(rt, "more than %" PRIu64 " frames in all",
				LIMIT_FRAMES_RUN));
	}
	g->stack = stacks_intern(rt->shared->stacks, rt->shared->scratch, u.count);
}
