/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as people read them, asked for while others are still being given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "goruntime/frames/frames.h"
#include "goruntime/frames/frames_priv.h"
#include "goruntime/frames/loop_bodies.h"
#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

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
			frames[k] = (struct raw_frame){ pc_of(p, i, k),
							FRAME_AT_INSTRUCTION, i };
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

static void test_loop_bodies(void **state)
{
	static const struct {
		const char *function;
		uint32_t range_parent;
	} stack[] = {
		{ "main.f-range1", 3 },
		{ NULL, 0 },
		{ "main.f-range1-range2", 1 },
		{ "main.f", 0 },
		{ "main.f-range12", 3 },
		{ "main.f1", 0 },
		{ "main.F-range1", 0 },
		{ "main.f", 0 },
		{ "main.f-range1", 0 },
		{ "main.f-range", 0 },
		{ "main.g-range1", 2 },
		{ "main.g-range1", 1 },
		{ "main.g", 0 },
		{ "main.g.func2-range1", 2 },
		{ "main.g.func", 0 },
		{ "main.g.func2", 0 },
		{ "-range1", 0 },
		{ "", 0 },
	};
	const char *functions[ARRAY_SIZE(stack)];
	uint32_t range_parent[ARRAY_SIZE(stack)];
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stack); i++)
		functions[i] = stack[i].function;
	loop_bodies_join(functions, ARRAY_SIZE(stack), range_parent);
	for (size_t i = 0; i < ARRAY_SIZE(stack); i++)
		assert_int_equal(range_parent[i], stack[i].range_parent);
}

/* Of one function, with as many names, and as many calls of it. */
static void test_names_of_loop_bodies(void **state)
{
	enum { MANY = LIMIT_FRAMES / 2, NAME_BYTES = 32 };
	AUTO(xfree) char(*names)[NAME_BYTES] = xcalloc(MANY, sizeof(*names));
	AUTO(xfree) const char **functions = xcalloc(2 * MANY, sizeof(*functions));
	AUTO(xfree) uint32_t *range_parent = xcalloc(2 * MANY, sizeof(*range_parent));
	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], NAME_BYTES, "main.f-range%zu", i);
		functions[i] = names[i];
		functions[MANY + i] = "main.f";
	}
	loop_bodies_join(functions, 2 * MANY, range_parent);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(range_parent[i], MANY - i);
		assert_int_equal(range_parent[MANY + i], 0);
	}
}

/* Of the whole stack, for as many deferred calls as goroutines may have. */
static void test_numbers(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(27, funcs, ARRAY_SIZE(funcs));
	AUTO(xfree) struct raw_frame *frames = xcalloc(LIMIT_FRAMES, sizeof(*frames));
	(void)state;
	for (size_t i = 0; i < LIMIT_FRAMES; i++)
		frames[i] = (struct raw_frame){ pc_of(p, 0, 0), FRAME_AT_INSTRUCTION, 0 };
	const uint32_t id = stacks_intern(p->all->stacks, frames, LIMIT_FRAMES);
	for (size_t i = 0; i < 8 * LIMIT_FRAMES; i++) {
		const int32_t n = (int32_t)(i % LIMIT_FRAMES);
		assert_int_equal(frame_number(p->all, id, n), n);
	}
}

struct counting {
	size_t count, bodies;
};

static void count_body(void *arg, const struct code_frame *f)
{
	struct counting *c = arg;

	c->count++;
	c->bodies += f->range_parent == LIMIT_FRAMES - c->count;
}

/* Stacks of nothing but bodies of loops, of whose function there is no call, or the outermost. */
static void test_many_loop_bodies(void **state)
{
	enum { MANY = 16 };
	static const struct pseudo_func loops[] = { { "runtime.goexit", 0, 0 },
						    { "main.f-range1", 16, 0 },
						    { "main.f", 16, 0 } };
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(27, loops, ARRAY_SIZE(loops));
	AUTO(xfree) struct raw_frame *frames = xcalloc(LIMIT_FRAMES, sizeof(*frames));
	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		struct counting c = { 0 };
		for (size_t k = 0; k < LIMIT_FRAMES; k++)
			frames[k] =
				(struct raw_frame){ pseudo_pc(p, loops[1].name, 8 + i),
						    FRAME_AT_INSTRUCTION, i };
		if (i % 2)
			frames[LIMIT_FRAMES - 1].pc = pseudo_pc(p, "main.f", 8);
		const uint32_t id = stacks_intern(p->all->stacks, frames, LIMIT_FRAMES);
		runtimes_each_frame(p->all, id, count_body, &c);
		assert_int_equal(c.count, LIMIT_FRAMES);
		assert_int_equal(c.bodies, i % 2 ? LIMIT_FRAMES : 1);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_stacks),
		cmocka_unit_test(test_of_goroutine),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_loop_bodies),
		cmocka_unit_test(test_names_of_loop_bodies),
		cmocka_unit_test(test_many_loop_bodies),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
