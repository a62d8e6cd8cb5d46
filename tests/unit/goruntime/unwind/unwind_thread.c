/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "goruntime/symtab/pclntab.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum { TOP = PCLNTAB_TOPFRAME, SPW = PCLNTAB_SPWRITE };
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R12 = 12, R13, R14, R15, RIP };

#define FUNCS(crosscall_frame)                                                           \
	{ "runtime.mstart", 0, TOP }, { "main.f", 0x48, 0 },                             \
		{ "runtime.schedule", 0x38, 0 }, { "runtime.newstack", 0x58, 0 },        \
		{ "runtime.systemstack", 0, SPW }, { "runtime.morestack", 0, SPW },      \
		{ "runtime.mcall", 0, SPW }, { "runtime.gogo", 0, 0 },                   \
		{ "gogo", 0, SPW }, { "runtime.asmcgocall", 0, SPW },                    \
		{ "runtime.cgocallback", 0x20, SPW },                                    \
		{ "crosscall2", crosscall_frame, 0 }, { "runtime.sigfwd", 8, SPW },      \
		{ "runtime.sigtramp", 0x48, TOP }, { "runtime.sigtrampgo", 0x60, 0 },    \
		{ "runtime.sigreturn__sigaction", 0, 0 },                                \
		{ "runtime.nanotime1", 0x18, SPW }, { "time.now", 0x20, 0 },             \
		{ "runtime.sigpanic", 0x20, 0 },                                         \
	{                                                                                \
		"runtime.asyncPreempt", 0x80, 0                                          \
	}

static const struct pseudo_func funcs[] = { FUNCS(0x50) };
static const struct pseudo_func funcs_1_17[] = { FUNCS(0x48) };
static const struct pseudo_func funcs_1_15[] = { FUNCS(0x58) };
static const struct pseudo_func funcs_1_22[] = {
	FUNCS(0x50), { "runtime.asmcgocall_landingpad", 0, 0 }
};

struct expected {
	const char *name; /* "C": not Go */
	uint64_t off;
	uint32_t flags;
};

#define FRAMES(...) ((const struct expected[]){ __VA_ARGS__, { NULL, 0, 0 } })

enum { C_CODE = 0x7f0000001234 };

static uint64_t pc_of(struct pseudo *p, const struct expected *f)
{
	return strcmp(f->name, "C") == 0 ? (uint64_t)C_CODE
					 : pseudo_pc(p, f->name, f->off);
}

/* As in a thread's registers: pc, sp. */
static struct regs regs_at(uint64_t pc, uint64_t sp)
{
	struct regs r = { .valid = 0 };

	reg_set(&r, RIP, pc);
	reg_set(&r, RSP, sp);
	return r;
}

static uint64_t lay(struct pseudo *p, uint64_t sp, const struct expected *frames)
{
	for (; frames->name; frames++) {
		sp += (frames->off < 4 ? 0 : (uint64_t)pseudo_frame(p, frames->name)) + 8;
		if (frames[1].name)
			pseudo_put(p, sp - 8, pc_of(p, &frames[1]));
	}
	return sp;
}

static void check_walk(struct pseudo *p, const struct walk *w,
		       const struct expected *frames, enum stack_state state,
		       enum stack_switch stack_switch)
{
	size_t n = 0;

	for (; frames[n].name; n++) {
		assert_true(n < w->count);
		assert_int_equal(w->frames[n].pc, pc_of(p, &frames[n]));
		assert_int_equal(w->frames[n].flags, frames[n].flags);
	}
	assert_int_equal(w->count, n);
	assert_int_equal(w->state, state);
	assert_int_equal(w->stack_switch, stack_switch);
}

static struct walk walk(struct pseudo *p, struct regs regs)
{
	struct walk w = { 0 };

	walk_thread(p->all, 0, &regs, true, &w);
	return w;
}

static struct walk walk_frames(struct pseudo *p, uint64_t sp,
			       const struct expected *frames)
{
	lay(p, sp, frames);
	return walk(p, regs_at(pc_of(p, frames), sp));
}

#define PSEUDO(minor, funcs) pseudo_new(minor, funcs, ARRAY_SIZE(funcs))

static void test_scheduler(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *frames =
		FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
		       { "runtime.schedule", 0x40, 0 }, { "runtime.mstart", 0x40, 0 });
	struct walk w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
	check_walk(p, &w, frames, STACK_COMPLETE, STACK_SWITCH_SCHED);
}

/* From the system stack on, the goroutine is where g.sched says. */
static void test_switches(void **state)
{
	static const char *const names[] = { "runtime.systemstack", "runtime.morestack",
					     "runtime.mcall", "gogo" };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct expected *frames =
			FRAMES({ "runtime.newstack", 0x20, FRAME_AT_INSTRUCTION },
			       { names[i], 0x40, 0 });
		struct walk w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
		check_walk(p, &w, frames, STACK_COMPLETE, STACK_SWITCH_SCHED);
	}
}

/* Code on the goroutine's own stack: nothing of it is the thread's. */
static void test_on_goroutine(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	struct walk w =
		walk(p, regs_at(pseudo_pc(p, "main.f", 0x20), PSEUDO_STACK + 0x80));
	assert_int_equal(w.count, 0);
	assert_int_equal(w.stack_switch, STACK_SWITCH_CONTEXT);
	assert_int_equal(w.pc, pseudo_pc(p, "main.f", 0x20));
	assert_int_equal(w.sp, PSEUDO_STACK + 0x80);
	assert_true(w.at_instruction);
	/* The last instructions of gogo: the goroutine goes on where g.sched said. */
	p->machine->sched_pc = pseudo_pc(p, "main.f", 0x80);
	w = walk(p, regs_at(pseudo_pc(p, "gogo", 0x20), PSEUDO_STACK + 0x80));
	assert_int_equal(w.stack_switch, STACK_SWITCH_CONTEXT);
	assert_int_equal(w.pc, pseudo_pc(p, "main.f", 0x80));
	assert_false(w.at_instruction);
}

static void put_context(struct pseudo *p, uint64_t addr, uint64_t pc, uint64_t sp)
{
	pseudo_put(p, addr + 160, sp); /* rsp and rip of the ucontext */
	pseudo_put(p, addr + 168, pc);
}

static void test_signal(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *handler =
		FRAMES({ "runtime.sigtrampgo", 0x20, FRAME_AT_INSTRUCTION },
		       { "runtime.sigtramp", 0x40, FRAME_SIGNAL });
	uint64_t context = lay(p, PSEUDO_SIGNAL + 0x100, handler);
	struct regs regs =
		regs_at(pseudo_pc(p, "runtime.sigtrampgo", 0x20), PSEUDO_SIGNAL + 0x100);
	/* It interrupted the goroutine ... */
	put_context(p, context, pseudo_pc(p, "main.f", 0x80), PSEUDO_STACK + 0x80);
	struct walk w = walk(p, regs);
	check_walk(p, &w, handler, STACK_COMPLETE, STACK_SWITCH_CONTEXT);
	assert_int_equal(w.pc, pseudo_pc(p, "main.f", 0x80));
	assert_true(w.at_instruction);
	/* ... or the scheduler, whose stack lies lower in memory. */
	put_context(p, context, pseudo_pc(p, "runtime.schedule", 0x80), PSEUDO_G0 + 0x80);
	lay(p, PSEUDO_G0 + 0x80,
	    FRAMES({ "runtime.schedule", 0x80, 0 }, { "runtime.mstart", 0x20, 0 }));
	w = walk(p, regs);
	check_walk(p, &w,
		   FRAMES({ "runtime.sigtrampgo", 0x20, FRAME_AT_INSTRUCTION },
			  { "runtime.sigtramp", 0x40, FRAME_SIGNAL },
			  { "runtime.schedule", 0x80, FRAME_AT_INSTRUCTION },
			  { "runtime.mstart", 0x20, 0 }),
		   STACK_COMPLETE, STACK_SWITCH_SCHED);
}

/* On its way back: sigtramp is gone from the stack, and the return address with it. */
static void test_sigreturn(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const uint64_t sp = PSEUDO_SIGNAL + 0x100;

	put_context(p, sp, pseudo_pc(p, "main.f", 0x80), PSEUDO_STACK + 0x80);
	struct walk w =
		walk(p, regs_at(pseudo_pc(p, "runtime.sigreturn__sigaction", 0), sp));
	check_walk(p, &w,
		   FRAMES({ "runtime.sigreturn__sigaction", 0,
			    FRAME_AT_INSTRUCTION | FRAME_SIGNAL }),
		   STACK_COMPLETE, STACK_SWITCH_CONTEXT);
	assert_int_equal(w.pc, pseudo_pc(p, "main.f", 0x80));
	assert_true(w.at_instruction);
}

/* A context that says that it was interrupted in its own handler. */
static void test_signal_cycle(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *handler =
		FRAMES({ "runtime.sigtrampgo", 0x20, FRAME_AT_INSTRUCTION },
		       { "runtime.sigtramp", 0x40, FRAME_SIGNAL });
	uint64_t sp = PSEUDO_SIGNAL + 0x100,
		 pc = pseudo_pc(p, "runtime.sigtrampgo", 0x20);
	put_context(p, lay(p, sp, handler), pc, sp);
	struct walk w = walk(p, regs_at(pc, sp));
	assert_int_equal(w.state, STACK_LOST);
	assert_in_range(w.count, 2, 200);
}

static void test_unreadable_context(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	uint64_t sp = PSEUDO_SIGNAL + PSEUDO_STACK_SIZE - 0x58;
	struct walk w = walk(p, regs_at(pseudo_pc(p, "runtime.sigtramp", 0x20), sp));
	assert_int_equal(w.state, STACK_LOST);
	assert_non_null(strstr(runtimes_reason(p->all, w.reason), "context"));
}

/* Where asmcgocall keeps its pair moved in 1.22: the goroutine it came from, or, when it
 * was called on the thread's own stack, 0 and where that is. */
static void check_asmcgocall(struct pseudo *p, uint64_t g_at, uint64_t sp_at)
{
	const uint64_t sp = PSEUDO_G0 + 0x100, older = PSEUDO_G0 + 0x400;
	const struct expected *frames = FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
					       { "runtime.asmcgocall", 0x40, 0 });
	uint64_t at = lay(p, sp, frames) - 8;
	struct regs regs = regs_at(pseudo_pc(p, "main.f", 0x20), sp);

	for (uint64_t i = 0; i < 0x50; i += 8)
		pseudo_put(p, at + i, 0x5555);
	pseudo_put(p, at + g_at, PSEUDO_FREE);
	struct walk w = walk(p, regs);
	check_walk(p, &w, frames, STACK_COMPLETE, STACK_SWITCH_CGO);

	pseudo_put(p, at + g_at, 0);
	pseudo_put(p, at + sp_at, older);
	lay(p, older,
	    FRAMES({ "runtime.asmcgocall", 0x40, 0 }, { "runtime.mstart", 0x20, 0 }));
	w = walk(p, regs);
	check_walk(p, &w,
		   FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
			  { "runtime.asmcgocall", 0x40, 0 },
			  { "runtime.mstart", 0x20, 0 }),
		   STACK_COMPLETE, STACK_SWITCH_SCHED);
}

static void test_asmcgocall(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *old = PSEUDO(21, funcs);
	check_asmcgocall(old, 48, 40);
	AUTO(pseudo_free) struct pseudo *new = PSEUDO(22, funcs_1_22);
	check_asmcgocall(new, 8, 0);
}

/* crosscall2 gives C its registers back. What shows it: sigfwd, as if it had called
 * crosscall2, finds its own stack pointer in the register that it keeps it in. */
static void check_crosscall2(struct pseudo *p, unsigned saved_at)
{
	const uint64_t sp = PSEUDO_G0 + 0x100;
	uint64_t at, cfa;

	at = lay(p, sp, FRAMES({ "runtime.cgocallback", 0x40, 0 }));
	pseudo_put(p, at - 8, pseudo_pc(p, "crosscall2", 0x40));
	cfa = lay(p, at,
		  FRAMES({ "crosscall2", 0x40, 0 }, { "runtime.sigfwd", 0x40, 0 }));
	cfa = at + (uint64_t)pseudo_frame(p, "crosscall2") + 8;
	for (uint64_t i = 0; at + i < cfa - 8; i += 8)
		pseudo_put(p, at + i, 0x6666);
	pseudo_put(p, at + saved_at, cfa + 8); /* sigfwd aligned by 8 bytes */
	lay(p, cfa + 8,
	    FRAMES({ "runtime.sigfwd", 0x40, 0 }, { "runtime.mstart", 0x20, 0 }));
	struct walk w = walk(p, regs_at(pseudo_pc(p, "runtime.cgocallback", 0x40), sp));
	check_walk(p, &w,
		   FRAMES({ "runtime.cgocallback", 0x40, FRAME_AT_INSTRUCTION },
			  { "crosscall2", 0x40, 0 }, { "runtime.sigfwd", 0x40, 0 },
			  { "runtime.mstart", 0x20, 0 }),
		   STACK_COMPLETE, STACK_SWITCH_SCHED);
}

static void test_crosscall2(void **state)
{
	(void)state;
	/* Where RBX and R12 are, and RBP where there is no frame pointer beside. */
	AUTO(pseudo_free) struct pseudo *oldest = PSEUDO(15, funcs_1_15);
	check_crosscall2(oldest, 0x18);
	check_crosscall2(oldest, 0x28);
	check_crosscall2(oldest, 0x50);
	AUTO(pseudo_free) struct pseudo *middle = PSEUDO(19, funcs_1_17);
	check_crosscall2(middle, 0x18);
	check_crosscall2(middle, 0x20);
	check_crosscall2(middle, 0x40);
	AUTO(pseudo_free) struct pseudo *new = PSEUDO(27, funcs_1_22);
	check_crosscall2(new, 0x18);
	check_crosscall2(new, 0x20);
}

/* A call of the vDSO is made from the thread's stack: m.vdsoSP leads back. */
static void test_vdso(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *frames = FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
					       { "runtime.nanotime1", 0x40, 0 });
	p->machine->vdso_sp = PSEUDO_STACK + 0x200;
	p->machine->vdso_pc = pseudo_pc(p, "time.now", 0x40);
	struct walk w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
	check_walk(p, &w, frames, STACK_COMPLETE, STACK_SWITCH_CONTEXT);
	assert_int_equal(w.pc, p->machine->vdso_pc);
	assert_int_equal(w.sp, p->machine->vdso_sp);
	assert_false(w.at_instruction);
	/* Called on g0 itself. */
	p->machine->vdso_sp = PSEUDO_G0 + 0x400;
	lay(p, p->machine->vdso_sp,
	    FRAMES({ "time.now", 0x40, 0 }, { "runtime.mstart", 0x40, 0 }));
	w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
	check_walk(p, &w,
		   FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
			  { "runtime.nanotime1", 0x40, 0 }, { "time.now", 0x40, 0 },
			  { "runtime.mstart", 0x40, 0 }),
		   STACK_COMPLETE, STACK_SWITCH_SCHED);
}

/* The handler of a signal asks for the time where the goroutine was doing so too:
 * m.vdsoSP is of the handler's call, the goroutine's is in R12. */
static void test_vdso_in_handler(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	uint64_t sp = PSEUDO_SIGNAL + 0x100;
	uint64_t handler_sp = lay(p, sp, FRAMES({ "runtime.nanotime1", 0x40, 0 }));
	pseudo_put(p, handler_sp - 8, pseudo_pc(p, "runtime.sigtrampgo", 0x40));
	uint64_t context = lay(p, handler_sp,
			       FRAMES({ "runtime.sigtrampgo", 0x40, 0 },
				      { "runtime.sigtramp", 0x40, 0 }));
	p->machine->vdso_sp = handler_sp;
	p->machine->vdso_pc = pseudo_pc(p, "runtime.sigtrampgo", 0x40);
	/* Interrupted in what nanotime1 called on g0. */
	put_context(p, context, pseudo_pc(p, "main.f", 0x20), PSEUDO_G0 + 0x100);
	pseudo_put(p, context + 40 + 4 * 8, PSEUDO_STACK + 0x200); /* r12 */
	lay(p, PSEUDO_G0 + 0x100,
	    FRAMES({ "main.f", 0x20, 0 }, { "runtime.nanotime1", 0x80, 0 }));
	struct walk w = walk(p, regs_at(pseudo_pc(p, "runtime.nanotime1", 0x40), sp));
	assert_int_equal(w.state, STACK_LOST); /* main.f, Go, does not preserve R12 */
	assert_int_equal(w.count, 5);
	/* Interrupted in nanotime1 itself, its frame still on the goroutine's stack. */
	put_context(p, context, pseudo_pc(p, "runtime.nanotime1", 0x80),
		    PSEUDO_STACK + 0x200);
	w = walk(p, regs_at(pseudo_pc(p, "runtime.nanotime1", 0x40), sp));
	assert_int_equal(w.stack_switch, STACK_SWITCH_CONTEXT);
	assert_int_equal(w.sp, PSEUDO_STACK + 0x200);
	assert_int_equal(w.count, 3);
}

/* A Go function of that name, as 1.15 has it. */
static void test_time_now_of_go(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(15, funcs_1_15);
	const struct expected *frames =
		FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION }, { "time.now", 0x40, 0 },
		       { "runtime.mstart", 0x40, 0 });
	struct walk w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
	check_walk(p, &w, frames, STACK_COMPLETE, STACK_SWITCH_SCHED);
}

/* In the middle of the stack a function that writes SP is followed only by what it saved. */
static void test_lost(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *frames = FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
					       { "runtime.sigfwd", 0x40, 0 });
	struct walk w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
	check_walk(p, &w, frames, STACK_LOST, STACK_SWITCH_NONE);
	assert_non_null(strstr(runtimes_reason(p->all, w.reason), "switches stacks"));

	frames = FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
			{ "runtime.schedule", 0x20, 0 });
	w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
	check_walk(p, &w, frames, STACK_LOST, STACK_SWITCH_NONE);
	assert_non_null(
		strstr(runtimes_reason(p->all, w.reason), "return address is zero"));

	frames = FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION }, { "C", 0, 0 });
	lay(p, PSEUDO_G0 + 0x100, FRAMES({ "main.f", 0x20, 0 }));
	pseudo_put(p, PSEUDO_G0 + 0x100 + 0x48, C_CODE);
	w = walk(p, regs_at(pseudo_pc(p, "main.f", 0x20), PSEUDO_G0 + 0x100));
	check_walk(p, &w, frames, STACK_LOST, STACK_SWITCH_NONE);

	w = walk(p, regs_at(pseudo_pc(p, "main.f", 0x20), 0xdead0000));
	check_walk(p, &w, FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION }), STACK_LOST,
		   STACK_SWITCH_NONE);
	assert_non_null(strstr(runtimes_reason(p->all, w.reason), "cannot be read"));
}

/* asmcgocall says that it was called from lower down: the way may only lead up. */
static void test_cycle(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *frames = FRAMES({ "main.f", 0x20, FRAME_AT_INSTRUCTION },
					       { "runtime.asmcgocall", 0x40, 0 });
	uint64_t sp = PSEUDO_G0 + 0x100, at = lay(p, sp, frames) - 8;
	pseudo_put(p, at + 48, 0);
	pseudo_put(p, at + 40, sp - 0x80);
	pseudo_put(p, sp - 0x80, pseudo_pc(p, "main.f", 0x20));
	struct walk w = walk(p, regs_at(pseudo_pc(p, "main.f", 0x20), sp));
	assert_int_equal(w.state, STACK_LOST);
	assert_non_null(strstr(runtimes_reason(p->all, w.reason), "makes no progress"));
	assert_int_equal(w.count, 2);
}

/* Each read fails in turn: the frames found up to then are true ones. */
static void test_faults(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24, funcs);
	const struct expected *frames = FRAMES(
		{ "main.f", 0x20, FRAME_AT_INSTRUCTION }, { "runtime.schedule", 0x40, 0 },
		{ "runtime.newstack", 0x40, 0 }, { "runtime.mstart", 0x40, 0 });
	for (uint64_t k = 1; k < 12; k++) {
		pseudo_faults(p, k);
		struct walk w = walk_frames(p, PSEUDO_G0 + 0x100, frames);
		assert_in_range(w.count, 1, 4);
		for (size_t i = 0; i < w.count; i++)
			assert_int_equal(w.frames[i].pc, pc_of(p, &frames[i]));
		assert_int_equal(w.state, w.count == 4 ? STACK_COMPLETE : STACK_LOST);
		if (k == 1)
			assert_int_equal(w.count, 1);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scheduler),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_on_goroutine),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_sigreturn),
		cmocka_unit_test(test_signal_cycle),
		cmocka_unit_test(test_unreadable_context),
		cmocka_unit_test(test_asmcgocall),
		cmocka_unit_test(test_crosscall2),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_vdso_in_handler),
		cmocka_unit_test(test_time_now_of_go),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_faults),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
