/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/narrowing.h"

#include <stdlib.h>
#include <string.h>

#include "src/viewer/lookup/search.h"

const char *sorting_name(enum sorting sorting)
{
	static const char *const names[SORTINGS] = {
		[SORT_AS_WRITTEN] = "by id",
		[SORT_LONGEST] = "longest wait first",
		[SORT_STATE] = "by state",
		[SORT_FUNCTION] = "by stack",
	};

	return names[sorting];
}

void narrowing_done(struct narrowing *n)
{
	xfree(n->words);
	xfree(n->rows);
	*n = (struct narrowing){ .kind = NARROW_NOT };
}

struct narrowing narrowing_copy(const struct narrowing *n)
{
	struct narrowing copy = *n;

	copy.words = n->words ? xstrdup(n->words) : NULL;
	copy.rows = n->rows ? xreallocarray(NULL, n->count + 1, sizeof(*n->rows)) : NULL;
	if (n->rows)
		memcpy(copy.rows, n->rows, n->count * sizeof(*n->rows));
	return copy;
}

static int64_t key_of(const struct model_goroutine *g, enum sorting sorting)
{
	switch (sorting) {
	case SORT_LONGEST:
		return g->waiting_ns < 0 ? INT64_MAX : -g->waiting_ns;
	case SORT_STATE:
		return model_state(g);
	case SORT_FUNCTION:
		return g->group;
	case SORT_AS_WRITTEN:
	case SORTINGS:
		break;
	}
	return 0;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64 };

/* A goroutine and what it is sorted by. */
struct sorted {
	uint64_t key;
	uint32_t row;
};

/* Those with equal digits stay as they are. */
static void sort_by_digit(const struct sorted *from, struct sorted *to, size_t n,
			  unsigned shift)
{
	size_t starts[DIGITS] = { 0 }, at = 0;

	for (size_t i = 0; i < n; i++)
		starts[from[i].key >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		const size_t count = starts[i];
		starts[i] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* By radix: of a million, qsort() needs twice the time that a key may take. */
static void sort(const struct model_goroutine *all, uint32_t *rows, size_t n,
		 enum sorting sorting)
{
	AUTO(xfree) struct sorted *from = xreallocarray(NULL, n + 1, sizeof(*from));
	AUTO(xfree) struct sorted *to = xreallocarray(NULL, n + 1, sizeof(*to));
	uint64_t differ = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t key = (uint64_t)key_of(&all[rows[i]], sorting);
		from[i] = (struct sorted){ key ^ UINT64_C(1) << 63, rows[i] };
		differ |= from[i].key ^ from[0].key;
	}
	for (unsigned shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		sort_by_digit(from, to, n, shift);
		struct sorted *sorted = to;
		to = from;
		from = sorted;
	}
	for (size_t i = 0; i < n; i++)
		rows[i] = from[i].row;
}

static bool passes(const struct narrowing *n, const struct model_goroutine *g,
		   struct search *search, bool all)
{
	switch (n->kind) {
	case NARROW_NOT:
		return all || !g->system;
	case NARROW_GROUP:
		return g->group == (uint32_t)n->number;
	case NARROW_CHILDREN:
		return g->parent == n->number;
	case NARROW_WORDS:
		return (all || !g->system) && search_goroutine(search, g);
	case NARROW_ROWS:
		break;
	}
	return false;
}

uint32_t *narrowing_rows(const struct narrowing *n, struct model *model, bool all,
			 enum sorting sorting, size_t *ret_count)
{
	size_t count, found = 0;
	const struct model_goroutine *goroutines = model_goroutines(model, &count);
	uint32_t *rows = xreallocarray(NULL, count + 1, sizeof(*rows));
	AUTO(search_free)
	struct search *search =
		n->kind == NARROW_WORDS ? search_new(model, n->words) : NULL;

	if (n->kind == NARROW_ROWS) {
		for (size_t i = 0; i < n->count && found < count; i++)
			if (n->rows[i] < count)
				rows[found++] = n->rows[i];
	} else {
		for (size_t i = 0; i < count; i++)
			if (passes(n, &goroutines[i], search, all))
				rows[found++] = (uint32_t)i;
	}
	if (sorting != SORT_AS_WRITTEN)
		sort(goroutines, rows, found, sorting);
	*ret_count = found;
	return rows;
}
