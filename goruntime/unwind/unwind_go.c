/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinds a goroutine's own stack by pclntab, frame by frame like runtime/traceback.go
 * (gentraceback up to 1.20, unwinder from 1.21). Where C called back into Go, the C
 * frames from the thread's stack are inserted. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/unwind/unwind_fp.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"

enum {
	SYSCALL_CALLS = 64, /* few, from entersyscall's caller to the system call */
};

struct go_walk {
	struct runtime *rt;
	struct goroutine *g;
	const struct go_m *m;
	struct raw_frame *frames;
	size_t count;
	uint64_t pc, sp;
	bool at_instruction, innermost, by_frame_pointer;
	uint64_t callback_sp; /* of the next callback on the thread's stack, or 0 */
	/* A panic ends the program. It has run all deferred calls: those of cgocallbackg1 have
	 * set g0.sched.sp back, and what the panic runs on g0 has overwritten the C frames. */
	bool panicked;
	uint64_t syscall_sp; /* of the frame that entered the syscall; 0: in none */
	struct stack_reader *window;
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
	const uint8_t *bytes = stack_reader_bytes(u->window, addr, WORD, &err);

	if (bytes) {
		memcpy(ret, bytes, WORD);
		return true;
	}
	if (err_is(&err, ERR_BAD_DATA))
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
		.flags = (u->at_instruction ? FRAME_AT_INSTRUCTION : 0) |
			 (u->by_frame_pointer ? FRAME_BY_POINTER : 0) |
			 (u->sp < u->syscall_sp ? FRAME_SYSCALL : 0),
		.argp = NO_ARGP,
	};
	u->by_frame_pointer = false;
	return true;
}

static void set_argp(struct go_walk *u, uint64_t cfa)
{
	uint64_t offset = cfa - u->g->sp;

	if (offset < NO_ARGP)
		u->frames[u->count - 1].argp = (uint32_t)offset;
}

/* From the second frame of cgocallback on, on the thread's stack: runtime/asm_amd64.s
 * cgocallback keeps the previous g0.sched.sp at 0(SP) of it. */
bool unwind_callback(struct runtime *rt, const struct code *c, uint64_t *sp,
		     struct regs *ret, struct err *err)
{
	const struct arch *arch = target_arch(rt->target);
	const uint64_t at = *sp, cfa = at + (uint64_t)c->frame_size + WORD;
	uint64_t older, pc;

	*sp = 0;
	if (!at || c->frame_size < 0)
		return err_set(err, ERR_NOT_FOUND, "callback address unknown");
	if (!target_read_uint(rt->target, at, WORD, &older, err) ||
	    !target_read_uint(rt->target, cfa - WORD, WORD, &pc, err))
		return false;
	if (!code_is_any_return(rt->code, pc, rt->target))
		return err_set(err, ERR_BAD_DATA, "the stack has something else there");
	*sp = older > at ? older : 0;
	*ret = (struct regs){ .valid = 0 };
	reg_set(ret, arch->pc, pc);
	reg_set(ret, arch->sp, cfa);
	return true;
}

/* Adds the frames of C, and of Go on the thread's stack, between a callback and the call
 * into C that it came from. */
static void add_c_frames(struct go_walk *u, const struct code *c)
{
	struct walk w = { .count = u->count };
	struct regs regs;
	struct err err;
	char where[48];

	snprintf(where, sizeof(where), "goroutine %" PRIu64, u->g->id);
	if (u->panicked) {
		warnings_add(u->rt->warnings, where,
			     "the panic has overwritten the C frames that called back "
			     "into Go");
		return;
	}
	if (!unwind_callback(u->rt, c, &u->callback_sp, &regs, &err)) {
		warnings_add(u->rt->warnings, where,
			     "the C frames that called back into Go were not found");
		return;
	}
	walk_thread(u->rt->shared, (size_t)(u->m - u->rt->machines), &regs, false, &w);
	for (size_t i = u->count; i < w.count; i++)
		w.frames[i].flags |= FRAME_SYSTEM_STACK;
	u->count = w.count;
	if (w.state != STACK_COMPLETE)
		warnings_add(u->rt->warnings, where, "its C frames are incomplete: %s",
			     runtimes_reason(u->rt->shared, w.reason));
}

/* The collector of Go 1.5 to 1.8 replaced return addresses by that of a function of its
 * own, and kept the originals, innermost first (runtime/mstkbar.go, 1.8). */
static bool lift_barrier(struct go_walk *u, uint64_t slot, uint64_t *pc)
{
	const struct layout *l = &u->rt->layout;
	uint64_t list[3] = { 0 }, first = 0, entry[2];
	struct err err;

	if (!layout_has(l, L_g_stkbar) ||
	    !target_read(u->rt->target, u->g->addr + (uint64_t)l->slot[L_g_stkbar].off,
			 list, sizeof(list), &err) ||
	    !layout_load(l, u->rt->target, u->g->addr, L_g_stkbar_pos, &first, &err))
		return lost(u, reason_add(u->rt, "its stack barriers cannot be read"));
	for (uint64_t i = first; i < list[1]; i++) {
		if (!target_read(u->rt->target, list[0] + i * sizeof(entry), entry,
				 sizeof(entry), &err))
			break;
		if (entry[0] == slot) {
			*pc = entry[1];
			return true;
		}
	}
	return lost(u, reason_add(u->rt, "a stack barrier hides the return address"));
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
		u, reason_add(u->rt, "in the middle of a function that switches stacks"));
}

static bool injects_call(enum special s)
{
	return s == SPECIAL_sigpanic || s == SPECIAL_sigpanic0 ||
	       s == SPECIAL_async_preempt || s == SPECIAL_debug_call_v1 ||
	       s == SPECIAL_debug_call_v2;
}

bool unwind_leads_to_syscall(struct runtime *rt, const struct goroutine *g, uint64_t pc,
			     uint64_t sp, bool at_instruction)
{
	if (modules_is_unnamed(rt->modules, pc))
		return sp <= g->sp;
	const struct code *told = code_at(rt->code, g->pc, false), *c;
	struct err ignored;

	for (size_t n = 0; sp < g->sp && n < SYSCALL_CALLS; n++) {
		c = code_at(rt->code, pc, at_instruction);
		if (!c || c->no_pcsp || c->frame_size < 0)
			return false;
		sp += (uint64_t)c->frame_size + WORD;
		if (!target_read_uint(rt->target, sp - WORD, WORD, &pc, &ignored))
			return false;
		at_instruction = injects_call(c->special);
	}
	c = code_at(rt->code, pc, at_instruction);
	return sp == g->sp && c && told && c->entry == told->entry;
}

/* The current frame pointer is the one saved by the last frame that saves it. */
static bool frame_pointer_here(struct go_walk *u, uint64_t *ret)
{
	for (size_t i = u->count; i-- > 0;) {
		const struct raw_frame *f = &u->frames[i];
		const struct code *c = code_with_calls(u->rt->code, f->pc,
						       f->flags & FRAME_AT_INSTRUCTION);
		struct frame_link link;

		if (f->flags & FRAME_SYSTEM_STACK ||
		    (c && (c->frame_size == 0 || f->argp == NO_ARGP)))
			continue;
		if ((c && !c->no_pcsp && code_is_assembly(c)) ||
		    !frame_pointer_follow(u->window,
					  goroutine_argp(u->g, f) - FRAME_POINTER_TO_CFA,
					  &link))
			return false;
		*ret = link.frame_pointer;
		return true;
	}
	return goroutine_frame_pointer(u->g, ret);
}

/* Without a table the caller is found by frame pointer, if that leads to the instruction
 * after a call in Go code. A function that saves none hides its caller: the frame is
 * marked FRAME_BY_POINTER. The frame with the unknown pc is also reported, if it leads
 * on. */
static bool step_by_frame_pointer(struct go_walk *u, uint32_t reason)
{
	struct frame_link link;
	uint64_t fp;
	bool pushed = u->count > 0 && u->frames[u->count - 1].pc == u->pc &&
		      u->frames[u->count - 1].argp == NO_ARGP;

	if (!frame_pointer_here(u, &fp) || fp + WORD < u->sp ||
	    !frame_pointer_follow(u->window, fp, &link) ||
	    !code_is_return(u->rt->code, link.pc, u->rt->target))
		return lost(u, reason);
	if (!pushed && !push(u))
		return false;
	set_argp(u, fp + FRAME_POINTER_TO_CFA);
	u->pc = link.pc;
	u->sp = fp + FRAME_POINTER_TO_CFA;
	u->at_instruction = u->innermost = false;
	u->by_frame_pointer = true;
	return true;
}

/* Parent and child share a stack, on which the child goes on calling. Meanwhile the
 * parent keeps its return address in a register (syscall/asm_linux_amd64.s, 1.15 to
 * 1.27). */
static bool step_raw_vfork(struct go_walk *u)
{
	enum { R12 = 12 };
	size_t n;
	const struct target_thread *th = target_threads(u->rt->target, &n);
	const struct arch *arch = target_arch(u->rt->target);

	if (!push(u))
		return false;
	if (u->count != 1 || u->g->thread < 0 || !th[u->g->thread].stopped)
		return lost(u, reason_add(u->rt, "its return address is in a register"));
	const struct regs *regs = &th[u->g->thread].regs;
	set_argp(u, u->sp);
	if (regs->value[arch->pc] != u->pc || !reg_known(regs, R12) ||
	    !code_is_return(u->rt->code, regs->value[R12], u->rt->target))
		return lost(u, reason_add(u->rt, "its return address is in a register"));
	u->pc = regs->value[R12];
	u->at_instruction = u->innermost = false;
	return true;
}

/* Until 1.23 the frame pointer is not noted at a system call. Before a call of C the goroutine saves
 * the current one for the scheduler, further down its stack (asmcgocall in runtime/asm_amd64.s). */
static bool frame_pointer_at_syscall(struct go_walk *u, uint64_t *ret)
{
	const struct layout *l = &u->rt->layout;
	struct frame_link link = { .pc = 0 };
	uint64_t sp;
	struct err ignored;

	if (!u->g->syscall || !layout_has(l, L_g_sched_bp) ||
	    !layout_load(l, u->rt->target, u->g->addr, L_g_sched_sp, &sp, &ignored) ||
	    !layout_load(l, u->rt->target, u->g->addr, L_g_sched_bp, &link.frame_pointer,
			 &ignored) ||
	    sp >= u->sp)
		return false;
	for (size_t n = 0; link.frame_pointer < u->sp && n < SYSCALL_CALLS; n++) {
		const uint64_t at = link.frame_pointer;
		if (at < sp || !frame_pointer_follow(u->window, at, &link) ||
		    link.frame_pointer <= at)
			return false;
	}
	*ret = link.frame_pointer;
	return link.frame_pointer >= u->sp;
}

/* A goroutine begins as if goexit had called its function, near the upper end of its stack, without
 * a frame pointer: newproc1 in runtime/proc.go. Up to 1.16, arguments follow. One for C threads has
 * no function. */
static bool ends_at_beginning(struct go_walk *u)
{
	enum { BEGINNING = 2048 };
	const bool has_not_begun = u->count == 1 && u->pc == u->g->start_pc;

	if (has_not_begun) {
		if (!read_word(u, u->sp, &u->pc))
			return false;
		u->sp += WORD;
		if (!modules_at(u->rt->modules, u->pc))
			return lost(u, reason_add(u->rt, "invalid return address"));
		if (!push(u))
			return false;
	}
	if ((u->count < 2 && u->g->start_pc) || u->g->stack_high - u->sp > BEGINNING)
		return lost(u, reason_add(u->rt, "its frame pointers end before its "
						 "stack does"));
	return ends(u, STACK_COMPLETE, 0);
}

/* Only frame pointers lead on where the functions are not known. The innermost function may have
 * none, and then hides its caller. */
static bool step_unnamed(struct go_walk *u)
{
	struct frame_link link;
	uint64_t fp;
	const bool known = frame_pointer_here(u, &fp) ||
			   (u->count == 0 && frame_pointer_at_syscall(u, &fp));

	if (!push(u))
		return false;
	if (!known && u->g->start_pc)
		return lost(u, reason_add(u->rt, "its frame pointer is not known"));
	if (!known || fp == 0)
		return ends_at_beginning(u);
	if (fp + WORD < u->sp || !frame_pointer_follow(u->window, fp, &link))
		return lost(u, reason_add(u->rt, "its frame pointer leads out of its "
						 "stack"));
	if (!modules_at(u->rt->modules, link.pc))
		return lost(u, reason_add(u->rt, "its frame pointer leads to no return "
						 "address"));
	set_argp(u, fp + FRAME_POINTER_TO_CFA);
	u->pc = link.pc;
	u->sp = fp + FRAME_POINTER_TO_CFA;
	u->at_instruction = u->innermost = false;
	u->by_frame_pointer = true;
	return true;
}

static bool step(struct go_walk *u)
{
	const struct code *c = code_at(u->rt->code, u->pc, u->at_instruction);

	if (modules_is_unnamed(u->rt->modules, u->pc))
		return step_unnamed(u);
	if (!c && !target_may_name(u->rt->target, u->pc))
		return step_by_frame_pointer(u,
					     reason_add(u->rt, "invalid return address"));
	if (!c)
		return step_by_frame_pointer(
			u, reason_add(u->rt, "pc 0x%" PRIx64 " is not in a Go function",
				      u->pc));
	if (c->special == SPECIAL_raw_vfork && !c->no_pcsp && c->frame_size < 0)
		return step_raw_vfork(u);
	if (c->no_pcsp || c->frame_size < 0)
		return push(u) &&
		       step_by_frame_pointer(
			       u, reason_add(u->rt, "no frame size at pc 0x%" PRIx64,
					     u->pc));
	if (!push(u))
		return false;
	uint64_t cfa = u->sp + (uint64_t)c->frame_size + WORD, ret_pc;
	set_argp(u, cfa);
	if (ends_here(u, c))
		return false;
	if (!read_word(u, cfa - WORD, &ret_pc))
		return false;
	if (ret_pc != 0 && ret_pc == u->rt->stack_barrier &&
	    !lift_barrier(u, cfa - WORD, &ret_pc))
		return false;
	if (ret_pc == 0)
		return lost(u, reason_add(u->rt, "a return address is zero"));
	u->panicked |= c->special == SPECIAL_fatalpanic;
	if (u->m && u->m->g0 &&
	    (c->special == SPECIAL_cgocallback ||
	     c->special == SPECIAL_cgocallback_gofunc))
		add_c_frames(u, c);
	u->pc = ret_pc;
	u->sp = cfa;
	u->at_instruction = injects_call(c->special);
	/* systemstack and asmcgocall call this one before they switch stacks. */
	u->innermost = u->innermost && c->special == SPECIAL_gosave_systemstack_switch;
	return true;
}

/* A call of a nil function: the caller's pc is at the top of the stack (traceback.go
 * initAt). */
static bool skip_nil_call(struct go_walk *u)
{
	if (u->pc != 0)
		return true;
	if (!read_word(u, u->sp, &u->pc))
		return false;
	u->sp += WORD;
	u->at_instruction = false;
	return true;
}

/* What is found is the goroutine's stack. */
static void keep_frames(struct go_walk *u)
{
	struct stacks *stacks = u->rt->shared->stacks;

	if (u->count > LIMIT_FRAMES_RUN - stacks_frames(stacks)) {
		u->count = 0;
		ends(u, STACK_TRUNCATED,
		     reason_add(u->rt, "more than %" PRIu64 " frames in total",
				LIMIT_FRAMES_RUN));
	}
	u->g->stack = stacks_intern(stacks, u->frames, u->count);
}

void unwind_goroutine(struct runtime *rt, struct goroutine *g, const struct go_m *m)
{
	struct stack_reader window;
	struct go_walk u = {
		.rt = rt,
		.g = g,
		.m = m,
		.frames = rt->shared->scratch,
		.pc = g->pc,
		.sp = g->sp,
		.at_instruction = g->at_instruction,
		.innermost = true,
		.callback_sp = m ? m->g0_sched_sp : 0,
		.syscall_sp = m && g->syscall && g->thread >= 0 ? m->syscall_sp : 0,
		.window = &window,
	};

	g->unwound = true;
	stack_reader_init(&window, rt->target, g->stack_low, g->stack_high);
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
	keep_frames(&u);
}

void unwind_goroutine_on(struct runtime *rt, struct goroutine *g, const struct go_m *m,
			 size_t kept, uint64_t pc, uint64_t sp)
{
	struct stack_reader window;
	struct go_walk u = {
		.rt = rt,
		.g = g,
		.m = m,
		.frames = rt->shared->scratch,
		.count = kept,
		.pc = pc,
		.sp = sp,
		.callback_sp = m ? m->g0_sched_sp : 0,
		.window = &window,
	};

	stack_reader_init(&window, rt->target, g->stack_low, g->stack_high);
	target_budget_unit(rt->target);
	while (step(&u))
		continue;
	keep_frames(&u);
}
