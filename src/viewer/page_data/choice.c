/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/choice.h"

#include <stdlib.h>
#include <string.h>

#include "lib/document/sink.h"
#include "src/viewer/page_data/shared.h"

enum { ROW_LEAST = 64 }; /* bytes, with which it is not worth looking for another one */

struct rank {
	uint64_t count;
	uint32_t row;
};

static int compare(const void *one, const void *other)
{
	const struct rank *a = one, *b = other;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->row < b->row ? -1 : a->row > b->row;
}

uint32_t *choice_of_groups(const struct model *m, const struct named *named)
{
	size_t count, goroutines;
	const struct model_group *groups = model_groups(m, &count);
	const struct model_goroutine *all = model_goroutines(m, &goroutines);
	AUTO(xfree) struct rank *ranks = xcalloc(count + 1, sizeof(*ranks));
	uint32_t *ret = xcalloc(count + 1, sizeof(*ret));

	for (size_t i = 0; i < count; i++)
		ranks[i] = (struct rank){ groups[i].count, (uint32_t)i };
	/* Whose goroutines are named come first, in that order. */
	for (size_t i = named->count; i-- > 0;)
		if (all[named->rows[i]].group != MODEL_NONE)
			ranks[all[named->rows[i]].group].count = UINT64_MAX - i;
	if (count > 0)
		qsort(ranks, count, sizeof(*ranks), compare);
	for (size_t i = 0; i < count; i++)
		ret[i] = ranks[i].row;
	return ret;
}

struct choosing {
	struct shared *texts;
	const struct model_goroutine *all;
	bool *chosen; /* by rows */
	size_t count; /* of them */
	uint64_t used, limit;
};

static uint64_t bytes_of_text(const struct choosing *c, model_text number)
{
	return strlen(model_text_of(c->texts->m, number));
}

/* At most: a control character has six. */
static uint64_t bytes_of_texts(const struct choosing *c, const struct model_goroutine *g)
{
	return bytes_of_text(c, g->labels) + bytes_of_text(c, g->runtime) +
	       6 * (bytes_of_text(c, g->status) + bytes_of_text(c, g->reason) +
		    bytes_of_text(c, g->waits_kind) + bytes_of_text(c, g->creator));
}

static uint64_t left(const struct choosing *c)
{
	const uint64_t used = c->used + sink_part_bytes(c->texts->all);

	return used < c->limit ? c->limit - used : 0;
}

/* False: there is no room for any. */
static bool choose(struct choosing *c, uint32_t row)
{
	const struct model_goroutine *g = &c->all[row];
	enum { NUMBERS = 13 * 20 };

	if (c->chosen[row])
		return true;
	if (left(c) < NUMBERS + bytes_of_texts(c, g))
		return left(c) >= NUMBERS + ROW_LEAST;
	c->used += columns_bytes(c->texts, g);
	c->chosen[row] = true;
	c->count++;
	return true;
}

/* One of each group after the other. */
static void choose_members(struct choosing *c, const uint32_t *order, const bool *written)
{
	size_t count, n = 0;
	const struct model_group *groups = model_groups(c->texts->m, &count);
	const uint32_t *members = model_members(c->texts->m);
	AUTO(xfree) uint32_t *open = xcalloc(count + 1, sizeof(*open));

	for (size_t i = 0; i < count; i++)
		if (written[order[i]])
			open[n++] = order[i];
	for (uint32_t round = 0; n > 0; round++) {
		size_t kept = 0;
		for (size_t i = 0; i < n; i++) {
			const struct model_group *group = &groups[open[i]];
			if (round >= group->member_count)
				continue;
			if (!choose(c, members[group->first_member + round]))
				return;
			open[kept++] = open[i];
		}
		n = kept;
	}
}

static void list_chosen(const struct choosing *c, size_t all, struct row_list *ret)
{
	*ret = (struct row_list){ .all = c->all,
				  .rows = xcalloc(c->count + 1, sizeof(*ret->rows)) };
	for (size_t row = 0; row < all; row++)
		if (c->chosen[row])
			ret->rows[ret->count++] = (uint32_t)row;
}

void choice_of_rows(struct row_list *ret, struct shared *texts, const struct named *named,
		    const uint32_t *groups, const bool *written, uint64_t limit)
{
	size_t count;
	const struct model_goroutine *all = model_goroutines(texts->m, &count);
	AUTO(xfree) bool *chosen = xcalloc(count + 1, sizeof(*chosen));
	struct choosing c = {
		.texts = texts, .all = all, .chosen = chosen, .limit = limit
	};
	bool room = true;

	for (size_t i = 0; room && i < named->count; i++)
		room = choose(&c, named->rows[i]);
	if (room)
		choose_members(&c, groups, written);
	for (size_t row = 0; row < count && left(&c) > 0; row++)
		if (all[row].group == MODEL_NONE && !choose(&c, (uint32_t)row))
			break;
	list_chosen(&c, count, ret);
}
