/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds a lock, when something speaks against it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/src/analysis/scene.h"
#include "tests/unit/unit.h"

enum { LOCK = 0x1000, OTHER = 0x2000 };

/* What the code of a goroutine says of LOCK. */
enum {
	PASSED_IT = 1,
	ALWAYS = 2, /* it was passed on every way */
	SURELY = 4, /* it is unlocked ahead */
	HAS_IT = PASSED_IT | SURELY,
};

/* By certainty. */
static const char letters[] = "-pc";

static uint32_t add_one(unsigned says)
{
	const uint32_t i = scene_add();

	if (says & PASSED_IT)
		scene_says(i, OPERATION_LOCK, says & ALWAYS ? PASSED_SURELY : PASSED,
			   LOCK);
	if (says & SURELY)
		scene_says(i, OPERATION_UNLOCK, AHEAD_SURELY, LOCK);
	return i;
}

static char certainty_of(const struct wait_graph *w, uint32_t goroutine)
{
	const struct partner *p = scene_partner(w, LOCK, goroutine);

	return letters[p ? p->certainty : CERTAINTY_UNKNOWN];
}

/* What speaks against it makes it less certain, or takes it away. */
static void test_doubts(void **state)
{
	static const struct {
		unsigned says;
		struct operation_doubt doubt;
		char expected;
	} all[] = {
		{ HAS_IT, { .some = true }, 'p' },
		{ SURELY, { .some = true }, 'p' },
		{ PASSED_IT | ALWAYS, { .some = true }, '-' },
		{ HAS_IT, { .some = true, .strong = true }, '-' },
		{ SURELY, { .some = true, .strong = true }, '-' },
		{ HAS_IT, { .some = true, .started = true }, 'p' },
		{ PASSED_IT | ALWAYS, { .some = true, .started = true }, '-' },
	};
	struct wait_graph w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		scene_begin();
		scene_waiter(WAIT_MUTEX, LOCK);
		const uint32_t one = add_one(all[i].says);
		scene.goroutines[one].doubt = all[i].doubt;
		scene_look(&w);
		assert_int_equal(certainty_of(&w, one), all[i].expected);
		wait_graph_done(&w);
	}
}

enum by_another { STARTED = 1, LOCKED_BEFORE = 2, ON_CONDITION = 4, READING = 8 };

/* A goroutine that has not locked LOCK has unlocked it, and will lock it. */
static uint32_t add_other(unsigned how, uint32_t starter)
{
	const bool reads = how & READING;
	const enum operation unlock = reads ? OPERATION_READ_UNLOCK : OPERATION_UNLOCK;
	const struct operation_at gave = { .operation = unlock,
					   .when = PASSED_SURELY,
					   .addr = LOCK,
					   .pc = 1,
					   .is_of_others = true };
	const struct operation_at locked = { .operation = OPERATION_LOCK,
					     .when = PASSED_SURELY,
					     .addr = LOCK,
					     .pc = 1,
					     .frame = 1 };
	const uint32_t i =
		how & ON_CONDITION ? scene_waiter(WAIT_COND, OTHER) : scene_add();

	scene_says_at(i, &gave);
	scene_says(i, reads ? OPERATION_READ_LOCK : OPERATION_LOCK, AHEAD_SURELY, LOCK);
	if (how & LOCKED_BEFORE)
		scene_says_at(i, &locked);
	if (how & STARTED)
		scene.goroutines[i].started_by = scene.goroutines[starter].record.id;
	return i;
}

/* Another goroutine has unlocked what it has not locked. */
static void test_given_by_another(void **state)
{
	static const struct {
		unsigned how;
		char first, second;
	} all[] = {
		{ STARTED, '-', 'c' },
		{ 0, '-', '-' },
		{ LOCKED_BEFORE, '-', '-' },
		{ READING, '-', '-' },
	};
	struct wait_graph w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		scene_begin();
		scene_waiter(WAIT_MUTEX, LOCK);
		const uint32_t first = add_one(HAS_IT);
		const uint32_t second = add_one(HAS_IT);
		add_other(all[i].how, first);
		scene_look(&w);
		assert_int_equal(certainty_of(&w, first), all[i].first);
		assert_int_equal(certainty_of(&w, second), all[i].second);
		wait_graph_done(&w);
	}
}

/* Of one claim. */
static void test_given_by_another_alone(void **state)
{
	static const struct {
		unsigned how;
		char expected;
	} all[] = { { STARTED, '-' },
		    { 0, 'p' },
		    { LOCKED_BEFORE, 'c' },
		    { ON_CONDITION, 'c' },
		    { READING, 'c' } };
	struct wait_graph w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		scene_begin();
		scene_waiter(WAIT_RWMUTEX, LOCK);
		const uint32_t one = add_one(HAS_IT);
		add_other(all[i].how, one);
		scene_look(&w);
		assert_int_equal(certainty_of(&w, one), all[i].expected);
		wait_graph_done(&w);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_given_by_another),
		cmocka_unit_test(test_given_by_another_alone),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
