/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/export_parts.h"

#include <stdlib.h>

struct runs {
	struct core_part *list;
	size_t count, cap;
	const struct target_mapping *maps;
	size_t map_count, map; /* map: the first that ends after the current address */
};

static bool has_flags_of(const struct core_part *part, const struct target_mapping *m)
{
	return part->addr >= m->start && part->addr < m->end;
}

/* [begin, end) of one page, which is in one mapping. */
static void add_run(struct runs *r, uint64_t begin, uint64_t end)
{
	while (r->map < r->map_count && r->maps[r->map].end <= begin)
		r->map++;
	const struct target_mapping *m = &r->maps[r->map];
	if (r->map == r->map_count || m->start > begin || !m->readable)
		return;
	struct core_part *last = r->count ? &r->list[r->count - 1] : NULL;
	if (last && begin - (last->addr + last->size) <= EXPORT_GAP &&
	    has_flags_of(last, m)) {
		last->size = end - last->addr;
		return;
	}
	GROW(r->list, r->count, r->cap);
	r->list[r->count++] = (struct core_part){ .addr = begin,
						  .size = end - begin,
						  .readable = true,
						  .writable = m->writable,
						  .executable = m->executable };
}

static void add_page(struct runs *r, const struct memory_page *page)
{
	size_t first = 0;
	bool in = false;

	for (size_t i = 0; i <= MEMORY_PAGE_WORDS; i++) {
		const bool has =
			i < MEMORY_PAGE_WORDS && page->words[i / 64] >> i % 64 & 1;
		if (has && !in)
			first = i;
		else if (!has && in)
			add_run(r, page->addr + first * WORD, page->addr + i * WORD);
		in = has;
	}
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Between part i and the next; UINT64_MAX: they are of different mappings. */
static uint64_t gap_after(const struct runs *r, size_t i, size_t *map)
{
	const struct core_part *part = &r->list[i], *next = part + 1;

	while (r->maps[*map].end <= part->addr)
		++*map;
	return has_flags_of(next, &r->maps[*map]) ? next->addr - (part->addr + part->size)
						  : UINT64_MAX;
}

/* Fills the smallest gaps; of equal ones the first. */
static void merge(struct runs *r)
{
	const size_t n = r->count - 1;
	size_t too_many = r->count - EXPORT_PARTS_MAX;
	uint64_t *gaps = xcalloc(n, sizeof(*gaps)), *sorted = xcalloc(n, sizeof(*sorted));
	size_t count = 1;

	for (size_t i = 0, map = 0; i < n; i++)
		sorted[i] = gaps[i] = gap_after(r, i, &map);
	qsort(sorted, n, sizeof(*sorted), by_size);
	const uint64_t most = sorted[too_many - 1];
	while (too_many && sorted[too_many - 1] == most)
		too_many--;
	size_t equal = r->count - EXPORT_PARTS_MAX - too_many;
	for (size_t i = 0; i < n; i++) {
		const struct core_part *next = &r->list[i + 1];
		struct core_part *last = &r->list[count - 1];
		const bool is_equal = gaps[i] == most && equal;
		if (gaps[i] != UINT64_MAX && (gaps[i] < most || is_equal)) {
			last->size = next->addr + next->size - last->addr;
			equal -= is_equal;
		} else {
			r->list[count++] = *next;
		}
	}
	r->count = count;
	xfree(sorted);
	xfree(gaps);
}

struct core_part *export_parts(struct memory_set *set, const struct target *t,
			       size_t *ret_n)
{
	struct runs r = { .list = NULL };
	size_t n;
	const struct memory_page *pages = memory_set_pages(set, &n);

	r.maps = target_mappings(t, &r.map_count);
	for (size_t i = 0; i < n; i++)
		add_page(&r, &pages[i]);
	if (r.count > EXPORT_PARTS_MAX)
		merge(&r);
	*ret_n = r.count;
	return r.list;
}
