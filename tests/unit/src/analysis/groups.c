/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines with the same stack, the most first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/src/analysis/scene.h"
#include "tests/unit/unit.h"

/* stack NO_STACK: it has none. */
static void add(uint32_t stack, size_t runtime)
{
	const uint32_t i = scene_add();

	scene.goroutines[i].record.stack = stack;
	scene.goroutines[i].runtime = runtime;
}

static void expect(const struct groups *g, size_t i, const struct group *expected)
{
	assert_true(i < g->count);
	assert_int_equal(g->list[i].stack, expected->stack);
	assert_int_equal(g->list[i].runtime, expected->runtime);
	assert_int_equal(g->list[i].first, expected->first);
	assert_int_equal(g->list[i].count, expected->count);
}

static void expect_members(const struct groups *g, const uint32_t *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(g->members[i], members[i]);
	for (uint32_t i = 0; i < g->count; i++)
		for (uint32_t m = 0; m < g->list[i].count; m++) {
			struct goroutine_of it = runtimes_goroutine(
				NULL, g->members[g->list[i].first + m]);
			assert_int_equal(groups_of(g, it), i);
		}
}

/* The most first, then the lowest stack, then the first runtime. */
static void test_order(void **state)
{
	static const struct group expected[] = {
		{ 5, 0, 0, 3 }, { 3, 0, 3, 2 }, { 3, 1, 5, 2 },
		{ 7, 0, 7, 2 }, { 0, 0, 9, 1 }, { 9, 1, 10, 1 },
	};
	static const uint32_t members[] = { 2, 5, 11, 4, 7, 3, 8, 1, 10, 0, 6 };
	struct groups g;

	(void)state;
	scene_begin();
	scene.runtimes = 2;
	add(0, 0);
	add(7, 0);
	add(5, 0);
	add(3, 1);
	add(3, 0);
	add(5, 0);
	add(9, 1);
	add(3, 0);
	add(3, 1);
	add(NO_STACK, 0);
	add(7, 0);
	add(5, 0);
	groups_init(&g, NULL, scene_everybody, NULL);
	assert_int_equal(g.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		expect(&g, i, &expected[i]);
	expect_members(&g, members, ARRAY_SIZE(members));
	groups_done(&g);
}

static void test_filter(void **state)
{
	static const struct group expected = { 1, 0, 0, 1 };
	static const uint32_t members[] = { 1 };
	struct groups g;

	(void)state;
	scene_begin();
	add(0, 0);
	add(1, 0);
	add(0, 0);
	groups_init(&g, NULL, scene_not_first_stack, NULL);
	assert_int_equal(g.count, 1);
	expect(&g, 0, &expected);
	expect_members(&g, members, 1);
	groups_done(&g);
}

static void test_none(void **state)
{
	struct groups g;

	(void)state;
	scene_begin();
	groups_init(&g, NULL, scene_everybody, NULL);
	assert_int_equal(g.count, 0);
	groups_done(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_none),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
