/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/objects.h"

#include "lib/document/reader.h"

enum { STEPS = 16 }; /* of references to references */

void objects_forget(struct objects *objects)
{
	while (objects->count)
		node_drop(objects->nodes[--objects->count]);
	table_clear(&objects->at);
}

void objects_done(struct objects *objects)
{
	objects_forget(objects);
	table_free(&objects->at);
	xfree(objects->nodes);
}

static const struct reader_node *find(struct objects *objects, int64_t number)
{
	uint64_t at = table_get(&objects->at, (uint64_t)number, 0);

	if (at)
		return objects->nodes[at - 1];
	GROW(objects->nodes, objects->count, objects->cap);
	objects->nodes[objects->count++] =
		model_open_object(objects->model, (uint64_t)number);
	table_set(&objects->at, (uint64_t)number, 0, objects->count);
	return objects->nodes[objects->count - 1];
}

/* One step, as far as it is in the same element. With --inline, references have what they refer to. */
static const struct reader_node *inside(const struct reader_node *value)
{
	const struct reader_node *target = node_get(value, "target");

	return target ? target : node_get(value, "dynamic_value");
}

const struct reader_node *objects_resolve(struct objects *objects,
					  const struct reader_node *value)
{
	for (unsigned i = 0; i < STEPS; i++) {
		const int64_t number = node_int(node_get(value, "object"), -1);
		const struct reader_node *next = inside(value);
		if (!next && number >= 0)
			next = find(objects, number);
		if (!next)
			break;
		value = next;
	}
	return value;
}

bool objects_refers(const struct reader_node *value)
{
	for (unsigned i = 0; i < STEPS && inside(value); i++)
		value = inside(value);
	return node_get(value, "object");
}

struct looking {
	uint64_t address;
	bool found;
};

static void look(struct looking *l, const struct reader_node *node);

static void look_at_member(void *arg, const char *name, const struct reader_node *node)
{
	(void)name;
	look(arg, node);
}

static void look(struct looking *l, const struct reader_node *node)
{
	if (l->found)
		return;
	if (node_address(node_get(node, "to"), 0) == l->address ||
	    node_address(node_get(node, "address"), 0) == l->address) {
		l->found = true;
		return;
	}
	node_each(node, look_at_member, l);
	for (size_t i = 0; i < node_count(node) && !l->found; i++)
		look(l, node_at(node, i));
}

bool objects_mention(const struct reader_node *node, uint64_t address)
{
	struct looking l = { .address = address };

	look(&l, node);
	return l.found;
}
