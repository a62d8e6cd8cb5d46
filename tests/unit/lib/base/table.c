/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "tests/unit/unit.h"

static void empty(void **state)
{
	struct table t = { .slots = NULL };
	size_t at = 0;
	(void)state;
	assert_int_equal(table_get(&t, 0, 0), 0);
	assert_int_equal(table_next(&t, &at), 0);
	table_clear(&t);
	table_free(&t);
}

static void one_key(void **state)
{
	struct table t = { .slots = NULL };
	(void)state;
	table_set(&t, 0, 0, 7);
	assert_int_equal(table_get(&t, 0, 0), 7);
	assert_int_equal(table_get(&t, 0, 1), 0);
	assert_int_equal(table_get(&t, 1, 0), 0);
	table_set(&t, 0, 0, 8);
	assert_int_equal(table_get(&t, 0, 0), 8);
	assert_int_equal(t.count, 1);
	assert_false(table_add(&t, 0, 0));
	assert_int_equal(table_get(&t, 0, 0), 8);
	assert_true(table_add(&t, 0, 1));
	table_clear(&t);
	assert_int_equal(table_get(&t, 0, 0), 0);
	assert_true(table_add(&t, 0, 0));
	table_free(&t);
}

/* Keys that differ in few bits, high or low, as addresses of pages do. */
static void many_keys(void **state)
{
	enum { KEYS = 20000 };
	static const unsigned shifts[] = { 0, 12, 40 };
	(void)state;
	for (size_t s = 0; s < sizeof(shifts) / sizeof(*shifts); s++) {
		struct table t = { .slots = NULL };
		uint64_t sum = 0, value;
		size_t at = 0, n = 0;
		for (uint64_t i = 1; i <= KEYS; i++)
			table_set(&t, i << shifts[s], i % 3, i);
		for (uint64_t i = 1; i <= KEYS; i++)
			assert_int_equal(table_get(&t, i << shifts[s], i % 3), i);
		for (uint64_t i = 1; i <= KEYS; i++)
			assert_int_equal(table_get(&t, i << shifts[s], 3), 0);
		for (; (value = table_next(&t, &at)); n++)
			sum += value;
		assert_int_equal(n, KEYS);
		assert_int_equal(t.count, KEYS);
		assert_int_equal(sum, (uint64_t)KEYS * (KEYS + 1) / 2);
		table_free(&t);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(one_key),
		cmocka_unit_test(many_keys),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
