/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/symtab/pclntab.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum { TOP = PCLNTAB_TOPFRAME, SPW = PCLNTAB_SPWRITE };

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, TOP },
	{ "main.main", 0x28, 0 },
	{ "main.f", 0x48, 0 },
	{ "main.leaf", 0, 0 },
	{ "runtime.gopark", 0x18, 0 },
	{ "runtime.systemstack_switch", 0, 0 },
	{ "runtime.systemstack", 0, SPW },
	{ "runtime.morestack", 0, SPW },
	{ "runtime.sigpanic", 0x20, 0 },
	{ "runtime.asyncPreempt", 0x80, 0 },
	{ "runtime.debugCallV2", 0x88, 0 },
	{ "runtime.gogo", 0, SPW },
	{ "runtime.cgocallbackg", 0x30, 0 },
	{ "runtime.cgocallback", 0x20, SPW },
	{ "runtime.cgocall", 0x18, 0 },
	{ "runtime.fatalpanic", 0x18, 0 },
	{ "runtime.asmcgocall", 0, SPW },
	{ "crosscall2", 0x48, 0 },
	{ "runtime.mstart", 0, TOP },
	{ "time.now", 0x20, 0 },
	{ "racecall", -1, 0 },
};

/* A frame: the function and how far into it; the flags that the walk gives it. */
struct expected {
	const char *name;
	uint64_t off;
	uint32_t flags;
};

#define FRAMES(...) ((const struct expected[]){ __VA_ARGS__, { NULL, 0, 0 } })

static struct goroutine goroutine_at(struct pseudo *p, uint64_t sp, const char *name,
				     uint64_t off)
{
	return (struct goroutine){
		.id = 7,
		.pc = name ? pseudo_pc(p, name, off) : 0,
		.sp = sp,
		.stack_low = PSEUDO_STACK,
		.stack_high = PSEUDO_STACK + PSEUDO_STACK_SIZE,
		.thread = -1,
		.stack = NO_STACK,
	};
}

/* Up to and with the return address. In the first instructions of a function there is no
 * frame yet. */
static uint64_t frame_bytes(const struct pseudo *p, const struct expected *frame)
{
	return (frame->off < 4 ? 0 : (uint64_t)pseudo_frame(p, frame->name)) + 8;
}

/* Writes the return addresses of these frames. Returns the stack pointer behind them. */
static uint64_t lay(struct pseudo *p, uint64_t sp, const struct expected *frames)
{
	for (; frames->name; frames++) {
		sp += frame_bytes(p, frames);
		if (frames[1].name)
			pseudo_put(p, sp - 8,
				   pseudo_pc(p, frames[1].name, frames[1].off));
	}
	return sp;
}

static void check_stack(struct pseudo *p, const struct goroutine *g,
			const struct expected *frames, enum stack_state state)
{
	struct stack s = runtimes_stack(p->all, g->stack);
	uint64_t sp = g->sp + (g->pc == 0 ? 8 : 0);
	uint32_t n = 0;

	for (; frames[n].name; n++) {
		assert_true(n < s.count);
		assert_int_equal(s.frames[n].pc,
				 pseudo_pc(p, frames[n].name, frames[n].off));
		assert_int_equal(s.frames[n].flags, frames[n].flags);
		if (frames[n].flags & FRAME_SYSTEM_STACK)
			assert_int_equal(goroutine_argp(g, &s.frames[n]), 0);
		else if (pseudo_frame(p, frames[n].name) >= 0)
			assert_int_equal(goroutine_argp(g, &s.frames[n]),
					 sp += frame_bytes(p, &frames[n]));
		else
			assert_int_equal(s.frames[n].argp, NO_ARGP);
	}
	assert_int_equal(s.count, n);
	assert_int_equal(g->state, state);
}

static void check_reason(struct pseudo *p, const struct goroutine *g, const char *part)
{
	assert_non_null(strstr(runtimes_reason(p->all, g->reason), part));
}

/* Lays the frames out, unwinds from the first, compares. */
static void round_trip(struct pseudo *p, const struct expected *frames,
		       bool at_instruction, enum stack_state state)
{
	struct goroutine g =
		goroutine_at(p, PSEUDO_STACK + 0x1000, frames[0].name, frames[0].off);

	lay(p, g.sp, frames);
	g.at_instruction = at_instruction;
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, state);
}

#define PSEUDO(minor) pseudo_new(minor, funcs, ARRAY_SIZE(funcs))

static const int minors[] = { 15, 19, 21, 27 };

static void test_plain(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		AUTO(pseudo_free) struct pseudo *p = PSEUDO(minors[i]);
		round_trip(p,
			   FRAMES({ "runtime.gopark", 0x40, 0 }, { "main.f", 0x20, 0 },
				  { "main.leaf", 0x20, 0 }, { "main.main", 0x80, 0 },
				  { "runtime.goexit", 1, 0 }),
			   false, STACK_COMPLETE);
	}
}

/* Never run: the pc is the entry, goexit's address on top of the stack. Interrupted in a
 * prologue: no frame yet. */
static void test_no_frame_yet(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	round_trip(p, FRAMES({ "main.f", 0, 0 }, { "runtime.goexit", 1, 0 }), false,
		   STACK_COMPLETE);
	round_trip(p,
		   FRAMES({ "main.f", 3, FRAME_AT_INSTRUCTION }, { "main.main", 0x80, 0 },
			  { "runtime.goexit", 1, 0 }),
		   true, STACK_COMPLETE);
}

static void test_injected_calls(void **state)
{
	static const char *const names[] = { "runtime.sigpanic", "runtime.asyncPreempt",
					     "runtime.debugCallV2" };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		round_trip(p,
			   FRAMES({ "runtime.gopark", 0x40, 0 }, { names[i], 0x20, 0 },
				  { "main.f", 0x80, FRAME_AT_INSTRUCTION },
				  { "main.main", 0x80, 0 }, { "runtime.goexit", 1, 0 }),
			   false, STACK_COMPLETE);
}

static void see_line(void *arg, const struct code_frame *f)
{
	unsigned **line = arg;
	*(*line)++ = f->line;
}

/* At 0x80 another line begins: a call that returns there was made on the line before. */
static void test_lines(void **state)
{
	unsigned lines[8] = { 0 }, *at = lines;
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames = FRAMES(
		{ "runtime.sigpanic", 0x20, 0 }, { "main.f", 0x80, FRAME_AT_INSTRUCTION },
		{ "main.main", 0x80, 0 }, { "runtime.goexit", 1, 0 });
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "runtime.sigpanic", 0x20);
	lay(p, g.sp, frames);
	unwind_goroutine(p->rt, &g, NULL);
	runtimes_each_frame(p->all, g.stack, see_line, &at);
	assert_int_equal(at - lines, 4);
	assert_int_equal(lines[1], 20);
	assert_int_equal(lines[2], 10);
}

static void test_nil_call(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	struct goroutine g = goroutine_at(p, PSEUDO_STACK + 0x100, NULL, 0);
	const struct expected *frames =
		FRAMES({ "main.f", 0x80, 0 }, { "runtime.goexit", 1, 0 });
	pseudo_put(p, g.sp, pseudo_pc(p, "main.f", 0x80));
	lay(p, g.sp + 8, frames);
	g.at_instruction = true;
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_COMPLETE);
}

/* systemstack_switch, where g.sched says that a goroutine on the system stack is; a
 * function that writes SP is followed only when it is innermost. */
static void test_switches(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	round_trip(p,
		   FRAMES({ "runtime.systemstack_switch", 0, 0 },
			  { "main.main", 0x80, 0 }, { "runtime.goexit", 1, 0 }),
		   false, STACK_COMPLETE);
	round_trip(p,
		   FRAMES({ "runtime.morestack", 0x10, FRAME_AT_INSTRUCTION },
			  { "main.f", 3, 0 }, { "main.main", 0x80, 0 },
			  { "runtime.goexit", 1, 0 }),
		   true, STACK_COMPLETE);
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "main.f", 0x20);
	const struct expected *frames =
		FRAMES({ "main.f", 0x20, 0 }, { "runtime.gogo", 0x20, 0 });
	lay(p, g.sp, frames);
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_LOST);
	check_reason(p, &g, "switches stacks");
}

/* Go to C to Go: the frame of cgocallback is followed although it writes SP. */
static void test_cgocallback(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	round_trip(p,
		   FRAMES({ "main.f", 0x20, 0 }, { "runtime.cgocallbackg", 0x20, 0 },
			  { "runtime.cgocallback", 0x20, 0 },
			  { "runtime.systemstack_switch", 0, 0 },
			  { "runtime.cgocall", 0x20, 0 }, { "main.main", 0x80, 0 },
			  { "runtime.goexit", 1, 0 }),
		   false, STACK_COMPLETE);
}

/* The frames of C are put where they belong: between cgocallback and what called C. */
/* The stacks of a callback: C has called back into Go from crosscall2. */
static struct goroutine lay_callback(struct pseudo *p, const struct expected *go)
{
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, go[0].name, go[0].off);

	lay(p, g.sp, go);
	p->machine->g0_sched_sp = PSEUDO_G0 + 0x100;
	uint64_t sp =
		lay(p, p->machine->g0_sched_sp,
		    FRAMES({ "runtime.cgocallback", 0x20, 0 }, { "crosscall2", 0x20, 0 },
			   { "runtime.asmcgocall", 0x20, 0 }));
	pseudo_put(p, p->machine->g0_sched_sp, 0); /* no older callback */
	pseudo_put(p, sp - 8 + 48, 0x1234);	   /* the g that asmcgocall came from */
	return g;
}

/* Functions whose code is calls, for those that have a return address here. */
static void map_calls(struct pseudo *p)
{
	static uint8_t code[PSEUDO_FUNC_SIZE * 64];

	memset(code, 0xe8, sizeof(code));
	pseudo_map_code(p, PSEUDO_TEXT, code, sizeof(code));
}

static void test_frames_of_c(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames =
		FRAMES({ "runtime.cgocallback", 0x20, 0 },
		       { "crosscall2", 0x20, FRAME_SYSTEM_STACK },
		       { "runtime.asmcgocall", 0x20, FRAME_SYSTEM_STACK },
		       { "runtime.systemstack_switch", 0, 0 }, { "main.main", 0x80, 0 },
		       { "runtime.goexit", 1, 0 });
	const struct expected *go =
		FRAMES({ "runtime.cgocallback", 0x20, 0 },
		       { "runtime.systemstack_switch", 0, 0 }, { "main.main", 0x80, 0 },
		       { "runtime.goexit", 1, 0 });
	struct goroutine g = lay_callback(p, go);
	/* What is behind no call is no return address. */
	unwind_goroutine(p->rt, &g, p->machine);
	check_stack(p, &g, go, STACK_COMPLETE);
	assert_int_equal(warnings_count(p->warnings), 1);
	map_calls(p);
	unwind_goroutine(p->rt, &g, p->machine);
	check_stack(p, &g, frames, STACK_COMPLETE);
	assert_int_equal(warnings_count(p->warnings), 1);
}

/* A panic that ends the program has set g0.sched.sp back. */
static void test_frames_of_c_overwritten(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *go = FRAMES(
		{ "runtime.fatalpanic", 0x20, 0 }, { "runtime.cgocallback", 0x20, 0 },
		{ "runtime.systemstack_switch", 0, 0 }, { "main.main", 0x80, 0 },
		{ "runtime.goexit", 1, 0 });
	struct goroutine g = lay_callback(p, go);
	map_calls(p);
	unwind_goroutine(p->rt, &g, p->machine);
	check_stack(p, &g, go, STACK_COMPLETE);
	assert_int_equal(warnings_count(p->warnings), 1);
	assert_non_null(strstr(warnings_what(p->warnings, 0), "has overwritten"));
}

static void test_frames_of_c_unreadable(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames =
		FRAMES({ "runtime.cgocallback", 0x20, 0 }, { "main.main", 0x80, 0 },
		       { "runtime.goexit", 1, 0 });
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "runtime.cgocallback", 0x20);
	lay(p, g.sp, frames);
	p->machine->g0_sched_sp = 0xdead0000; /* nowhere */
	unwind_goroutine(p->rt, &g, p->machine);
	check_stack(p, &g, frames, STACK_COMPLETE);
	assert_int_equal(warnings_count(p->warnings), 1);
	assert_string_equal(warnings_where(p->warnings, 0), "goroutine 7");
}

/* 1.15 has no flags; its time.now is a function like any other. */
static void test_no_flags(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(15);
	round_trip(p,
		   FRAMES({ "runtime.gopark", 0x40, 0 }, { "time.now", 0x40, 0 },
			  { "main.main", 0x40, 0 }, { "runtime.goexit", 1, 0 }),
		   false, STACK_COMPLETE);
}

static void test_zero_return(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames =
		FRAMES({ "main.f", 0x20, 0 }, { "main.main", 0x20, 0 });
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "main.f", 0x20);
	lay(p, g.sp, frames);
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_LOST);
	check_reason(p, &g, "return address is zero");
}

static void test_unknown_pc(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames = FRAMES({ "main.f", 0x20, 0 });
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "main.f", 0x20);
	pseudo_put(p, lay(p, g.sp, frames) - 8, 0x666);
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_LOST);
	check_reason(p, &g, "0x666 is not in a Go function");
	/* Letters are no address. */
	pseudo_put(p, lay(p, g.sp, frames) - 8, 0x6867666564636261);
	unwind_goroutine(p->rt, &g, NULL);
	check_reason(p, &g, "invalid return address");
}

/* Foreign code in Go's text: its frame is there, what called it is not known. */
static void test_foreign(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames = FRAMES({ "racecall", 0x20, 0 });
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "racecall", 0x20);
	pseudo_put(p, g.sp, pseudo_pc(p, "main.f", 0x20));
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_LOST);
	check_reason(p, &g, "no frame size");
}

static void test_bounds(void **state)
{
	const uint64_t low = PSEUDO_STACK, high = PSEUDO_STACK + PSEUDO_STACK_SIZE;
	const struct {
		uint64_t low, high, sp;
	} cases[] = {
		{ low, high, low - 8 }, { low, high, high + 8 },     { low, high, 0 },
		{ high, low, low + 8 }, { low, low + 4, low },	     { 0, 0, 0 },
		{ low, high, ~0UL },	{ low, high, 0x7fffffff00 },
	};
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct goroutine g = goroutine_at(p, cases[i].sp, "main.f", 0x20);
		g.stack_low = cases[i].low;
		g.stack_high = cases[i].high;
		unwind_goroutine(p->rt, &g, NULL);
		assert_int_equal(runtimes_stack(p->all, g.stack).count, 0);
		assert_int_equal(g.state, STACK_LOST);
		check_reason(p, &g, "outside its stack");
	}
	/* The frame begins inside and ends outside. */
	const struct expected *frames = FRAMES({ "main.f", 0x20, 0 });
	struct goroutine g = goroutine_at(p, high - 0x40, "main.f", 0x20);
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_LOST);
	check_reason(p, &g, "outside the stack");
	/* A nil call at the very end. */
	g = goroutine_at(p, high, NULL, 0);
	unwind_goroutine(p->rt, &g, NULL);
	assert_int_equal(g.state, STACK_LOST);
	/* Bounds that memory does not have. */
	g = goroutine_at(p, high - 0x40, "main.f", 0x20);
	g.stack_high = UINT64_MAX;
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_LOST);
	check_reason(p, &g, "cannot be read");
}

/* The last frame of the stack is near its end: the words read ahead must not matter. */
static void test_end_of_stack(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames =
		FRAMES({ "main.f", 0x20, 0 }, { "runtime.goexit", 1, 0 });
	struct goroutine g =
		goroutine_at(p, PSEUDO_STACK + PSEUDO_STACK_SIZE - 0x50, "main.f", 0x20);
	lay(p, g.sp, frames);
	unwind_goroutine(p->rt, &g, NULL);
	check_stack(p, &g, frames, STACK_COMPLETE);
}

/* More frames than one read holds, and more than we are ready to take. */
static void test_deep(void **state)
{
	enum { DEPTH = PSEUDO_STACK_SIZE / 8 - 1 };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "main.leaf", 0x20);
	for (uint64_t i = 0; i < DEPTH; i++)
		pseudo_put(p, g.sp + i * 8, pseudo_pc(p, "main.leaf", 0x20));
	pseudo_put(p, g.sp + DEPTH * 8, pseudo_pc(p, "runtime.goexit", 1));
	unwind_goroutine(p->rt, &g, NULL);
	assert_int_equal(g.state, STACK_COMPLETE);
	assert_int_equal(runtimes_stack(p->all, g.stack).count, DEPTH + 2);

	size_t len = (LIMIT_FRAMES + 10) * 8;
	uint64_t *words = xcalloc(LIMIT_FRAMES + 10, 8), at = 0x50000000;
	for (size_t i = 0; i < LIMIT_FRAMES + 10; i++)
		words[i] = pseudo_pc(p, "main.leaf", 0x20);
	pseudo_map(p, at, words, len);
	g = goroutine_at(p, at, "main.leaf", 0x20);
	g.stack_low = at;
	g.stack_high = at + len;
	unwind_goroutine(p->rt, &g, NULL);
	assert_int_equal(g.state, STACK_TRUNCATED);
	assert_int_equal(runtimes_stack(p->all, g.stack).count, LIMIT_FRAMES);
	check_reason(p, &g, "131072 frames");
	xfree(words);
}

/* Each read fails once: the stack is then whole, or lost with its reason and a true
 * beginning. */
static void test_faults(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	const struct expected *frames =
		FRAMES({ "main.f", 0x20, 0 }, { "main.main", 0x80, 0 },
		       { "runtime.goexit", 1, 0 });
	for (uint64_t k = 1; k < 6; k++) {
		struct goroutine g = goroutine_at(p, PSEUDO_STACK, "main.f", 0x20);
		lay(p, g.sp, frames);
		pseudo_faults(p, k);
		unwind_goroutine(p->rt, &g, NULL);
		struct stack s = runtimes_stack(p->all, g.stack);
		if (k == 1) {
			assert_int_equal(g.state, STACK_LOST);
			check_reason(p, &g, "made to fail");
			assert_int_equal(s.count, 1);
		} else {
			check_stack(p, &g, frames, STACK_COMPLETE);
		}
	}
}

static void test_bad_context(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = PSEUDO(24);
	struct goroutine g = goroutine_at(p, PSEUDO_STACK, "main.f", 0x20);
	g.bad_context = true;
	g.reason = reason_add(p->rt, "elsewhere");
	unwind_goroutine(p->rt, &g, NULL);
	assert_int_equal(g.state, STACK_LOST);
	assert_int_equal(runtimes_stack(p->all, g.stack).count, 0);
	check_reason(p, &g, "elsewhere");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_no_frame_yet),
		cmocka_unit_test(test_injected_calls),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_nil_call),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_cgocallback),
		cmocka_unit_test(test_frames_of_c),
		cmocka_unit_test(test_frames_of_c_overwritten),
		cmocka_unit_test(test_frames_of_c_unreadable),
		cmocka_unit_test(test_no_flags),
		cmocka_unit_test(test_zero_return),
		cmocka_unit_test(test_unknown_pc),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_end_of_stack),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_bad_context),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
