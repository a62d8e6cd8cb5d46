/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/named.h"

#include "lib/document/reader.h"
#include "lib/document/reader_text.h"

enum {
	OF_ONE = 8, /* of a finding, of what is waited for */
	OLDEST = 16,
};

struct naming {
	struct named *named;
	struct model *m;
	size_t left;
};

static void name_row(struct named *named, uint32_t row)
{
	if (row == MODEL_NONE || !table_add(&named->numbers, row, 0))
		return;
	GROW(named->rows, named->count, named->cap);
	named->rows[named->count++] = row;
}

static void name_id(struct naming *n, int64_t id)
{
	if (id >= 0)
		name_row(n->named, model_find_goroutine(n->m, id));
}

static void name_fault(struct naming *n)
{
	const struct model_heads *heads = model_heads(n->m);
	const struct reader_node *others = node_get(heads->fault, "others");

	name_id(n, node_int(node_get(heads->fault, "goroutine"), -1));
	name_id(n, node_int(node_get(heads->trigger, "goroutine"), -1));
	for (size_t i = 0; i < node_count(others) && i < OF_ONE; i++)
		name_id(n, node_int(node_at(others, i), -1));
}

static bool name_listed(void *arg, const char *value, size_t bytes)
{
	struct naming *n = arg;
	const struct reader_member id = { .value = value, .bytes = bytes };

	name_id(n, text_int(&id, -1));
	return --n->left > 0;
}

static bool name_holder(void *arg, const char *value, size_t bytes)
{
	struct naming *n = arg;
	struct reader_member members[READER_MEMBERS];
	const size_t count = text_members(value, bytes, members);

	if (!text_member(members, count, "holds"))
		return true;
	name_id(n, text_int(text_member(members, count, "goroutine"), -1));
	return --n->left > 0;
}

/* Whom a member of each element of a list names. */
static void name_of(struct naming *n, enum model_list list, const char *member,
		    text_element_fn *name)
{
	for (size_t i = 0; i < model_list_count(n->m, list); i++) {
		const struct model_place place = model_list_at(n->m, list, i);
		AUTO(xfree) char *text = model_written(n->m, place);
		struct reader_member members[READER_MEMBERS];
		if (!text)
			continue;
		const struct reader_member *ids = text_member(
			members, text_members(text, place.bytes, members), member);
		n->left = OF_ONE;
		if (ids)
			text_elements(ids->value, ids->bytes, name, n);
	}
}

static void name_oldest(struct naming *n)
{
	uint32_t oldest[OLDEST];
	size_t found = 0, count;
	const struct model_goroutine *all = model_goroutines(n->m, &count);

	for (size_t row = 0; row < count; row++) {
		size_t at = found;
		if (all[row].system || all[row].waiting_ns < 0)
			continue;
		while (at > 0 && all[oldest[at - 1]].waiting_ns < all[row].waiting_ns) {
			if (at < OLDEST)
				oldest[at] = oldest[at - 1];
			at--;
		}
		if (at < OLDEST)
			oldest[at] = (uint32_t)row;
		found += found < OLDEST;
	}
	for (size_t i = 0; i < found; i++)
		name_row(n->named, oldest[i]);
}

void named_find(struct named *ret, struct model *m)
{
	struct naming n = { .named = ret, .m = m };

	*ret = (struct named){ .rows = NULL };
	name_fault(&n);
	name_of(&n, MODEL_FINDINGS, "goroutines", name_listed);
	name_of(&n, MODEL_WAITS, "partners", name_holder);
	name_oldest(&n);
}

bool named_has(const struct named *named, uint32_t row)
{
	return table_get(&named->numbers, row, 0) != 0;
}

void named_done(struct named *named)
{
	xfree(named->rows);
	table_free(&named->numbers);
}
