/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/sample.h"

#include <stdlib.h>
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

static void name_of_list(struct sample *sample, struct model *m, enum model_list list,
			 void (*name_in)(struct sample *, const struct reader_node *))
{
	for (size_t i = 0; i < model_list_count(m, list); i++) {
		const struct reader_node *node = model_open(m, model_list_at(m, list, i));
		name_in(sample, node);
		node_drop(node);
	}
}

static void name_in_finding(struct sample *sample, const struct reader_node *finding)
{
	name_some(sample, node_get(finding, "goroutines"));
}

static bool is_first_of_group(struct sample *sample, const struct model_goroutine *g)
{
	const uint64_t chosen = table_get(&sample->groups, g->group, 0);

	if (chosen > OF_GROUP)
		return false;
	table_set(&sample->groups, g->group, 0, chosen ? chosen + 1 : 2);
	return true;
}

void sample_choose(struct sample *sample, struct model *m)
{
	const struct model_heads *heads = model_heads(m);
	size_t count;
	const struct model_goroutine *all = model_goroutines(m, &count);

	sample->whole = xcalloc(count + 1, sizeof(*sample->whole));
	name(sample, node_get(heads->fault, "goroutine"));
	name(sample, node_get(heads->trigger, "goroutine"));
	name_of_list(sample, m, MODEL_FINDINGS, name_in_finding);
	name_of_list(sample, m, MODEL_WAITS, name_holders);
	for (size_t i = 0; i < count; i++)
		sample->whole[i] = sample->all ||
				   table_get(&sample->named, (uint64_t)all[i].id, 0) ||
				   is_first_of_group(sample, &all[i]);
}

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* The key cannot be within a string, whose quotes have a backslash before them. Objects are in the order of
 * their distance from a frame: what one refers to comes behind it, but for what is as near as itself. */
void sample_follow(struct sample *sample, const char *json, size_t len)
{
	static const char key[] = "\"object\"";
	const char *const end = json + len;
	const char *at = json;

	while ((at = memmem(at, (size_t)(end - at), key, strlen(key)))) {
		at = skip_space(at + strlen(key));
		if (*at != ':')
			continue;
		at = skip_space(at + 1);
		if (*at >= '0' && *at <= '9')
			table_add(&sample->objects, strtoull(at, NULL, 10), 0);
	}
}

bool sample_has_object(const struct sample *sample, size_t number)
{
	return sample->all || table_get(&sample->objects, number, 0) != 0;
}

void sample_done(struct sample *sample)
{
	xfree(sample->whole);
	table_free(&sample->named);
	table_free(&sample->groups);
	table_free(&sample->objects);
}
