/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinds the stacks of a thread: C code by call frame information, the g0 and signal
 * stacks by pclntab, and the transitions between them. The rules follow
 * runtime/asm_amd64.s, runtime/sys_linux_amd64.s and runtime/cgo/asm_amd64.s, Go 1.15 to
 * 1.27. */
#include <inttypes.h>
#include <signal.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"

enum {
	SIGNALS_MAX = 64,  /* nested interrupted contexts on one thread */
	ALIGNING_MAX = 64, /* bytes taken to make room and align the stack for C */
};

/* amd64 registers by DWARF number that the runtime's assembly saves. */
enum { RBX = 3, RBP = 6, R12 = 12, R13 = 13, R14 = 14, R15 = 15 };

struct thread_walk {
	struct runtimes *all;
	size_t thread;
	struct runtime *rt;   /* of the last Go code; NULL: none yet */
	const struct go_m *m; /* of the thread, in rt */
	struct walk *w;
	struct regs regs;
	bool at_instruction;
	unsigned signals;
	uint64_t last_sp;
	bool vdso_used; /* m->vdso_sp belongs to the innermost call only */
};

static const struct arch *arch_of(const struct thread_walk *t)
{
	return target_arch(t->all->target);
}

static uint64_t pc_of(const struct thread_walk *t)
{
	return t->regs.value[arch_of(t)->pc];
}

static uint64_t sp_of(const struct thread_walk *t)
{
	return t->regs.value[arch_of(t)->sp];
}

/* These all end the walk and return false, so that a rule can `return ends...()`. */
static bool end_complete(struct thread_walk *t)
{
	t->w->state = STACK_COMPLETE;
	return false;
}

static bool end_lost(struct thread_walk *t, uint32_t reason)
{
	t->w->state = STACK_LOST;
	t->w->reason = reason;
	return false;
}

static bool end_handover(struct thread_walk *t, enum stack_switch kind)
{
	t->w->stack_switch = kind;
	return end_complete(t);
}

static bool end_context(struct thread_walk *t, uint64_t pc, uint64_t sp,
			bool at_instruction)
{
	t->w->pc = pc;
	t->w->sp = sp;
	t->w->at_instruction = at_instruction;
	t->w->has_frame_pointer = reg_known(&t->regs, arch_of(t)->fp);
	t->w->frame_pointer = t->regs.value[arch_of(t)->fp];
	return end_handover(t, STACK_SWITCH_CONTEXT);
}

static bool push(struct thread_walk *t, uint32_t flags)
{
	struct err err;

	if (t->w->count == LIMIT_FRAMES || !target_spend(t->all->target, 1, &err)) {
		t->w->state = STACK_TRUNCATED;
		t->w->reason = t->w->count == LIMIT_FRAMES
				       ? reasons_add(t->all->reasons,
						     "more than %" PRIu64 " frames",
						     LIMIT_FRAMES)
				       : reasons_add(t->all->reasons, "%s", err.text);
		return false;
	}
	if (t->w->count < t->w->register_room)
		t->w->registers[t->w->count] = t->regs;
	t->w->frames[t->w->count++] = (struct raw_frame){
		.pc = pc_of(t),
		.flags = flags | (t->at_instruction ? FRAME_AT_INSTRUCTION : 0),
		.argp = NO_ARGP,
	};
	return true;
}

static bool read_word(struct thread_walk *t, uint64_t addr, uint64_t *ret)
{
	struct err err;

	if (target_read_uint(t->all->target, addr, WORD, ret, &err))
		return true;
	end_lost(t,
		 reasons_add(t->all->reasons, "the stack cannot be read: %s", err.text));
	return false;
}

static bool is_code(struct thread_walk *t, uint64_t pc)
{
	const struct target_mapping *m = target_mapping_at(t->all->target, pc);

	return m && m->executable;
}

static void keep_only(struct regs *regs, uint64_t kept)
{
	regs->valid &= kept;
}

/* Steps to the caller of a Go frame: the return address is right below the frame's CFA,
 * and Go saves no register except the frame pointer. */
static bool step_go(struct thread_walk *t, const struct code *c)
{
	const struct arch *arch = arch_of(t);
	uint64_t sp = sp_of(t), cfa = sp + (uint64_t)c->frame_size + WORD, pc, bp;
	struct err ignored;

	if (c->frame_size < 0)
		return end_lost(t, reasons_add(t->all->reasons,
					       "no frame size at pc 0x%" PRIx64, c->pc));
	if (!read_word(t, cfa - WORD, &pc))
		return false;
	if (pc == 0)
		return end_lost(
			t, reasons_add(t->all->reasons, "the return address is zero"));
	keep_only(&t->regs, UINT64_C(1) << arch->fp);
	if (c->frame_size > 0 &&
	    target_read_uint(t->all->target, cfa - 2 * WORD, WORD, &bp, &ignored))
		reg_set(&t->regs, arch->fp, bp);
	reg_set(&t->regs, arch->sp, cfa);
	reg_set(&t->regs, arch->pc, pc);
	t->at_instruction = c->special == SPECIAL_sigpanic ||
			    c->special == SPECIAL_sigpanic0 ||
			    c->special == SPECIAL_async_preempt;
	return true;
}

/* crosscall2 saves C's callee-saved registers; its frame size says where. Offsets from
 * its stack pointer at the call. */
static const struct crosscall_form {
	int32_t frame_size;
	struct {
		uint8_t reg, off; /* off 0: no more */
	} saved[6];
} crosscall_forms[] = {
	/* runtime/cgo/asm_amd64.s (1.15): a frame of 0x50 plus the frame pointer */
	{ 0x58,
	  { { RBX, 0x18 },
	    { R12, 0x28 },
	    { R13, 0x30 },
	    { R14, 0x38 },
	    { R15, 0x40 },
	    { RBP, 0x50 } } },
	/* runtime/cgo/abi_amd64.h (1.17): PUSH_REGS_HOST_TO_ABI0 below 0x18 of arguments;
	 * from 1.22 on with a frame pointer of its own on top */
	{ 0x50,
	  { { RBX, 0x18 }, { R12, 0x20 }, { R13, 0x28 }, { R14, 0x30 }, { R15, 0x38 } } },
	{ 0x48,
	  { { RBX, 0x18 },
	    { R12, 0x20 },
	    { R13, 0x28 },
	    { R14, 0x30 },
	    { R15, 0x38 },
	    { RBP, 0x40 } } },
};

static bool step_crosscall2(struct thread_walk *t, const struct code *c)
{
	uint64_t sp = sp_of(t);

	if (!step_go(t, c))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(crosscall_forms); i++) {
		const struct crosscall_form *f = &crosscall_forms[i];
		for (size_t j = 0; f->frame_size == c->frame_size &&
				   j < ARRAY_SIZE(f->saved) && f->saved[j].off;
		     j++) {
			uint64_t value;
			if (!read_word(t, sp + f->saved[j].off, &value))
				return false;
			reg_set(&t->regs, f->saved[j].reg, value);
		}
	}
	return true;
}

static bool take_context(struct thread_walk *t, uint64_t addr)
{
	const struct arch *arch = arch_of(t);
	uint8_t context[1024];
	struct err err;

	if (++t->signals > SIGNALS_MAX || arch->ucontext_size > sizeof(context))
		return end_lost(t, reasons_add(t->all->reasons,
					       "cannot unwind through a signal frame"));
	if (!target_read(t->all->target, addr, context, arch->ucontext_size, &err))
		return end_lost(t,
				reasons_add(t->all->reasons,
					    "the interrupted context cannot be read: %s",
					    err.text));
	t->regs.valid = 0;
	arch_regs_from(arch->ucontext, arch, context, arch->ucontext_size, &t->regs);
	t->at_instruction = true;
	t->last_sp = 0;
	return true;
}

/* The interrupted context is where the frame of sigtramp's caller would be: the kernel
 * pushed the restorer's address as return address, with the ucontext above it. In the
 * restorer (sigreturn) that address has been popped. */
static bool step_signal(struct thread_walk *t, const struct code *c)
{
	uint64_t addr = sp_of(t);

	if (c->frame_size < 0)
		return end_lost(t, reasons_add(t->all->reasons,
					       "cannot unwind through a signal frame"));
	if (c->special == SPECIAL_sigtramp)
		addr += (uint64_t)c->frame_size + WORD;
	return take_context(t, addr);
}

/* asmcgocall saves the goroutine it comes from and its stack pointer. Without a stack
 * switch (called on g0 or gsignal) it saves 0 and the stack pointer.
 * asmcgocall_landingpad (1.22) saves them elsewhere. */
static bool step_asmcgocall(struct thread_walk *t, const struct code *c)
{
	uint64_t g, sp;
	bool landing_pad = t->rt->landing_pad;
	uint64_t g_at = sp_of(t) + (landing_pad ? 8 : 48),
		 sp_at = sp_of(t) + (landing_pad ? 0 : 40);

	if (!read_word(t, g_at, &g) || !read_word(t, sp_at, &sp))
		return false;
	if (t->at_instruction || g != 0)
		return end_handover(t, STACK_SWITCH_CGO);
	reg_set(&t->regs, arch_of(t)->sp, sp);
	return step_go(t, c);
}

/* Functions that run C code on an aligned stack keep their own stack pointer in a
 * register that C preserves: RBX or RBP (sigfwd), R12 (vDSO calls), RBP in Go 1.15. */
static bool step_saved_sp(struct thread_walk *t, const struct code *c)
{
	static const uint8_t registers[] = { R12, RBX, RBP };
	uint64_t sp = sp_of(t);

	for (size_t i = 0; !t->at_instruction && i < ARRAY_SIZE(registers); i++) {
		uint64_t value = t->regs.value[registers[i]];
		if (!reg_known(&t->regs, registers[i]))
			continue;
		if (on_stack(t->m->curg_stack, value))
			return end_context(t, c->pc, value, false);
		if (value >= sp && value - sp < ALIGNING_MAX) {
			reg_set(&t->regs, arch_of(t)->sp, value);
			return step_go(t, c);
		}
	}
	return end_lost(
		t, reasons_add(t->all->reasons, "in a function that switches stacks"));
}

static bool step_vdso_caller(struct thread_walk *t, const struct code *c)
{
	const struct go_m *m = t->m;

	bool on_goroutine = on_stack(m->curg_stack, m->vdso_sp);

	/* A vDSO call from a signal handler hides earlier ones, whose saved values are on
	 * their stacks. */
	if (m->vdso_sp == 0 || t->vdso_used ||
	    (on_stack(m->signal_stack, sp_of(t)) &&
	     !on_stack(m->signal_stack, m->vdso_sp)))
		return t->at_instruction ? step_go(t, c) : step_saved_sp(t, c);
	t->vdso_used = true;
	if (on_goroutine)
		return end_context(t, m->vdso_pc, m->vdso_sp, false);
	keep_only(&t->regs, 0);
	reg_set(&t->regs, arch_of(t)->pc, m->vdso_pc);
	reg_set(&t->regs, arch_of(t)->sp, m->vdso_sp);
	t->at_instruction = false;
	return true;
}

/* The parent's frame is intact. The child starts at the top of its new stack, with
 * nothing above; it gets its M a few instructions later. */
static bool step_clone(struct thread_walk *t, const struct code *c)
{
	bool parent = on_stack(t->m->g0_stack, sp_of(t) + WORD);

	return parent ? step_go(t, c) : end_complete(t);
}

static bool is_signal(enum special s)
{
	return s == SPECIAL_sigtramp || s == SPECIAL_sigreturn ||
	       s == SPECIAL_sigreturn_sigaction;
}

static bool step_in_go(struct thread_walk *t, const struct code *c)
{
	if (!push(t, is_signal(c->special) ? FRAME_SIGNAL : 0))
		return false;
	if (is_signal(c->special))
		return step_signal(t, c);
	switch ((int)c->special) {
	case SPECIAL_systemstack:
	case SPECIAL_morestack:
	case SPECIAL_mcall:
	case SPECIAL_gogo:
	case SPECIAL_gogo_inner:
	case SPECIAL_mstart: /* a new M that is about to run its first goroutine */
		return end_handover(t, STACK_SWITCH_SCHED);
	case SPECIAL_asmcgocall:
		return step_asmcgocall(t, c);
	case SPECIAL_crosscall2:
		return step_crosscall2(t, c);
	case SPECIAL_clone:
		return step_clone(t, c);
	case SPECIAL_copystack:
		t->w->moves_stack = true;
		break;
	case SPECIAL_nanotime1:
	case SPECIAL_walltime:
	case SPECIAL_walltime1:
	case SPECIAL_time_now:
	case SPECIAL_vgetrandom1: /* in some releases some of these are Go functions */
		if (!(c->flags & PCLNTAB_SPWRITE))
			break;
		return step_vdso_caller(t, c);
	case SPECIAL_cgocallback:
	case SPECIAL_cgocallback_gofunc: /* its frame is valid on both stacks */
		return step_go(t, c);
	default:
		break;
	}
	if (c->flags & PCLNTAB_TOPFRAME)
		return end_complete(t);
	if (c->flags & PCLNTAB_SPWRITE)
		return step_saved_sp(t, c);
	return step_go(t, c);
}

/* Of a call to where no code is, the stack has the return address only. */
static bool step_bad_call(struct thread_walk *t)
{
	const struct arch *arch = arch_of(t);
	uint64_t pc;
	struct err ignored;

	if (is_code(t, pc_of(t)) || !arch->call_pushes ||
	    !target_read_uint(t->all->target, sp_of(t), WORD, &pc, &ignored) ||
	    !is_code(t, pc))
		return false;
	reg_set(&t->regs, arch->pc, pc);
	reg_set(&t->regs, arch->sp, sp_of(t) + arch->call_pushes);
	t->at_instruction = false;
	return true;
}

static bool step_in_c(struct thread_walk *t)
{
	struct err err;
	bool was_at_instruction = t->at_instruction;

	if (!push(t, 0))
		return false;
	switch (unwind_step(t->all->cfi, &t->regs, &t->at_instruction, &err)) {
	case UNWIND_END:
		return end_complete(t);
	case UNWIND_LOST:
		if (was_at_instruction && step_bad_call(t))
			return true;
		t->at_instruction = was_at_instruction;
		return end_lost(t, reasons_add(t->all->reasons, "%s", err.text));
	case UNWIND_CALLER:
		break;
	}
	if (t->at_instruction) { /* this was a signal trampoline */
		t->w->frames[t->w->count - 1].flags |= FRAME_SIGNAL;
		t->last_sp = 0;
		if (++t->signals > SIGNALS_MAX)
			return end_lost(t, reasons_add(t->all->reasons,
						       "more than %d nested signals",
						       SIGNALS_MAX));
	}
	return true;
}

/* Is the frame that the kernel pushed for a signal's handler there? It names the stack for signals, if
 * the thread has one (rt_sigframe in arch/x86/include/asm/sigframe.h, Linux 6.18). Otherwise it takes
 * more to tell. */
static bool is_context(struct thread_walk *t, uint64_t at)
{
	enum { FLAGS, LINK, STACK, STACK_FLAGS, STACK_SIZE, WORDS };
	const struct arch *arch = arch_of(t);
	const struct go_stack stack = t->m->signal_stack;
	uint64_t head[WORDS], pc, sp;
	struct err ignored;

	if (!target_read(t->all->target, at, head, sizeof(head), &ignored) ||
	    head[FLAGS] > UINT8_MAX || head[LINK] != 0)
		return false;
	if (on_stack(stack, at))
		return head[STACK] == stack.low &&
		       head[STACK_SIZE] == stack.high - stack.low;
	return (head[STACK_SIZE] == 0 || at - head[STACK] < head[STACK_SIZE]) &&
	       target_read_uint(t->all->target, at + (uint64_t)arch->ucontext[arch->pc],
				WORD, &pc, &ignored) &&
	       target_read_uint(t->all->target, at + (uint64_t)arch->ucontext[arch->sp],
				WORD, &sp, &ignored) &&
	       is_code(t, pc) && sp > at &&
	       target_mapping_at(t->all->target, sp) ==
		       target_mapping_at(t->all->target, at);
}

static bool enter_context(struct thread_walk *t, uint64_t at)
{
	t->w->frames[t->w->count - 1].flags |= FRAME_SIGNAL;
	if (t->w->count <= t->w->register_room)
		reg_set(&t->w->registers[t->w->count - 1], arch_of(t)->sp, at);
	return take_context(t, at);
}

/* In what is above the last frame that frame pointers led to. */
static bool find_context(struct thread_walk *t)
{
	/* Bytes: of a stack for signals, and of sigtramp's frame. */
	enum { ANYWHERE = 1 << 16, NEAR = 512 };
	const uint64_t start = sp_of(t) + -sp_of(t) % WORD;
	const uint64_t most = on_stack(t->m->signal_stack, start) ? ANYWHERE : NEAR;

	for (uint64_t at = start; at - start < most; at += WORD)
		if (is_context(t, at))
			return enter_context(t, at);
	return end_lost(t, reasons_add(t->all->reasons,
				       "its frame pointer leads to no return address"));
}

/* The stack that sp is on. Of threads that Go does not know, the mapping is known. */
static struct go_stack stack_at(struct thread_walk *t, uint64_t sp)
{
	const struct target_mapping *m = target_mapping_at(t->all->target, sp);

	if (on_stack(t->m->signal_stack, sp))
		return t->m->signal_stack;
	if (t->m->m)
		return t->m->g0_stack;
	return m ? (struct go_stack){ m->start, m->end } : (struct go_stack){ 0 };
}

/* Does the frame pointer lead to a caller on the same stack? What returns from a signal's handler did
 * not call it. */
static bool step_frame_pointer(struct thread_walk *t)
{
	const struct arch *arch = arch_of(t);
	const uint64_t sp = sp_of(t), fp = t->regs.value[arch->fp];
	const struct go_stack stack = stack_at(t, sp);
	struct err ignored;
	uint64_t link[2];

	if (!reg_known(&t->regs, arch->fp) || !on_stack(stack, sp) ||
	    !on_stack(stack, fp) || fp % WORD || fp + WORD < sp ||
	    !target_read(t->all->target, fp, link, sizeof(link), &ignored) ||
	    !modules_at(t->rt->modules, link[1]) || is_context(t, fp + sizeof(link)))
		return false;
	keep_only(&t->regs, 0);
	reg_set(&t->regs, arch->fp, link[0]);
	reg_set(&t->regs, arch->pc, link[1]);
	reg_set(&t->regs, arch->sp, fp + sizeof(link));
	t->at_instruction = false;
	return true;
}

/* Did the runtime put the first call on the thread's own stack here? systemstack, mcall and morestack in
 * runtime/asm_amd64.s. */
static bool is_switched_to(const struct go_m *m, uint64_t sp)
{
	enum { BASE = 64 }; /* bytes */

	return on_stack(m->g0_stack, sp) && m->g0_sched_sp - sp <= BASE;
}

/* Did the thread begin here? */
static bool is_started(const struct go_m *m, uint64_t sp)
{
	enum { BASE = 128 }; /* bytes of mstart and what called it */

	return sp >= m->g0_stack.low && m->g0_stack.high - sp <= BASE;
}

/* Code whose function is not known: frame pointers, and what the runtime notes where it switches
 * stacks, lead on. */
static bool step_unnamed(struct thread_walk *t)
{
	const struct arch *arch = arch_of(t);
	const struct go_m *m = t->m;
	const uint64_t sp = sp_of(t), fp = t->regs.value[arch->fp];

	if (!push(t, t->at_instruction ? 0 : FRAME_BY_POINTER))
		return false;
	if (step_frame_pointer(t))
		return true;
	if (on_stack(m->signal_stack, sp))
		return find_context(t);
	if (m->curg && (is_switched_to(m, sp) ||
			(reg_known(&t->regs, arch->fp) && on_stack(m->curg_stack, fp))))
		return end_handover(t, m->syscall_sp ? STACK_SWITCH_CGO
						     : STACK_SWITCH_SCHED);
	if (is_switched_to(m, sp) || is_started(m, sp))
		return end_complete(t);
	return find_context(t);
}

static void enter(struct thread_walk *t, struct runtime *rt)
{
	t->rt = rt;
	t->m = &rt->machines[t->thread];
}

/* Is sp on a goroutine's stack? If so, switches to that goroutine's runtime. */
static bool enter_goroutine(struct thread_walk *t, uint64_t sp)
{
	for (size_t i = 0; i < t->all->count; i++) {
		if (!on_stack(t->all->list[i]->machines[t->thread].curg_stack, sp))
			continue;
		enter(t, t->all->list[i]);
		return true;
	}
	return false;
}

static bool step(struct thread_walk *t)
{
	uint64_t pc = pc_of(t), sp = sp_of(t);
	struct runtime *rt;
	const struct code *c = runtimes_code_at(t->all, pc, t->at_instruction, &rt);
	struct runtime *unnamed = c ? NULL : runtimes_unnamed_at(t->all, pc);

	if (c || unnamed)
		enter(t, c ? rt : unnamed);
	if (enter_goroutine(t, sp)) {
		/* After gogo's switch there is no frame any more, only the target. */
		bool resuming = c &&
				(c->special == SPECIAL_gogo ||
				 c->special == SPECIAL_gogo_inner) &&
				t->at_instruction;
		if (!resuming)
			return end_context(t, pc, sp, t->at_instruction);
		keep_only(&t->regs, 0); /* some of them are already the goroutine's */
		return end_context(t, t->m->sched_pc, sp, false);
	}
	if (sp <= t->last_sp)
		return end_lost(
			t,
			reasons_add(t->all->reasons,
				    "unwinding makes no progress: sp stays at 0x%" PRIx64,
				    sp));
	t->last_sp = sp - 1;
	if (unnamed)
		return step_unnamed(t);
	return c && !c->no_pcsp ? step_in_go(t, c) : step_in_c(t);
}

void walk_thread(struct runtimes *all, size_t thread, const struct regs *regs,
		 bool at_instruction, struct walk *w)
{
	struct thread_walk t = { .all = all,
				 .thread = thread,
				 .w = w,
				 .regs = *regs,
				 .at_instruction = at_instruction };

	w->frames = all->scratch;
	w->stack_switch = STACK_SWITCH_NONE;
	w->state = STACK_NONE;
	w->moves_stack = false;
	while (step(&t))
		continue;
	w->runtime = t.rt;
}
