/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/limit.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/lib/target_faulty.h"
#include "tests/unit/unit.h"

static const char low[] = "0123456789abcdef", high[] = "ABCDEFGH";

static struct target *two_parts(void)
{
	const struct target_bytes_part parts[] = {
		{ 0x2000, high, 8, "/high", false },
		{ 0x1ff0, low, 16, NULL, true },
	};
	return target_bytes_new(parts, ARRAY_SIZE(parts));
}

static void test_read(void **state)
{
	AUTO(target_close) struct target *t = two_parts();
	struct err err;
	char buf[32] = "";
	uint64_t word;
	(void)state;
	assert_true(target_read(t, 0x1ffe, buf, 4, &err));
	assert_memory_equal(buf, "efAB", 4);
	assert_false(target_read(t, 0x2004, buf, 5, &err));
	assert_int_equal(err.code, ERR_FAULT);
	assert_string_equal(err.text, "no readable memory at 0x2008");
	assert_memory_equal(buf, "efAB", 4); /* all or none */
	/* Letters are no address. */
	assert_false(target_read(t, 0x6867666564636261, buf, 5, &err));
	assert_int_equal(err.code, ERR_FAULT);
	assert_string_equal(err.text, "no readable memory there");
	assert_true(target_read(t, 0, buf, 0, &err));
	assert_false(target_read(t, UINT64_MAX, buf, 2, &err));
	assert_int_equal(err.code, ERR_FAULT);
	assert_false(target_read(t, 0x2000, buf, LIMIT_READ_BYTES + 1, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_true(target_read_uint(t, 0x2000, 3, &word, &err));
	assert_int_equal(word, 0x434241);
	assert_true(target_read_uint(t, 0x2000, 8, &word, &err));
	assert_int_equal(word, 0x4847464544434241);
	assert_false(target_read_uint(t, 0x2000, 9, &word, &err));
	assert_false(target_read_uint(t, 0x2000, 0, &word, &err));
}

static void test_read_many(void **state)
{
	AUTO(target_close) struct target *t = two_parts();
	char buf[3][4];
	struct target_span spans[] = {
		{ 0x2000, buf[0], 4, true },
		{ 0x2006, buf[1], 4, true },
		{ 0x1ff0, buf[2], 4, false },
	};
	(void)state;
	target_read_many(t, spans, 3);
	assert_true(spans[0].done && !spans[1].done && spans[2].done);
	assert_memory_equal(buf[2], "0123", 4);
}

static void test_mappings(void **state)
{
	AUTO(target_close) struct target *t = two_parts();
	size_t n;
	const struct target_mapping *maps = target_mappings(t, &n);
	(void)state;
	assert_int_equal(n, 2);
	assert_int_equal(maps[0].start, 0x1ff0);
	assert_ptr_equal(target_mapping_at(t, 0x1ff0), &maps[0]);
	assert_ptr_equal(target_mapping_at(t, 0x2000), &maps[1]);
	assert_null(target_mapping_at(t, 0x2008));
	assert_null(target_mapping_at(t, 0x1fef));
	target_set_mappings(t, NULL, 0);
	assert_null(target_mapping_at(t, 0x2000));
}

static void test_budget(void **state)
{
	AUTO(target_close) struct target *t = two_parts();
	struct err err;
	char c;
	struct target_span span = { 0x2000, &c, 1, false };
	(void)state;
	assert_true(target_spend(t, LIMIT_BUDGET_UNIT, &err));
	assert_false(target_read(t, 0x2000, &c, 1, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	target_read_many(t, &span, 1);
	assert_false(span.done);
	target_budget_unit(t);
	assert_true(target_read(t, 0x2000, &c, 1, &err));
	assert_false(target_spend(t, LIMIT_BUDGET_RUN, &err));
	target_budget_unit(t);
	assert_false(target_read(t, 0x2000, &c, 1, &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

static void test_faulty(void **state)
{
	AUTO(target_close) struct target *inner = two_parts();
	AUTO(target_close) struct target *t = target_faulty_new(inner);
	struct err err;
	char c;
	(void)state;
	for (int i = 1; i <= 3; i++)
		assert_true(target_read(t, 0x2000, &c, 1, &err));
	target_faulty_set(t, 2, false);
	for (int i = 1; i <= 5; i++)
		assert_int_equal(target_read(t, 0x2000, &c, 1, &err), i != 2);
	target_faulty_set(t, 3, true);
	for (int i = 1; i <= 9; i++)
		assert_int_equal(target_read(t, 0x2000, &c, 1, &err), i % 3 != 0);
	assert_int_equal(target_faulty_reads(t), 9);
	assert_non_null(target_mapping_at(t, 0x2000));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	 cmocka_unit_test(test_read_many),
		cmocka_unit_test(test_mappings), cmocka_unit_test(test_budget),
		cmocka_unit_test(test_faulty),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
