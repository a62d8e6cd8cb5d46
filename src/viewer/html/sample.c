/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/sample.h"

#include <string.h>

#include "lib/base/util.h"
#include "lib/document/reader.h"

enum {
	OF_GROUP = 4,	/* goroutines */
	OF_FINDING = 8, /* likewise */
};

static void name(struct sample *sample, const struct reader_node *id)
{
	const int64_t number = node_int(id, -1);

	if (number >= 0)
		table_add(&sample->named, (uint64_t)number, 0);
}

static void name_some(struct sample *sample, const struct reader_node *ids)
{
	for (size_t i = 0; i < node_count(ids) && i < OF_FINDING; i++)
		name(sample, node_at(ids, i));
}

static void name_holders(struct sample *sample, const struct reader_node *wait)
{
	const struct reader_node *partners = node_get(wait, "partners");

	for (size_t i = 0; i < node_count(partners); i++) {
		const struct reader_node *partner = node_at(partners, i);
		if (node_get(partner, "holds"))
			name(sample, node_get(partner, "goroutine"));
	}
}

void sample_note(struct sample *sample, const char *member,
		 const struct reader_node *node)
{
	if (strcmp(member, "fault") == 0 || strcmp(member, "trigger") == 0)
		name(sample, node_get(node, "goroutine"));
	else if (strcmp(member, "findings") == 0)
		name_some(sample, node_get(node, "goroutines"));
	else if (strcmp(member, "waits") == 0)
		name_holders(sample, node);
}

static bool is_first_of_group(struct sample *sample, const struct html_row *row)
{
	const uint64_t chosen = table_get(&sample->groups, (uint64_t)row->group, 0);

	if (chosen > OF_GROUP)
		return false;
	table_set(&sample->groups, (uint64_t)row->group, 0, chosen ? chosen + 1 : 2);
	return true;
}

void sample_choose(struct sample *sample, struct columns *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct html_row *row = &rows->all[i];
		if (sample->all || table_get(&sample->named, (uint64_t)row->id, 0) ||
		    is_first_of_group(sample, row))
			row->flags |= ROW_WHOLE;
	}
}

struct walk {
	struct sample *sample;
	unsigned depth;
};

static void follow(const struct walk *from, const struct reader_node *node);

static void follow_member(void *arg, const char *key, const struct reader_node *node)
{
	const struct walk *walk = arg;
	const int64_t number = strcmp(key, "object") == 0 ? node_int(node, -1) : -1;

	if (number >= 0)
		table_add(&walk->sample->objects, (uint64_t)number, 0);
	else
		follow(walk, node);
}

static void follow(const struct walk *from, const struct reader_node *node)
{
	struct walk walk = { from->sample, from->depth + 1 };

	if (walk.depth > NODE_DEPTH_MAX)
		return;
	for (size_t i = 0; i < node_count(node); i++)
		follow(&walk, node_at(node, i));
	node_each(node, follow_member, &walk);
}

/* Objects are in the order of their distance from a frame: what one refers to comes behind it, but for
 * what is as near as itself. */
void sample_follow(struct sample *sample, const struct reader_node *written)
{
	if (!sample->all)
		follow(&(struct walk){ sample, 0 }, written);
}

bool sample_has_object(const struct sample *sample, size_t number)
{
	return sample->all || table_get(&sample->objects, number, 0) != 0;
}

void sample_done(struct sample *sample)
{
	table_free(&sample->named);
	table_free(&sample->groups);
	table_free(&sample->objects);
}
