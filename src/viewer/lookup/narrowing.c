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

/* A goroutine and what it is sorted by. */
struct sorted {
	int64_t key;
	uint32_t row;
};

static int compare(const void *a, const void *b)
{
	const struct sorted *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return one->row < other->row ? -1 : one->row > other->row;
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

static void sort(const struct model_goroutine *all, uint32_t *rows, size_t n,
		 enum sorting sorting)
{
	AUTO(xfree)
	struct sorted *sorted = xreallocarray(NULL, n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sorted){ key_of(&all[rows[i]], sorting), rows[i] };
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 0; i < n; i++)
		rows[i] = sorted[i].row;
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
