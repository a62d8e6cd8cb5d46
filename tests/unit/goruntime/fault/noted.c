/* SPDX-License-Identifier: Apache-2.0 */
/* Is there a snapshot of a panic already? And stacks that are mostly a cycle of calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/fault/fault_priv.h"
#include "lib/base/limit.h"
#include "lib/target/memory_set.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum {
	G = PSEUDO_FREE + 0x1000,
	PANIC = PSEUDO_FREE + 0x2000,
	NOTED = PSEUDO_FREE + 0x3000,
	SP = PSEUDO_STACK + 0x100,
	ARGUMENT = 0x40, /* of gopanic, from sp */
	WORDS = 4,	 /* of a panic that is noted */
};

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "runtime.gopanic", 0x40, 0 },
	{ "runtime.fatalpanic", 0x20, 0 },
	{ "runtime.deferCall", 0x20, 0 },
	{ "main.use", 0x40, 0 },
	{ "main.main", 0x40, 0 },
	{ "runtime.text", 0, 0 },
};

static struct pseudo *subject(void)
{
	struct pseudo *p = pseudo_new(25, funcs, ARRAY_SIZE(funcs));
	struct runtime *rt = p->rt;
	struct extra_list *l = &rt->extra_lists.kinds[EXTRA_PANIC];

	rt->goroutines = xcalloc(1, sizeof(*rt->goroutines));
	rt->order = xcalloc(1, sizeof(*rt->order));
	rt->goroutine_count = 1;
	rt->goroutines[0] =
		(struct goroutine){ .id = 7,
				    .addr = G,
				    .sp = SP,
				    .stack_low = PSEUDO_STACK,
				    .stack_high = PSEUDO_STACK + PSEUDO_STACK_SIZE };
	GROW(l->list, l->count, l->cap);
	l->list[l->count++] = (struct extra){ G, PANIC };
	pseudo_put(p, SP + ARGUMENT, PSEUDO_TYPES + 0x100);
	pseudo_put(p, SP + ARGUMENT + 8, 5);
	runtimes_set_noted(p->all, NOTED);
	return p;
}

/* A goroutine in gopanic, called at line, which has called inner. */
static void put_stack(struct pseudo *p, const char *inner, uint64_t line)
{
	const struct raw_frame frames[] = {
		{ pseudo_pc(p, inner, 0x10), 0, 0x20 },
		{ pseudo_pc(p, "runtime.gopanic", 0x40), 0, ARGUMENT },
		{ pseudo_pc(p, "main.use", line), 0, 0x80 },
		{ pseudo_pc(p, "main.main", 0x40), 0, 0xc0 },
	};

	p->rt->goroutines[0].stack =
		stacks_intern(p->all->stacks, frames, ARRAY_SIZE(frames));
}

static struct fault identify(struct pseudo *p, enum fault_kind kind)
{
	struct fault ret = { .kind = kind,
			     .runtime = p->rt,
			     .goroutine = &p->rt->goroutines[0] };

	fault_capture_noted(p->all);
	fault_identify(p->all, &ret);
	return ret;
}

static void note(struct pseudo *p, size_t at, const uint64_t words[WORDS])
{
	for (size_t i = 0; i < WORDS; i++)
		pseudo_put(p, NOTED + (at * WORDS + i) * 8, words[i]);
}

static void test_identity(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	put_stack(p, "runtime.fatalpanic", 0x40);
	const struct fault fault = identify(p, FAULT_PANIC);
	assert_int_equal(fault.identity.goroutine, 7);
	assert_int_equal(fault.identity.value[0], PSEUDO_TYPES + 0x100);
	assert_int_equal(fault.identity.value[1], 5);
	assert_false(fault.noted);
	assert_int_equal(identify(p, FAULT_FATAL_ERROR).identity.goroutine, 0);
	/* The calls below the panic do not tell panics apart; the stack of its caller does. */
	put_stack(p, "runtime.deferCall", 0x40);
	assert_int_equal(identify(p, FAULT_PANIC).identity.calls, fault.identity.calls);
	put_stack(p, "runtime.fatalpanic", 0x41);
	assert_int_not_equal(identify(p, FAULT_PANIC).identity.calls,
			     fault.identity.calls);
	/* A nil value may be any. */
	pseudo_put(p, SP + ARGUMENT, 0);
	assert_int_equal(identify(p, FAULT_PANIC).identity.goroutine, 0);
	p->rt->goroutines[0].stack = NO_STACK;
	assert_int_equal(identify(p, FAULT_PANIC).identity.goroutine, 0);
}

static void test_noted(void **state)
{
	static const size_t places[] = { 0, NOTED_PANICS - 1 };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	put_stack(p, "runtime.fatalpanic", 0x40);
	const struct fault fault = identify(p, FAULT_PANIC);
	uint64_t words[WORDS];
	memcpy(words, &fault.identity, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		note(p, places[i], words);
		assert_true(identify(p, FAULT_PANIC).noted);
		for (size_t j = 0; j < WORDS; j++) {
			const uint64_t word = words[j];
			words[j] = NOTED_ANY;
			note(p, places[i], words);
			assert_true(identify(p, FAULT_PANIC).noted);
			words[j] = word + 1;
			note(p, places[i], words);
			assert_false(identify(p, FAULT_PANIC).noted);
			words[j] = word;
		}
	}
	note(p, NOTED_PANICS, words); /* that is beyond the end */
	assert_false(identify(p, FAULT_PANIC).noted);
	note(p, 3, words);
	assert_true(identify(p, FAULT_PANIC).noted);
	/* Nothing is noted, or it cannot be read. */
	runtimes_set_noted(p->all, 8);
	assert_false(identify(p, FAULT_PANIC).noted);
	runtimes_set_noted(p->all, 0);
	assert_false(identify(p, FAULT_PANIC).noted);
}

/* count frames: three, then main.use and main.main in turn, then two. */
static struct fault fold(struct pseudo *p, uint32_t count)
{
	AUTO(xfree) struct raw_frame *frames = xcalloc(count, sizeof(*frames));
	struct fault ret = { .runtime = p->rt, .goroutine = &p->rt->goroutines[0] };

	for (uint32_t i = 0; i < count; i++) {
		const bool is_end = i < 3 || i >= count - 2;
		const char *name = is_end	? "runtime.goexit"
				   : i % 2 == 0 ? "main.use"
						: "main.main";
		frames[i] = (struct raw_frame){
			pseudo_pc(p, name, is_end ? 4 + i % 200 : 0x40), 0, i * 8
		};
	}
	p->rt->goroutines[0].stack = stacks_intern(p->all->stacks, frames, count);
	p->all->fold = (struct stack_fold){ 0 };
	fault_fold(p->all, &ret);
	return ret;
}

static uint32_t frames_left(const struct pseudo *p)
{
	return runtimes_stack(p->all, p->rt->goroutines[0].stack).count;
}

static void test_folded(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	fold(p, 1005);
	assert_int_equal(frames_left(p), 7);
	assert_int_equal(p->all->fold.times, 499);
	assert_int_equal(p->all->fold.first, 3);
	assert_int_equal(p->all->fold.last, 4);
	assert_int_equal(p->all->fold.stack, p->rt->goroutines[0].stack);
	const struct stack left = runtimes_stack(p->all, p->all->fold.stack);
	assert_int_equal(left.frames[2].argp, 16);
	assert_int_equal(left.frames[4].argp, 32);
	assert_int_equal(left.frames[5].argp, 1003 * 8);
	assert_int_equal(left.frames[6].argp, 1004 * 8);
	/* A round that is not whole stays. */
	fold(p, 1006);
	assert_int_equal(frames_left(p), 8);
	assert_int_equal(p->all->fold.times, 499);
	/* Shorter stacks are left alone. */
	fold(p, 999);
	assert_int_equal(frames_left(p), 999);
	assert_int_equal(p->all->fold.times, 0);
	fold(p, 1000);
	assert_true(frames_left(p) < 1000);
}

enum { ROUNDS = 5, LAST = 16 };

/* More frames than are unwound, and as many rounds on the stack as there are still. */
static void fold_endless(struct pseudo *p, uint64_t rounds)
{
	AUTO(xfree) struct raw_frame *frames = xcalloc(LIMIT_FRAMES, sizeof(*frames));
	struct fault fault = { .runtime = p->rt, .goroutine = &p->rt->goroutines[0] };

	for (uint32_t i = 0; i < LIMIT_FRAMES; i++) {
		const char *name = i % 2 ? "main.main" : "main.use";
		frames[i] = (struct raw_frame){ pseudo_pc(p, name, i < 3 ? 4 + i : 0x40),
						0, 8 * (i < LAST ? i : LAST) };
	}
	for (uint64_t i = 0; i < rounds; i++) {
		pseudo_put(p, SP + 8 * (LAST + 2 * i - 1), frames[5].pc);
		pseudo_put(p, SP + 8 * (LAST + 2 * i), frames[6].pc);
	}
	p->rt->goroutines[0].stack = stacks_intern(p->all->stacks, frames, LIMIT_FRAMES);
	fault_fold(p->all, &fault);
}

static void test_rounds(void **state)
{
	(void)state;
	for (uint64_t rounds = 0; rounds < ROUNDS; rounds += ROUNDS - 1) {
		AUTO(pseudo_free) struct pseudo *p = subject();
		fold_endless(p, rounds);
		assert_int_equal(p->all->fold.first, 3);
		assert_int_equal(p->all->fold.last, 4);
		assert_int_equal(p->all->fold.times, (LIMIT_FRAMES - 5) / 2 + rounds);
	}
}

/* A folded stack is not recorded for the core file. Recording resumes behind it. */
static void test_recorded(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	AUTO(memory_set_free) struct memory_set *set = memory_set_new();
	target_record(p->target, (struct target_record){ .read = set });
	fold(p, LIMIT_FRAMES);
	assert_int_equal(p->all->fold.first, 3);
	assert_ptr_equal(target_record(p->target, (struct target_record){ 0 }).read, set);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity), cmocka_unit_test(test_noted),
		cmocka_unit_test(test_folded),	 cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_rounds),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
