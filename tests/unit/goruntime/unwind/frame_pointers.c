/* SPDX-License-Identifier: Apache-2.0 */
/* The second unwinder: as a check, and where the first has no table. And what stands on a
 * stack in place of return addresses (Go 1.5 to 1.8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/frames/verify.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/lookup.h"
#include "goruntime/symtab/pclntab.h"
#include "goruntime/unwind/unwind_go.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum {
	SP = PSEUDO_STACK + 0x1000,
	FRAMES_MAX = 8,
	TEXT_SIZE = 0x1000,
	G = PSEUDO_FREE + 0x100,
	BARRIERS = PSEUDO_FREE + 0x400,
};

static const struct pseudo_func funcs[] = {
	{ "runtime.text", 0, 0 },	  { "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "main.main", 0x28, 0 },	  { "main.f", 0x48, 0 },
	{ "main.frameless", 0, 0 },	  { "main.assembly", 0x30, PCLNTAB_ASM },
	{ "runtime.gopark", 0x18, 0 },	  { "racecall", -1, 0 },
	{ "runtime.stackBarrier", 0, 0 },
};

/* A stack of the goroutine with id 7 in pseudo memory, innermost first. */
struct stacked {
	struct pseudo *p;
	uint8_t text[TEXT_SIZE];
	struct goroutine *g;
	const char *names[FRAMES_MAX];
	uint64_t cfa[FRAMES_MAX];
	size_t count;
};

static bool keeps_frame_pointer(const struct stacked *s, size_t i)
{
	return strcmp(s->names[i], "racecall") == 0 ||
	       (pseudo_frame(s->p, s->names[i]) > 0 &&
		strcmp(s->names[i], "main.assembly") != 0);
}

/* Where the frame pointer of frame i and of those inside it points; 0: none any more. */
static uint64_t pointer_from(const struct stacked *s, size_t i)
{
	while (i < s->count && !keeps_frame_pointer(s, i))
		i++;
	return i < s->count ? s->cfa[i] - 16 : 0;
}

static uint64_t pc_in(const struct stacked *s, size_t i)
{
	return pseudo_pc(s->p, s->names[i],
			 strcmp(s->names[i], "runtime.goexit") == 0 ? 1 : 0x40);
}

/* Behind every pc that a frame here has there is a call. */
static void begin(struct stacked *s, int minor, const char *const *names, size_t n)
{
	uint64_t sp = SP;

	*s = (struct stacked){ .p = pseudo_new(minor, funcs, ARRAY_SIZE(funcs)) };
	for (s->count = 0; s->count < n; s->count++) {
		int32_t size = pseudo_frame(s->p, names[s->count]);
		s->names[s->count] = names[s->count];
		sp += (uint64_t)(size < 0 ? 0x20 : size) + 8;
		s->cfa[s->count] = sp;
		s->text[pc_in(s, s->count) - 5 - PSEUDO_TEXT] = 0xe8;
	}
	for (size_t i = 0; i + 1 < n; i++) {
		pseudo_put(s->p, s->cfa[i] - 8, pc_in(s, i + 1));
		if (keeps_frame_pointer(s, i))
			pseudo_put(s->p, s->cfa[i] - 16, pointer_from(s, i + 1));
	}
	pseudo_map(s->p, PSEUDO_TEXT, s->text, sizeof(s->text));
	s->g = s->p->rt->goroutines = xcalloc(1, sizeof(*s->g));
	s->p->rt->goroutine_count = 1;
	*s->g = (struct goroutine){
		.id = 7,
		.addr = G,
		.pc = pc_in(s, 0),
		.sp = SP,
		.stack_low = PSEUDO_STACK,
		.stack_high = PSEUDO_STACK + PSEUDO_STACK_SIZE,
		.thread = -1,
		.stack = NO_STACK,
	};
	goroutine_set_frame_pointer(s->g, true, pointer_from(s, 0));
}

#define BEGIN(s, ...)                                                                    \
	begin(s, 24, (const char *const[]){ __VA_ARGS__ },                               \
	      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static struct verification verify(struct stacked *s)
{
	struct verification v;

	unwind_goroutine(s->p->rt, s->g, NULL);
	runtimes_verify(s->p->all, &v);
	assert_int_equal(v.goroutines, 1);
	return v;
}

static void test_agreed(void **state)
{
	struct stacked s;
	(void)state;
	BEGIN(&s, "runtime.gopark", "main.f", "main.frameless", "main.assembly",
	      "main.main", "runtime.goexit");
	struct verification v = verify(&s);
	assert_int_equal(v.frames, 5);
	assert_int_equal(v.agreed, 3);
	assert_int_equal(v.inconclusive[INCONCLUSIVE_FRAMELESS], 1);
	assert_int_equal(v.inconclusive[INCONCLUSIVE_ASSEMBLY], 1);
	assert_int_equal(v.disagreements, 0);
	pseudo_free(s.p);
}

static void check_caught(struct stacked *s, const char *function, uint64_t ours,
			 const char *theirs)
{
	char part[160];
	struct verification v = verify(s);

	assert_int_equal(v.disagreements, 1);
	assert_int_equal(warnings_count(s->p->warnings), 1);
	assert_string_equal(warnings_where(s->p->warnings, 0), "goroutine 7");
	snprintf(part, sizeof(part), "(%s): pclntab gives return address 0x%lx", function,
		 ours);
	assert_non_null(strstr(warnings_what(s->p->warnings, 0), part));
	assert_non_null(strstr(warnings_what(s->p->warnings, 0), theirs));
	pseudo_free(s->p);
}

/* A stack that is wrong on purpose: each mistake is told once. */
static void test_caught(void **state)
{
	struct stacked s;
	char theirs[32];
	(void)state;
	/* main.f's frame pointer skips main.f. */
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	pseudo_put(s.p, s.cfa[0] - 16, s.cfa[2] - 16);
	snprintf(theirs, sizeof(theirs), "gives 0x%lx", pc_in(&s, 3));
	check_caught(&s, "main.f", pc_in(&s, 2), theirs);
	/* It leads nowhere. */
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	pseudo_put(s.p, s.cfa[0] - 16, 0x666);
	check_caught(&s, "main.f", pc_in(&s, 2), "gives none");
	/* The scheduler's is wrong. */
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	goroutine_set_frame_pointer(s.g, true, s.cfa[0] - 8);
	check_caught(&s, "runtime.gopark", pc_in(&s, 1), "gives 0x");
	/* The chain ends early. */
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	goroutine_set_frame_pointer(s.g, true, 0);
	check_caught(&s, "runtime.gopark", pc_in(&s, 1), "gives none");
}

static void test_inconclusive(void **state)
{
	struct stacked s;
	(void)state;
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	goroutine_set_frame_pointer(s.g, false, 0);
	struct verification v = verify(&s);
	assert_int_equal(v.inconclusive[INCONCLUSIVE_NO_FRAME_POINTER], 1);
	assert_int_equal(v.agreed, 2);
	pseudo_free(s.p);
	BEGIN(&s, "main.f", "main.main", "runtime.goexit");
	s.g->at_instruction = true;
	goroutine_set_frame_pointer(s.g, true, pointer_from(&s, 1));
	v = verify(&s);
	assert_int_equal(v.inconclusive[INCONCLUSIVE_INTERRUPTED], 1);
	assert_int_equal(v.agreed, 1);
	pseudo_free(s.p);
	BEGIN(&s, "main.f", "main.main", "runtime.goexit");
	s.g->stack_moves = true;
	pseudo_put(s.p, s.cfa[0] - 16, 0xc000123450); /* of the old stack */
	v = verify(&s);
	assert_int_equal(v.inconclusive[INCONCLUSIVE_COPYING], 1);
	assert_int_equal(v.disagreements, 0);
	pseudo_free(s.p);
	/* That is no excuse for one that leads elsewhere in the stack. */
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	s.g->stack_moves = true;
	pseudo_put(s.p, s.cfa[0] - 16, s.cfa[2] - 16);
	v = verify(&s);
	assert_int_equal(v.inconclusive[INCONCLUSIVE_COPYING], 0);
	assert_int_equal(v.disagreements, 1);
	pseudo_free(s.p);
}

/* What a record can keep: near the stack pointer, a little below it, none, elsewhere. */
static void test_kept(void **state)
{
	struct goroutine g = { .sp = SP,
			       .stack_low = PSEUDO_STACK,
			       .stack_high = PSEUDO_STACK + PSEUDO_STACK_SIZE };
	const uint64_t kept[] = { 0, SP - 16, SP - 8, SP, SP + 8, g.stack_high - 8 };
	const uint64_t not_kept[] = { SP - 24, SP + 4, g.stack_high, 1, UINT64_MAX };
	uint64_t fp;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		goroutine_set_frame_pointer(&g, true, kept[i]);
		assert_true(goroutine_frame_pointer(&g, &fp));
		assert_int_equal(fp, kept[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(not_kept); i++) {
		goroutine_set_frame_pointer(&g, true, not_kept[i]);
		assert_true(goroutine_frame_pointer(&g, &fp));
		assert_int_equal(fp, g.stack_high);
	}
	g.stack_high += 1 << 20;
	goroutine_set_frame_pointer(&g, true, SP + (1 << 20));
	assert_false(goroutine_frame_pointer(&g, &fp));
	goroutine_set_frame_pointer(&g, false, 0);
	assert_false(goroutine_frame_pointer(&g, &fp));
}

static void check_frames(struct stacked *s, size_t n, size_t by_pointer,
			 enum stack_state state)
{
	unwind_goroutine(s->p->rt, s->g, NULL);
	struct stack stack = runtimes_stack(s->p->all, s->g->stack);
	assert_int_equal(stack.count, n);
	assert_int_equal(s->g->state, state);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(stack.frames[i].flags & FRAME_BY_POINTER,
				 i == by_pointer ? FRAME_BY_POINTER : 0);
	pseudo_free(s->p);
}

/* Foreign code, and a pc in nobody's: in the middle and innermost. */
static void test_fallback(void **state)
{
	struct stacked s;
	(void)state;
	BEGIN(&s, "main.f", "racecall", "main.main", "runtime.goexit");
	check_frames(&s, 4, 2, STACK_COMPLETE);
	BEGIN(&s, "racecall", "main.main", "runtime.goexit");
	check_frames(&s, 3, 1, STACK_COMPLETE);
	BEGIN(&s, "main.f", "racecall", "main.main", "runtime.goexit");
	pseudo_put(s.p, s.cfa[0] - 8, 0x6660);
	check_frames(&s, 4, 2, STACK_COMPLETE);
	BEGIN(&s, "racecall", "main.main", "runtime.goexit");
	s.g->pc = 0x6660;
	check_frames(&s, 3, 1, STACK_COMPLETE);
}

static void test_not_believed(void **state)
{
	struct stacked s;
	(void)state;
	/* No call before the return address; it is in no Go function; no frame pointer; one
	 * that does not lead on. */
	BEGIN(&s, "main.f", "racecall", "main.main", "runtime.goexit");
	s.text[pc_in(&s, 2) - 5 - PSEUDO_TEXT] = 0x90;
	check_frames(&s, 2, 9, STACK_LOST);
	BEGIN(&s, "main.f", "racecall", "main.main", "runtime.goexit");
	pseudo_put(s.p, s.cfa[1] - 8, 0x6660);
	check_frames(&s, 2, 9, STACK_LOST);
	BEGIN(&s, "racecall", "main.main", "runtime.goexit");
	goroutine_set_frame_pointer(s.g, false, 0);
	check_frames(&s, 1, 9, STACK_LOST);
	BEGIN(&s, "main.f", "racecall", "main.main", "runtime.goexit");
	pseudo_put(s.p, s.cfa[0] - 16, SP);
	check_frames(&s, 2, 9, STACK_LOST);
}

static void put_barrier(struct stacked *s, size_t i, uint64_t place, size_t frame)
{
	pseudo_put(s->p, BARRIERS + i * 16, place);
	pseudo_put(s->p, BARRIERS + i * 16 + 8, pc_in(s, frame + 1));
	pseudo_put(s->p, s->cfa[frame] - 8, pseudo_pc(s->p, "runtime.stackBarrier", 0));
}

/* The struct g of Go 1.5 to 1.8 has the list; the first ones have been hit already. */
static void with_barriers(struct stacked *s, uint64_t first, uint64_t n)
{
	struct layout *l = &s->p->rt->layout;

	l->slot[L_g_stkbar] = (struct slot){ 0x80, 24 };
	l->slot[L_g_stkbar_pos] = (struct slot){ 0x98, 8 };
	pseudo_put(s->p, G + 0x80, BARRIERS);
	pseudo_put(s->p, G + 0x88, n);
	pseudo_put(s->p, G + 0x90, n);
	pseudo_put(s->p, G + 0x98, first);
}

static void test_barriers(void **state)
{
	struct stacked s;
	(void)state;
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	put_barrier(&s, 0, s.cfa[2] - 8, 0); /* hit: its place is another's by now */
	put_barrier(&s, 1, s.cfa[0] - 8, 0);
	put_barrier(&s, 2, s.cfa[2] - 8, 2);
	with_barriers(&s, 1, 3);
	check_frames(&s, 4, 9, STACK_COMPLETE);
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	put_barrier(&s, 0, s.cfa[1] - 8, 1);
	with_barriers(&s, 1, 1);
	check_frames(&s, 2, 9, STACK_LOST);
	BEGIN(&s, "runtime.gopark", "main.f", "main.main", "runtime.goexit");
	put_barrier(&s, 0, s.cfa[1] - 8, 1); /* and no list */
	check_frames(&s, 2, 9, STACK_LOST);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreed),	     cmocka_unit_test(test_caught),
		cmocka_unit_test(test_inconclusive), cmocka_unit_test(test_kept),
		cmocka_unit_test(test_fallback),     cmocka_unit_test(test_not_believed),
		cmocka_unit_test(test_barriers),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
