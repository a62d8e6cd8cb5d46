/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/target_extents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/lib/target_faulty.h"
#include "tests/unit/unit.h"

enum { PAGE = 4096, PAGES = 64 };
#define BASE UINT64_C(0x10000)

static uint8_t memory[PAGES * PAGE], beyond[2 * PAGE];

static struct target *live(void)
{
	const struct target_bytes_part parts[] = {
		{ BASE, memory, sizeof(memory), NULL, false },
		{ BASE + sizeof(memory) + 4 * PAGE, beyond, sizeof(beyond), NULL, false },
	};

	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)(i * 7 + i / PAGE);
	return target_bytes_new(parts, ARRAY_SIZE(parts));
}

static bool same(struct target *t, uint64_t addr, size_t len)
{
	AUTO(xfree) uint8_t *buf = xmalloc(len);
	struct err err;

	return target_read(t, addr, buf, len, &err) &&
	       !memcmp(buf, memory + (addr - BASE), len);
}

static void test_read_through(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	struct err err;
	uint8_t byte;
	(void)state;
	assert_true(same(t, BASE + 3 * PAGE + 100, 2 * PAGE));
	assert_int_equal(target_extents_bytes(t), 3 * PAGE);
	/* What is kept does not follow the process. */
	target_extents_seal(t);
	memory[3 * PAGE + 200] ^= 0xff;
	assert_true(target_read(t, BASE + 3 * PAGE + 200, &byte, 1, &err));
	assert_int_equal(byte, memory[3 * PAGE + 200] ^ 0xff);
	memory[3 * PAGE + 200] ^= 0xff;
	assert_true(same(t, BASE + 3 * PAGE, 3 * PAGE));
	assert_false(target_read(t, BASE + 5 * PAGE + 4000, &memory[0], 100, &err));
	assert_int_equal(err.code, ERR_MISSED);
	assert_string_equal(err.text, "0x16000 was not captured");
	assert_int_equal(target_missed(t), 1);
	assert_false(target_read(t, BASE, &byte, 1, &err));
	assert_int_equal(target_missed(t), 2);
	target_forget_missed(t, 1);
	assert_int_equal(target_missed(t), 1);
}

/* Pages in the order of the first read, once each, whether they are kept or dropped; not what
 * was added, and not what is not there. */
static void test_record(void **state)
{
	static const uint64_t pages[] = { 7, 8, 2, 30 };
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	struct extent_range added = { BASE + 20 * PAGE, PAGE };
	size_t n;
	(void)state;

	assert_true(same(t, BASE + 3 * PAGE, 10));
	target_extents_record(t);
	target_extents_add(t, &added, 1, NULL);
	assert_true(same(t, BASE + 20 * PAGE, 10));
	assert_true(same(t, BASE + 8 * PAGE - 5, 10));
	assert_true(same(t, BASE + 2 * PAGE, PAGE));
	assert_true(same(t, BASE + 7 * PAGE, 2 * PAGE));
	target_extents_pass(t);
	assert_true(same(t, BASE + 30 * PAGE, 8));
	target_extents_pass(t);
	assert_true(same(t, BASE + 30 * PAGE, 8));
	AUTO(xfree) struct extent_range *list = target_extents_recorded(t, &n);
	assert_int_equal(n, ARRAY_SIZE(pages));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(list[i].addr, BASE + pages[i] * PAGE);
		assert_int_equal(list[i].len, PAGE);
	}
	assert_null(target_extents_recorded(t, &n));
	assert_int_equal(n, 0);

	target_extents_keep_all(t);
	target_extents_pass(t);
	assert_true(same(t, BASE + 40 * PAGE, 8));
	target_extents_pass(t);
	target_extents_seal(t);
	assert_true(same(t, BASE + 40 * PAGE, 8));
	assert_false(same(t, BASE + 41 * PAGE, 8));
}

static void test_add(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	struct extent_range ranges[] = {
		{ BASE + 9000, 500 }, { BASE + 10, 20 }, { BASE + 9400, 1000 },
		{ BASE + 9000, 10 },  { BASE + 20, 0 },	 { BASE + 20000, 5000 },
		{ BASE + 30, 10 },
	};
	struct extent_range more[] = { { BASE + 9900, 12000 }, { BASE, 15 } };
	struct err err;
	uint8_t byte;
	uint64_t left_out = 99;
	(void)state;
	target_extents_add(t, ranges, ARRAY_SIZE(ranges), &left_out);
	assert_int_equal(left_out, 0);
	assert_int_equal(target_extents_bytes(t), 30 + 1400 + 5000);
	target_extents_add(t, more, ARRAY_SIZE(more), NULL);
	assert_int_equal(target_extents_bytes(t), 10 + 30 + 1400 + 9600 + 5000);
	target_extents_seal(t);
	target_extents_add(t, (struct extent_range[]){ { BASE + 50000, 8 } }, 1, NULL);
	assert_true(same(t, BASE, 40));
	assert_true(same(t, BASE + 9000, 16000));
	assert_false(target_read(t, BASE + 40, &byte, 1, &err));
	assert_false(target_read(t, BASE + 8999, &byte, 1, &err));
	assert_false(target_read(t, BASE + 25000, &byte, 1, &err));
	assert_false(target_read(t, BASE + 50000, &byte, 1, &err));
}

/* Pages and extents side by side: a read may cross from one to the other. */
static void test_pages_and_extents(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	(void)state;
	target_extents_add(t, (struct extent_range[]){ { BASE + PAGE + 100, 200 } }, 1,
			   NULL);
	assert_true(same(t, BASE + 50, 10));
	assert_true(same(t, BASE + 50, 3 * PAGE));
	target_extents_seal(t);
	assert_true(same(t, BASE, 4 * PAGE));
}

/* Hostile ranges cost what is mapped, not what they say. */
static void test_hostile_ranges(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	struct extent_range ranges[] = {
		{ 0, UINT64_MAX },
		{ UINT64_MAX - 5, 100 },
		{ BASE + sizeof(memory) - 8, UINT64_C(1) << 40 },
	};
	uint64_t left_out;
	(void)state;
	target_extents_add(t, ranges, ARRAY_SIZE(ranges), &left_out);
	assert_int_equal(left_out, 0);
	assert_int_equal(target_extents_bytes(t), sizeof(memory) + sizeof(beyond));
	target_extents_seal(t);
	assert_true(same(t, BASE, sizeof(memory)));
}

static void test_too_much(void **state)
{
	const struct target_bytes_part part = { BASE, memory, sizeof(memory), NULL,
						false };
	AUTO(target_close) struct target *from = target_bytes_new(&part, 1);
	struct target_mapping *map = xcalloc(1, sizeof(*map));
	(void)state;
	*map = (struct target_mapping){ .start = BASE,
					.end = BASE + 2 * LIMIT_EXTENT_BYTES,
					.readable = true,
					.path = xstrdup("") };
	target_set_mappings(from, map, 1);
	AUTO(target_close) struct target *t = target_extents_new(from);
	uint64_t left_out;
	target_extents_add(t,
			   (struct extent_range[]){ { BASE, 100 },
						    { BASE + PAGE, LIMIT_EXTENT_BYTES } },
			   2, &left_out);
	assert_int_equal(left_out, LIMIT_EXTENT_BYTES);
	assert_int_equal(target_extents_bytes(t), 100);
}

/* A range with an unreadable page in it keeps the others. */
static void test_salvage(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *faulty = target_faulty_new(from);
	AUTO(target_close) struct target *t = target_extents_new(faulty);
	struct err err;
	uint8_t byte;
	(void)state;
	/* The whole, then page by page: the third of these fails. */
	target_faulty_set(faulty, 1, false);
	target_extents_add(t, (struct extent_range[]){ { BASE + 100, 4 * PAGE } }, 1,
			   NULL);
	assert_int_equal(target_faulty_reads(faulty), 1 + 5);
	assert_int_equal(target_extents_bytes(t), 4 * PAGE);
	target_faulty_set(faulty, 2, true);
	target_extents_add(t, (struct extent_range[]){ { BASE + 8 * PAGE, PAGE } }, 1,
			   NULL);
	target_extents_add(t, (struct extent_range[]){ { BASE + 10 * PAGE, 4 * PAGE } },
			   1, NULL);
	target_extents_seal(t);
	assert_true(same(t, BASE + 100, 4 * PAGE));
	assert_true(same(t, BASE + 8 * PAGE, PAGE));
	size_t kept = 0;
	for (size_t i = 0; i < 4; i++)
		kept += target_read(t, BASE + (10 + i) * PAGE, &byte, 1, &err);
	assert_int_equal(kept, 2);
}

/* What is added in a pass is there until the next one, beside what is kept. */
static void test_pass(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	struct err err;
	uint8_t byte;
	(void)state;
	assert_true(same(t, BASE, PAGE));
	for (size_t i = 1; i < 5; i++) {
		size_t page = 10 * i;
		target_extents_pass(t);
		target_extents_add(
			t, (struct extent_range[]){ { BASE + page * PAGE + 8, 600 } }, 1,
			NULL);
		assert_true(same(t, BASE + page * PAGE + 8, 600));
		/* From the pass, not from the process. */
		memory[page * PAGE + 9] ^= 0xff;
		assert_true(target_read(t, BASE + page * PAGE + 9, &byte, 1, &err));
		assert_int_equal(byte, memory[page * PAGE + 9] ^ 0xff);
		memory[page * PAGE + 9] ^= 0xff;
		assert_true(same(t, BASE + (page + 5) * PAGE, PAGE));
		assert_int_equal(target_extents_bytes(t), PAGE);
	}
	target_extents_seal(t);
	assert_true(same(t, BASE, PAGE));
	assert_false(target_read(t, BASE + 40 * PAGE + 8, &byte, 1, &err));
	assert_false(target_read(t, BASE + 45 * PAGE, &byte, 1, &err));
}

/* Many small ranges in random order against the memory itself. */
static void test_random(void **state)
{
	AUTO(target_close) struct target *from = live();
	AUTO(target_close) struct target *t = target_extents_new(from);
	static uint8_t wanted[sizeof(memory)];
	struct err err;
	(void)state;
	srand(1);
	for (int round = 0; round < 20; round++) {
		struct extent_range ranges[50];
		for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
			uint64_t off = (uint64_t)rand() % (sizeof(memory) - 600);
			ranges[i] = (struct extent_range){ BASE + off,
							   (uint64_t)rand() % 600 };
			memset(wanted + off, 1, ranges[i].len);
		}
		target_extents_add(t, ranges, ARRAY_SIZE(ranges), NULL);
	}
	target_extents_seal(t);
	for (size_t i = 0; i < sizeof(memory); i++) {
		uint8_t byte;
		target_budget_unit(t);
		if (wanted[i]) {
			assert_true(target_read(t, BASE + i, &byte, 1, &err));
			assert_int_equal(byte, memory[i]);
		}
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_through),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_pass),
		cmocka_unit_test(test_pages_and_extents),
		cmocka_unit_test(test_hostile_ranges),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_salvage),
		cmocka_unit_test(test_random),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
