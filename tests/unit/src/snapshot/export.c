/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a core file, and what is left of the bytes that nobody has judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/snapshot/export_memory.h"
#include "src/snapshot/export_parts.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/unit.h"

enum { LOW = 0x10000, SIZE = 1 << 20 };

#define HIGH UINT64_C(0x55c232480000)

static struct target *make(const uint8_t *low, const uint8_t *high)
{
	const struct target_bytes_part parts[] = {
		{ LOW, low, SIZE, NULL, false },
		{ HIGH, high, SIZE, NULL, false },
		/* next to it, but another mapping */
		{ HIGH + SIZE, high, SIZE, "/file", true },
	};

	return target_bytes_new(parts, ARRAY_SIZE(parts));
}

static uint8_t *zeros(void)
{
	return xcalloc(SIZE, 1);
}

static void parts(void **state)
{
	AUTO(xfree) uint8_t *bytes = zeros();
	AUTO(target_close) struct target *t = make(bytes, bytes);
	AUTO(memory_set_free) struct memory_set *set = memory_set_new();
	size_t n;
	(void)state;

	memory_set_add(set, LOW, 8);
	memory_set_add(set, LOW + 16, 8);   /* one word apart: the same part */
	memory_set_add(set, LOW + 40, 8);   /* two: another one */
	memory_set_add(set, LOW + SIZE, 8); /* in no mapping */
	memory_set_add(set, HIGH + SIZE - 8, 16);
	struct core_part *list = export_parts(set, t, &n);
	assert_int_equal(n, 4);
	assert_int_equal(list[0].addr, LOW);
	assert_int_equal(list[0].size, 24);
	assert_int_equal(list[1].addr, LOW + 40);
	assert_int_equal(list[1].size, 8);
	assert_int_equal(list[2].addr, HIGH + SIZE - 8);
	assert_int_equal(list[2].size, 8);
	assert_false(list[2].executable);
	assert_true(list[3].executable);
	xfree(list);
}

static void not_too_many(void **state)
{
	AUTO(xfree) uint8_t *bytes = zeros();
	AUTO(target_close) struct target *t = make(bytes, bytes);
	AUTO(memory_set_free) struct memory_set *set = memory_set_new();
	size_t n, total = 0;
	(void)state;

	/* Gaps of 24 bytes, and one in 16 of 56. */
	for (uint64_t at = LOW, i = 0; i < 2 * EXPORT_PARTS_MAX; i++) {
		memory_set_add(set, at, 8);
		at += i % 16 ? 32 : 64;
	}
	memory_set_add(set, HIGH, 8);
	struct core_part *list = export_parts(set, t, &n);
	assert_int_equal(n, EXPORT_PARTS_MAX);
	for (size_t i = 0; i < n; i++) {
		total += list[i].size;
		assert_true(i + 1 == n ||
			    list[i].addr + list[i].size + 24 <= list[i + 1].addr);
	}
	/* Only small gaps are filled. */
	assert_int_equal(total, (2 * EXPORT_PARTS_MAX + 1) * 8 +
					(2 * EXPORT_PARTS_MAX + 1 - n) * 24);
	xfree(list);
}

static uint64_t word_at(const uint8_t *buf, size_t i)
{
	uint64_t word;

	memcpy(&word, buf + i * WORD, WORD);
	return word;
}

#define FILL UINT64_C(0x5858585858585858)

static void what_is_left(void **state)
{
	AUTO(xfree) uint8_t *bytes = zeros();
	AUTO(target_close) struct target *t = make(bytes, bytes);
	AUTO(memory_set_free) struct memory_set *wanted = memory_set_new();
	AUTO(memory_set_free) struct memory_set *shown = memory_set_new();
	const uint64_t words[] = {
		HIGH + 0x6768,		      /* 0: an address: "hgH2\xc2U" */
		12345,			      /* 1: a small number */
		-UINT64_C(5),		      /* 2: and a negative one */
		UINT64_C(0x123456789abcdef0), /* 3: neither */
		UINT64_C(0x64726f7773736170), /* 4: a text */
		0x64636261,		      /* 5: a short one */
		UINT64_C(0x64726f7773736170), /* 6: that is shown */
		7,			      /* 7: not wanted, between two that are */
		8,			      /* 8: wanted */
		9,			      /* 9: not wanted, nor the next */
		10,
	};
	const uint64_t want[] = { HIGH + 0x6768,
				  12345,
				  -UINT64_C(5),
				  FILL,
				  FILL,
				  FILL,
				  UINT64_C(0x64726f7773736170),
				  7,
				  8,
				  FILL,
				  FILL };
	struct export_memory m = { .target = t, .wanted = wanted, .shown = shown };
	uint8_t buf[sizeof(words)];
	(void)state;

	memcpy(bytes, words, sizeof(words));
	memory_set_add(wanted, LOW, 7 * WORD);
	memory_set_add(wanted, LOW + 8 * WORD, WORD);
	memory_set_add(shown, LOW + 6 * WORD, WORD);
	export_read(&m, LOW, buf, sizeof(buf));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (word_at(buf, i) != want[i])
			fail_msg("word %zu: %lx, not %lx", i, word_at(buf, i), want[i]);
	m.everything = true;
	export_read(&m, LOW, buf, sizeof(buf));
	assert_memory_equal(buf, words, sizeof(words));
	assert_int_equal(m.lost, 0);
}

static void environment(void **state)
{
	static const char strings[] = "shop\0-v\0HOME=/root/of/it\0KEY=1234567\0\0\0\0";
	AUTO(xfree) uint8_t *bytes = zeros();
	AUTO(target_close) struct target *t = make(bytes, bytes);
	AUTO(memory_set_free) struct memory_set *wanted = memory_set_new();
	AUTO(memory_set_free) struct memory_set *shown = memory_set_new();
	struct export_memory m = {
		.target = t,
		.wanted = wanted,
		.shown = shown,
		.stack = { LOW, LOW, LOW + 8, LOW + 37, LOW + SIZE },
		.has_stack = true,
	};
	uint8_t buf[40];
	(void)state;

	memcpy(bytes, strings, sizeof(buf));
	memory_set_add(wanted, LOW, sizeof(buf));
	export_read(&m, LOW, buf, sizeof(buf));
	assert_memory_equal(buf, "shop\0-v\0HOME=XXXXXXXXXXX\0KEY=XXXXXXX\0\0\0\0", 40);
	memory_set_add(shown, LOW + 8, 16); /* a variable leads to it */
	export_read(&m, LOW, buf, sizeof(buf));
	assert_memory_equal(buf, "shop\0-v\0HOME=/root/of/it\0KEY=XXXXXXX\0\0\0\0", 40);
	m.environment = true;
	export_read(&m, LOW, buf, sizeof(buf));
	assert_memory_equal(buf, strings, 40);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(not_too_many),
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(environment),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
