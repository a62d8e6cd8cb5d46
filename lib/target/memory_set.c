/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/memory_set.h"

#include <stdlib.h>

#include "lib/base/limit.h"
#include "lib/base/table.h"

struct memory_set {
	struct memory_page *pages;
	size_t count, cap, last; /* last: the page that was found last */
	struct table index;	 /* address of a page: its index + 1 */
};

struct memory_set *memory_set_new(void)
{
	return xcalloc(1, sizeof(struct memory_set));
}

void memory_set_free(struct memory_set *s)
{
	if (!s)
		return;
	table_free(&s->index);
	xfree(s->pages);
	xfree(s);
}

static struct memory_page *find(const struct memory_set *s, uint64_t page)
{
	if (s->last < s->count && s->pages[s->last].addr == page)
		return &s->pages[s->last];
	const uint64_t index = table_get(&s->index, page, 0);
	return index ? &s->pages[index - 1] : NULL;
}

/* NULL: there are too many. */
static struct memory_page *find_or_add(struct memory_set *s, uint64_t page)
{
	struct memory_page *found = find(s, page);

	if (!found) {
		if (s->count == LIMIT_EXTENT_BYTES / PAGE_BYTES)
			return NULL;
		GROW(s->pages, s->count, s->cap);
		found = &s->pages[s->count++];
		*found = (struct memory_page){ .addr = page };
		table_set(&s->index, page, 0, s->count);
	}
	s->last = (size_t)(found - s->pages);
	return found;
}

/* Words [first, end) of a page. */
static void set_words(struct memory_page *page, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		if (i % 64 == 0 && end - i >= 64) {
			page->words[i / 64] = UINT64_MAX;
			i += 63;
		} else {
			page->words[i / 64] |= UINT64_C(1) << i % 64;
		}
	}
}

void memory_set_add(struct memory_set *s, uint64_t addr, uint64_t len)
{
	const uint64_t last = addr + (len - 1);

	if (len == 0 || last < addr)
		return;
	for (uint64_t at = addr;;) {
		const uint64_t start = at & ~(uint64_t)(PAGE_BYTES - 1);
		const uint64_t to =
			last - start < PAGE_BYTES ? last - start : PAGE_BYTES - 1;
		struct memory_page *page = find_or_add(s, start);
		if (!page)
			return;
		set_words(page, (size_t)(at - start) / WORD, (size_t)to / WORD + 1);
		if (last - start < PAGE_BYTES)
			return;
		at = start + PAGE_BYTES;
	}
}

void memory_set_add_set(struct memory_set *s, const struct memory_set *other)
{
	for (size_t i = 0; i < other->count; i++) {
		struct memory_page *page = find_or_add(s, other->pages[i].addr);
		for (size_t k = 0; page && k < ARRAY_SIZE(page->words); k++)
			page->words[k] |= other->pages[i].words[k];
	}
}

uint64_t memory_page_first(const struct memory_page *page)
{
	size_t i = 0;

	while (!page->words[i])
		i++;
	return page->addr + (i * 64 + (size_t)__builtin_ctzll(page->words[i])) * WORD;
}

/* So many pages are left, in any order. */
static void cut(struct memory_set *s, size_t count)
{
	s->count = count;
	s->last = 0;
	table_clear(&s->index);
	for (size_t i = 0; i < count; i++)
		table_set(&s->index, s->pages[i].addr, 0, i + 1);
}

void memory_page_clear(struct memory_page *page, uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at += WORD) {
		const size_t word = (size_t)(at - page->addr) / WORD;
		page->words[word / 64] &= ~(UINT64_C(1) << word % 64);
	}
}

static bool is_empty(const struct memory_page *page)
{
	for (size_t i = 0; i < ARRAY_SIZE(page->words); i++)
		if (page->words[i])
			return false;
	return true;
}

void memory_set_filter(struct memory_set *s,
		       void (*fn)(void *arg, struct memory_page *page), void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		fn(arg, &s->pages[i]);
		if (!is_empty(&s->pages[i]))
			s->pages[n++] = s->pages[i];
	}
	cut(s, n);
}

const struct memory_page *memory_set_page(const struct memory_set *s, uint64_t addr)
{
	return find(s, addr & ~(uint64_t)(PAGE_BYTES - 1));
}

bool memory_set_has(const struct memory_set *s, uint64_t addr)
{
	const struct memory_page *page = memory_set_page(s, addr);

	return page && memory_page_has(page, addr);
}

static int by_addr(const void *a, const void *b)
{
	const struct memory_page *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

const struct memory_page *memory_set_pages(struct memory_set *s, size_t *ret_n)
{
	if (s->count)
		qsort(s->pages, s->count, sizeof(*s->pages), by_addr);
	cut(s, s->count);
	*ret_n = s->count;
	return s->pages;
}
