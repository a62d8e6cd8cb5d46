/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/values_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

enum { GROUPS = 8, BATCH = 16, SCALE = 100 };

static const uint32_t counts[GROUPS] = { 1000, 400, 90, 7, 3, 1, 1, 1 };

struct play {
	uint64_t room;		  /* this and all other bytes: hundreds */
	uint64_t stack, values;	  /* bytes of a goroutine */
	unsigned values_group;	  /* whose values are of another size */
	uint64_t values_of_group; /* that one */
	unsigned measure;	  /* groups that are known beforehand */
	uint32_t given[GROUPS];	  /* result */
	uint64_t bytes;
	bool last_given; /* that of the first group */
};

static uint64_t size_of(const struct play *p, unsigned group, bool values)
{
	uint64_t bytes = group == p->values_group && p->values_of_group
				 ? p->values_of_group
				 : p->values;

	return (values ? bytes : p->stack) * SCALE;
}

static void start(const struct play *p, struct values_plan *plan)
{
	for (unsigned g = 0; g < GROUPS; g++)
		values_plan_set_count(plan, g, counts[g]);
	for (unsigned g = 0; g < p->measure; g++) {
		values_plan_measured(plan, g, false, size_of(p, g, false));
		values_plan_measured(plan, g, true, size_of(p, g, true));
	}
}

/* Goroutines of all groups in turn, in batches, as they come in a document. */
static void play(struct play *p, bool urgent_last)
{
	AUTO(values_plan_free)
	struct values_plan *plan = values_plan_new(GROUPS, p->room * SCALE);
	uint32_t left[GROUPS], n = 0;

	start(p, plan);
	if (urgent_last)
		values_plan_keep(plan, 0);
	for (unsigned g = 0; g < GROUPS; g++)
		left[g] = counts[g];
	for (bool any = true; any;) {
		any = false;
		for (unsigned g = 0; g < GROUPS; g++) {
			if (!left[g])
				continue;
			uint64_t estimated;
			if (n++ % BATCH == 0)
				values_plan_make(plan);
			left[g]--;
			bool urgent = urgent_last && g == 0 && left[g] == 0;
			bool values = values_plan_next(plan, g, urgent, &estimated);
			uint64_t bytes = size_of(p, g, values);
			if (values && bytes > estimated + values_plan_spare(plan)) {
				values = false;
				bytes = size_of(p, g, false);
			}
			p->given[g] += values;
			if (g == 0)
				p->last_given = values;
			p->bytes += bytes / SCALE;
			values_plan_written(plan, estimated, 0, bytes);
			values_plan_measured(plan, g, values, bytes);
			any = true;
		}
	}
}

static uint64_t all(uint64_t bytes)
{
	uint64_t n = 0;

	for (unsigned g = 0; g < GROUPS; g++)
		n += counts[g];
	return n * bytes;
}

static void test_all(void **state)
{
	struct play p = { .room = all(1100), .stack = 100, .values = 1000, .measure = 8 };

	(void)state;
	play(&p, false);
	for (unsigned g = 0; g < GROUPS; g++)
		assert_int_equal(p.given[g], counts[g]);
}

static void test_none(void **state)
{
	struct play p = { .room = all(100), .stack = 100, .values = 1000, .measure = 8 };

	(void)state;
	play(&p, false);
	for (unsigned g = 0; g < GROUPS; g++)
		assert_int_equal(p.given[g], 0);
}

/* Small groups as a whole, of the others as many of each. */
static void test_small_first(void **state)
{
	struct play p = {
		.room = all(100) + 120 * 900, .stack = 100, .values = 1000, .measure = 8
	};

	(void)state;
	play(&p, false);
	for (unsigned g = 3; g < GROUPS; g++)
		assert_int_equal(p.given[g], counts[g]);
	/* What was set aside in vain goes to those that are still to come. */
	for (unsigned g = 0; g < 3; g++)
		assert_in_range(p.given[g], 28, 42);
	assert_true(p.bytes <= p.room);
}

/* Not even one of each: those of the smallest groups. */
static void test_fewer_than_groups(void **state)
{
	struct play p = { .room = all(100) + all(100) / 20 + 4200,
			  .stack = 100,
			  .values = 1000,
			  .measure = 8 };

	(void)state;
	play(&p, false);
	assert_true(p.bytes <= p.room);
	assert_int_equal(p.given[5] + p.given[6] + p.given[7], 3);
	assert_in_range(p.given[0], 0, 6);
}

/* What was estimated is wrong by far, both ways. */
static void test_corrects(void **state)
{
	for (uint64_t values = 200; values <= 20000; values *= 10) {
		for (uint64_t room = all(100); room <= all(2000); room += all(150)) {
			struct play p = { .room = room,
					  .stack = 100,
					  .values = 500,
					  .values_group = 1,
					  .values_of_group = values,
					  .measure = 1 };
			(void)state;
			play(&p, false);
			assert_true(p.bytes <= p.room);
			if (room == all(100))
				continue;
			for (unsigned g = 4; g < GROUPS; g++)
				assert_int_equal(p.given[g], counts[g]);
		}
	}
}

/* Room is kept for the very last of the largest group. */
static void test_urgent(void **state)
{
	struct play p = { .room = all(105) + all(2) + 1100,
			  .stack = 100,
			  .values = 1000,
			  .measure = 8 };

	(void)state;
	for (unsigned with = 0; with <= 1; with++) {
		struct play once = p;
		play(&once, with);
		assert_int_equal(once.last_given, with);
		assert_true(once.bytes <= once.room);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_small_first),
		cmocka_unit_test(test_fewer_than_groups),
		cmocka_unit_test(test_corrects),
		cmocka_unit_test(test_urgent),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
