/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as people read them, asked for while others are still being given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pseudo.h"

enum {
	STACKS = 2100, /* more than are kept */
	FRAMES = 100,
	DEPTH = 3, /* of callbacks that ask for other stacks */
};

static const struct pseudo_func funcs[] = { { "runtime.goexit", 0, 0 },
					    { "main.f", 16, 0 } };

/* Frame k of stack i. */
static uint64_t pc_of(const struct pseudo *p, uint32_t stack, uint32_t frame)
{
	return pseudo_pc(p, "main.f", 8 + (stack * 7 + frame) % 113);
}

static void add_stacks(struct pseudo *p)
{
	struct raw_frame frames[FRAMES];

	for (uint32_t i = 0; i < STACKS; i++) {
		for (uint32_t k = 0; k < FRAMES; k++)
			frames[k] = (struct raw_frame){ pc_of(p, i, k), FRAME_EXACT, i };
		assert_int_equal(stacks_intern(p->all->stacks, frames, FRAMES), i);
	}
}

struct looking {
	struct pseudo *p;
	uint32_t stack, next;
	unsigned depth;
};

static void look_at(struct pseudo *p, uint32_t stack, unsigned depth);

static void look(void *arg, const struct code_frame *f)
{
	struct looking *l = arg;

	assert_int_equal(f->pc, pc_of(l->p, l->stack, l->next++));
	assert_string_equal(f->function, "main.f");
	/* One that is kept where this one is, and others, until all are dropped. */
	if (l->next % 10 == 1 && l->depth < DEPTH)
		look_at(l->p, (l->stack + 1024 + l->next / 20) % STACKS, l->depth + 1);
}

static void look_at(struct pseudo *p, uint32_t stack, unsigned depth)
{
	struct looking l = { .p = p, .stack = stack, .depth = depth };

	runtimes_each_frame(p->all, stack, look, &l);
	assert_int_equal(l.next, FRAMES);
}

static void test_other_stacks(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(27, funcs, ARRAY_SIZE(funcs));
	(void)state;
	add_stacks(p);
	for (uint32_t i = 0; i < STACKS; i++)
		look_at(p, i, i % 50 ? DEPTH : 0);
}

/* As above, of goroutines with their words. */
static void look_with_words(void *arg, const struct code_frame *f)
{
	struct looking *l = arg;

	assert_int_equal(f->pc, pc_of(l->p, l->stack, l->next++));
	look_at(l->p, (l->stack + 1024) % STACKS, DEPTH);
}

static void test_of_goroutine(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(27, funcs, ARRAY_SIZE(funcs));
	(void)state;
	add_stacks(p);
	for (uint32_t i = 0; i < STACKS; i += 100) {
		const struct goroutine g = { .stack = i,
					     .sp = PSEUDO_STACK,
					     .thread = -1 };
		struct looking l = { .p = p, .stack = i };
		runtimes_each_frame_of(p->all, &g, VARIABLES_OF_NONE, look_with_words,
				       &l);
		assert_int_equal(l.next, FRAMES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_stacks),
		cmocka_unit_test(test_of_goroutine),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
