/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "tests/unit/unit.h"

enum { MANY = 50000 };

static void test_same(void **state)
{
	const struct raw_frame a[] = { { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } };
	const struct raw_frame current[] = { { 1, FRAME_AT_INSTRUCTION, 0 },
					     { 2, 0, 0 },
					     { 3, 0, 0 } };
	const struct raw_frame larger[] = { { 1, 0, 0 }, { 2, 0, 8 }, { 3, 0, 0 } };
	const struct raw_frame order[] = { { 2, 0, 0 }, { 1, 0, 0 }, { 3, 0, 0 } };
	AUTO(stacks_free) struct stacks *s = stacks_new();
	(void)state;
	uint32_t id = stacks_intern(s, a, 3);
	assert_int_equal(stacks_intern(s, a, 3), id);
	assert_int_equal(stacks_count(s), 1);
	assert_int_equal(stacks_frames(s), 3);
	assert_int_not_equal(stacks_intern(s, a, 2), id);
	assert_int_not_equal(stacks_intern(s, current, 3), id);
	assert_int_not_equal(stacks_intern(s, order, 3), id);
	assert_int_not_equal(stacks_intern(s, larger, 3), id);
	assert_int_equal(stacks_count(s), 5);
	assert_int_equal(stacks_get(s, id).count, 3);
	assert_memory_equal(stacks_get(s, id).frames, a, sizeof(a));
}

static void test_empty(void **state)
{
	AUTO(stacks_free) struct stacks *s = stacks_new();
	(void)state;
	uint32_t id = stacks_intern(s, NULL, 0);
	assert_int_equal(stacks_intern(s, NULL, 0), id);
	assert_int_equal(stacks_get(s, id).count, 0);
	stacks_free(NULL);
}

static struct raw_frame *stack_of(struct raw_frame *frames, uint32_t i)
{
	for (uint32_t j = 0; j < 4; j++)
		frames[j] = (struct raw_frame){ i >> (8 * j) & 0xff, 0, 0 };
	return frames;
}

/* Past several growths each is still found, and is what it was. */
static void test_many(void **state)
{
	AUTO(stacks_free) struct stacks *s = stacks_new();
	struct raw_frame frames[4];
	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(stacks_intern(s, stack_of(frames, i), 4), i);
	assert_int_equal(stacks_count(s), MANY);
	for (uint32_t i = 0; i < MANY; i += 7)
		assert_memory_equal(stacks_get(s, i).frames, stack_of(frames, i),
				    sizeof(frames));
}

/* Program counters and places of arguments that undo each other's bits: a hash that joins
 * them by XOR is the same for all these stacks. */
static void test_chosen(void **state)
{
	enum { FRAMES = 15, SECONDS_MAX = 1 };
	AUTO(stacks_free) struct stacks *s = stacks_new();
	const clock_t begin = clock();
	(void)state;
	for (uint32_t i = 0; i < 1 << FRAMES; i++) {
		struct raw_frame frames[FRAMES];
		for (uint32_t j = 0; j < FRAMES; j++) {
			const uint32_t bit = i >> j & 1;
			frames[j] = (struct raw_frame){ (uint64_t)bit << 24, 0, bit };
		}
		assert_int_equal(stacks_intern(s, frames, FRAMES), i);
	}
	assert_true(clock() - begin < SECONDS_MAX * CLOCKS_PER_SEC);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_chosen),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
