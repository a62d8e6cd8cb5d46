/* SPDX-License-Identifier: Apache-2.0 */
/* Since when goroutines wait, by the times of collections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/analysis/ages.h"
#include "tests/unit/unit.h"

#define SECOND (UINT64_C(1000) * 1000 * 1000)
#define PAUSE (SECOND / 1000)
#define NOT_KNOWN UINT64_MAX

static struct ages ages;

/* A collection that ended at that second, and stopped the world for a millisecond. */
static void ended(unsigned second)
{
	ages_add_collection(&ages, second * SECOND - PAUSE, second * SECOND);
}

/* The time that marking gives a goroutine, of that collection. */
static uint64_t waitsince(unsigned second)
{
	return second * SECOND - PAUSE / 2;
}

static int done(void **state)
{
	(void)state;
	ages_done(&ages);
	return 0;
}

static void nothing_is_known_of_no_collection(void **state)
{
	(void)state;
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, SECOND), NOT_KNOWN);
}

static void the_next_collection_has_met_it(void **state)
{
	(void)state;
	for (unsigned second = 40; second >= 10; second -= 10)
		ended(second);
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, waitsince(10)), 20 * SECOND);
	assert_int_equal(ages_began(&ages, waitsince(30)), 40 * SECOND);
	/* Marking goes on: it began to wait at any time until now. */
	assert_int_equal(ages_began(&ages, waitsince(40)), NOT_KNOWN);
}

static void no_marking_has_begun_after_the_last(void **state)
{
	(void)state;
	ended(10);
	ended(20);
	ages_add_collection(&ages, UINT64_MAX, 20 * SECOND);
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, waitsince(10)), 20 * SECOND);
	assert_int_equal(ages_began(&ages, waitsince(20)), 20 * SECOND);
	/* Where two times contradict each other, the later one holds. */
	assert_int_equal(ages_began(&ages, 20 * SECOND + 1), 20 * SECOND + 1);
}

static void older_collections_than_are_kept(void **state)
{
	(void)state;
	for (unsigned second = 100; second < 355; second++)
		ended(second);
	ages_sort(&ages);
	/* The runtime keeps one more, so the clock was set. */
	assert_int_equal(ages_began(&ages, waitsince(3)), NOT_KNOWN);
	ended(355);
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, waitsince(3)), 100 * SECOND);
}

static void what_others_wait_since_is_of_a_collection(void **state)
{
	(void)state;
	ages_add_waitsince(&ages, waitsince(50));
	ages_add_waitsince(&ages, waitsince(10));
	ages_add_waitsince(&ages, waitsince(20));
	ages_add_waitsince(&ages, waitsince(20));
	ended(100);
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, waitsince(10)), waitsince(20));
	assert_int_equal(ages_began(&ages, waitsince(20)), waitsince(50));
	assert_int_equal(ages_began(&ages, waitsince(50)), 100 * SECOND);
}

static void pauses_that_overlap(void **state)
{
	(void)state;
	/* The first is longer than the time between both. */
	ages_add_collection(&ages, 5 * SECOND, 30 * SECOND);
	ages_add_collection(&ages, 10 * SECOND, 20 * SECOND);
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, 5 * SECOND), 20 * SECOND);
	assert_int_equal(ages_began(&ages, 10 * SECOND), NOT_KNOWN);
}

/* All that was noted before seems to be 60 s earlier or later than it was. */
static void the_clock_was_set(void **state)
{
	(void)state;
	for (unsigned second = 100; second <= 130; second += 10)
		ended(second - 60);
	ended(140);
	ages_add_collection(&ages, UINT64_MAX, 140 * SECOND);
	ages_add_waitsince(&ages, waitsince(110));
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, waitsince(100)), waitsince(110));
	assert_int_equal(ages_began(&ages, waitsince(130)), NOT_KNOWN);
	assert_int_equal(ages_began(&ages, waitsince(140)), 140 * SECOND);
}

static void the_clocks_differ_a_little(void **state)
{
	(void)state;
	ended(10);
	ended(20);
	ages_sort(&ages);
	assert_int_equal(ages_began(&ages, 10 * SECOND + SECOND / 10), 20 * SECOND);
	assert_int_equal(ages_began(&ages, 10 * SECOND + SECOND / 10 + 1), NOT_KNOWN);
	/* It may be of the first one, which is not to follow itself. */
	assert_int_equal(ages_began(&ages, 10 * SECOND - 5 * PAUSE), 20 * SECOND);
	assert_int_equal(ages_began(&ages, 10 * SECOND - PAUSE - SECOND / 10),
			 20 * SECOND);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nothing_is_known_of_no_collection, done),
		cmocka_unit_test_teardown(the_next_collection_has_met_it, done),
		cmocka_unit_test_teardown(no_marking_has_begun_after_the_last, done),
		cmocka_unit_test_teardown(older_collections_than_are_kept, done),
		cmocka_unit_test_teardown(what_others_wait_since_is_of_a_collection,
					  done),
		cmocka_unit_test_teardown(pauses_that_overlap, done),
		cmocka_unit_test_teardown(the_clock_was_set, done),
		cmocka_unit_test_teardown(the_clocks_differ_a_little, done),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
