/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/objects.h"

#include <string.h>

enum { STEPS = 16 }; /* of references to references */

/* It has what it refers to, and does not only name it. */
static bool is_filled(const struct reader_node *value)
{
	static const char *const members[] = { "target",   "elements", "entries",
					       "captures", "fields",   "bytes",
					       "text",	   "len",      "function" };

	if (node_get(value, "seen"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (node_get(value, members[i]))
			return true;
	return false;
}

static void read_member(void *arg, const char *key, const struct reader_node *node)
{
	(void)key;
	objects_read(arg, node);
}

void objects_read(struct objects *objects, const struct reader_node *node)
{
	const int64_t number = node_int(node_get(node, "object"), -1);

	if (number >= 0 && is_filled(node) &&
	    !table_get(&objects->at, (uint64_t)number, 0))
		table_set(&objects->at, (uint64_t)number, 0, (uint64_t)(uintptr_t)node);
	node_each(node, read_member, objects);
	for (size_t i = 0; i < node_count(node); i++)
		objects_read(objects, node_at(node, i));
}

void objects_done(struct objects *objects)
{
	table_free(&objects->at);
}

static const struct reader_node *find(const struct objects *objects,
				      const struct reader_node *value)
{
	const int64_t number = node_int(node_get(value, "object"), -1);

	return number < 0 ? NULL
			  : (const struct reader_node *)(uintptr_t)table_get(
				    &objects->at, (uint64_t)number, 0);
}

const struct reader_node *objects_resolve(const struct objects *objects,
					  const struct reader_node *value)
{
	for (unsigned i = 0; i < STEPS; i++) {
		const struct reader_node *other = is_filled(value) ? NULL
								   : find(objects, value),
					 *next = node_get(other ? other : value,
							  "target");
		if (!next)
			next = node_get(other ? other : value, "dynamic_value");
		if (!next)
			return other ? other : value;
		value = next;
	}
	return value;
}

bool objects_is_left(const struct objects *objects, const struct reader_node *value)
{
	return node_get(value, "object") && !is_filled(value) && !find(objects, value);
}
