/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/target/memory_set.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/unit.h"

enum { START = 0x10000 };

static size_t words(struct memory_set *s)
{
	size_t pages, n = 0;
	const struct memory_page *list = memory_set_pages(s, &pages);

	for (size_t i = 0; i < pages; i++)
		for (size_t k = 0; k < ARRAY_SIZE(list->words); k++)
			n += (size_t)__builtin_popcountll(list[i].words[k]);
	return n;
}

static void adds_words(void **state)
{
	AUTO(memory_set_free) struct memory_set *s = memory_set_new();
	(void)state;

	assert_int_equal(words(s), 0);
	memory_set_add(s, START + 7,
		       2); /* the end of one word, the beginning of the next */
	assert_int_equal(words(s), 2);
	assert_true(memory_set_has(s, START));
	assert_true(memory_set_has(s, START + 15));
	assert_false(memory_set_has(s, START + 16));
	assert_false(memory_set_has(s, START - 1));
	memory_set_add(s, START, 8);
	memory_set_add(s, START, 0);
	memory_set_add(s, UINT64_MAX - 3, 8); /* wraps around */
	assert_int_equal(words(s), 2);
	memory_set_add(s, UINT64_MAX - 7, 8);
	assert_int_equal(words(s), 3);
}

static void crosses_pages(void **state)
{
	AUTO(memory_set_free) struct memory_set *s = memory_set_new();
	size_t n;
	(void)state;

	memory_set_add(s, START + PAGE_BYTES - 8, 2 * PAGE_BYTES);
	assert_int_equal(words(s), 2 * PAGE_BYTES / WORD);
	memory_set_add(s, START - 4 * PAGE_BYTES, 1);
	const struct memory_page *pages = memory_set_pages(s, &n);
	assert_int_equal(n, 4);
	for (size_t i = 0; i + 1 < n; i++)
		assert_true(pages[i].addr < pages[i + 1].addr);
	assert_true(memory_page_has(&pages[2], START + PAGE_BYTES));
	assert_true(memory_set_has(s, START + 3 * PAGE_BYTES - 16));
	assert_false(memory_set_has(s, START + 3 * PAGE_BYTES - 8));
}

/* All of the page that begins with this word, and the second word of another one. */
static void clear(void *arg, struct memory_page *page)
{
	if (memory_page_first(page) == *(const uint64_t *)arg)
		memory_page_clear(page, page->addr, page->addr + PAGE_BYTES);
	else
		memory_page_clear(page, page->addr + 8, page->addr + 16);
}

static void merges_and_filters(void **state)
{
	AUTO(memory_set_free) struct memory_set *s = memory_set_new();
	AUTO(memory_set_free) struct memory_set *other = memory_set_new();
	uint64_t first = START + 24;
	(void)state;

	memory_set_add(s, START + 24, 8);
	memory_set_add(other, START + 32, 8);
	memory_set_add(other, START + PAGE_BYTES, 16);
	memory_set_add_set(s, other);
	assert_int_equal(words(s), 4);
	memory_set_filter(s, clear, &first);
	assert_int_equal(words(s), 1);
	assert_false(memory_set_has(s, START + 32));
	assert_true(memory_set_has(s, START + PAGE_BYTES));
	assert_false(memory_set_has(s, START + PAGE_BYTES + 8));
	memory_set_add(s, START, 8); /* a page that was there before */
	assert_int_equal(words(s), 2);
}

/* What a target records. */
static void records(void **state)
{
	static const uint8_t bytes[64];
	const struct target_bytes_part part = { START, bytes, sizeof(bytes), NULL,
						false };
	AUTO(target_close) struct target *t = target_bytes_new(&part, 1);
	AUTO(memory_set_free) struct memory_set *read = memory_set_new();
	AUTO(memory_set_free) struct memory_set *searched = memory_set_new();
	struct target_span span = { START + 32, (uint8_t[8]){ 0 }, 8, false };
	uint8_t buf[8];
	struct err err;
	(void)state;

	assert_false(target_is_recorded(t));
	target_record(t, (struct target_record){ read, searched, NULL });
	assert_true(target_is_recorded(t));
	assert_true(target_read(t, START, buf, 8, &err));
	assert_false(target_read(t, START + 60, buf, 8,
				 &err)); /* what fails is not recorded */
	assert_true(target_search(t, START + 8, buf, 8, &err));
	target_read_many(t, &span, 1);
	assert_int_equal(words(read), 2);
	assert_int_equal(words(searched), 1);
	assert_false(target_set_searching(t, true));
	assert_true(target_read(t, START + 16, buf, 8, &err));
	assert_int_equal(words(read), 2);
	assert_int_equal(words(searched), 2);
	target_found(t, START + 16, 8);
	assert_int_equal(words(read), 3);
	assert_true(target_set_searching(t, false));
	const struct target_record before =
		target_record(t, (struct target_record){ .read = NULL });
	assert_ptr_equal(before.read, read);
	assert_true(target_read(t, START + 40, buf, 8, &err));
	assert_int_equal(words(read), 3);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_words),
		cmocka_unit_test(crosses_pages),
		cmocka_unit_test(merges_and_filters),
		cmocka_unit_test(records),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
