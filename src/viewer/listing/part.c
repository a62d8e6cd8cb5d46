/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/part.h"

#include <string.h>

#include "lib/base/table.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/model/model.h"

struct part {
	struct model *model;
	struct sink *out;
	const uint32_t *rows;
	size_t count;
	bool *is_in; /* by row */
	/* The document's numbers of the objects that are needed, in the order of their new ones; and
	 * the new ones plus one, by the document's. */
	uint64_t *objects;
	size_t object_count, object_cap;
	struct table numbers;
};

static uint64_t number_again(void *arg, uint64_t object)
{
	struct part *part = arg;
	uint64_t known = table_get(&part->numbers, object, 0);

	if (known == 0) {
		GROW(part->objects, part->object_count, part->object_cap);
		part->objects[part->object_count++] = object;
		known = part->object_count;
		table_set(&part->numbers, object, 0, known);
	}
	return known - 1;
}

static void write_node(struct part *part, const struct reader_node *node)
{
	node_write_numbered(part->out, node, number_again, part);
}

static void write_named(struct part *part, const char *name,
			const struct reader_node *node)
{
	if (!node)
		return;
	sink_name(part->out, name);
	write_node(part, node);
}

static bool has_goroutine(const struct part *part, int64_t id)
{
	const uint32_t row = model_find_goroutine(part->model, id);

	return row != MODEL_NONE && part->is_in[row];
}

/* One of them is in the part. */
static bool names_one(const struct part *part, const struct reader_node *ids)
{
	for (size_t i = 0; i < node_count(ids); i++)
		if (has_goroutine(part, node_int(node_at(ids, i), -1)))
			return true;
	return false;
}

static bool keeps_finding(const struct part *part, const struct reader_node *finding)
{
	const struct reader_node *ids = node_get(finding, "goroutines");

	return node_count(ids) == 0 || names_one(part, ids);
}

static bool keeps_wait(const struct part *part, const struct reader_node *wait)
{
	return names_one(part, node_get(wait, "goroutines"));
}

static bool keeps_thread(const struct part *part, const struct reader_node *thread)
{
	return has_goroutine(part, node_int(node_get(thread, "goroutine"), -1));
}

static bool keeps(const struct part *part, const struct reader_node *element)
{
	(void)part;
	return element != NULL;
}

static void write_list(struct part *part, const char *name, enum model_list list,
		       bool (*keep)(const struct part *, const struct reader_node *))
{
	if (!model_has_list(part->model, list))
		return;
	sink_named_begin(part->out, name, SINK_ARRAY);
	for (size_t i = 0; i < model_list_count(part->model, list); i++) {
		const struct reader_node *element =
			model_open(part->model, model_list_at(part->model, list, i));
		if (element && keep(part, element))
			write_node(part, element);
		node_drop(element);
	}
	sink_end(part->out);
}

static void write_snapshot_member(void *arg, const char *key,
				  const struct reader_node *node)
{
	struct part *part = arg;

	if (strcmp(key, "selection") == 0)
		return;
	sink_name_text(part->out, key, strlen(key));
	write_node(part, node);
}

static void write_snapshot(struct part *part)
{
	size_t all;

	model_goroutines(part->model, &all);
	sink_named_begin(part->out, "snapshot", SINK_OBJECT);
	node_each(model_heads(part->model)->snapshot, write_snapshot_member, part);
	sink_named_begin(part->out, "selection", SINK_OBJECT);
	sink_named_uint(part->out, "goroutines", part->count);
	sink_named_uint(part->out, "of_goroutines", all);
	sink_end(part->out);
	sink_end(part->out);
}

static void write_group_member(void *arg, const char *key, const struct reader_node *node)
{
	struct part *part = arg;

	if (strcmp(key, "count") == 0 || strcmp(key, "goroutines") == 0)
		return;
	sink_name_text(part->out, key, strlen(key));
	write_node(part, node);
}

/* With the members that are in the part. */
static void write_group(struct part *part, const struct model_group *group)
{
	size_t n, shown = 0;
	const struct model_goroutine *all = model_goroutines(part->model, &n);
	const uint32_t *members = model_members(part->model) + group->first_member;

	for (size_t i = 0; i < group->member_count; i++)
		shown += part->is_in[members[i]];
	if (shown == 0)
		return;
	const struct reader_node *node = model_open(part->model, group->place);
	sink_begin(part->out, SINK_OBJECT);
	sink_named_uint(part->out, "count", shown);
	sink_named_begin(part->out, "goroutines", SINK_ARRAY);
	for (size_t i = 0; i < group->member_count; i++)
		if (part->is_in[members[i]])
			sink_int(part->out, all[members[i]].id);
	sink_end(part->out);
	node_each(node, write_group_member, part);
	sink_end(part->out);
	node_drop(node);
}

static void write_groups(struct part *part)
{
	size_t n;
	const struct model_group *groups = model_groups(part->model, &n);

	sink_named_begin(part->out, "groups", SINK_ARRAY);
	for (size_t i = 0; i < n; i++)
		write_group(part, &groups[i]);
	sink_end(part->out);
}

static void write_goroutines(struct part *part)
{
	size_t n;
	const struct model_goroutine *all = model_goroutines(part->model, &n);

	sink_named_begin(part->out, "goroutines", SINK_ARRAY);
	for (size_t i = 0; i < part->count; i++) {
		const struct reader_node *node =
			model_open(part->model, all[part->rows[i]].place);
		if (node)
			write_node(part, node);
		node_drop(node);
	}
	sink_end(part->out);
}

/* Those that objects refer to follow. What the document lacks is null, so that numbers stay. */
static void write_objects(struct part *part)
{
	sink_named_begin(part->out, "objects", SINK_ARRAY);
	for (size_t i = 0; i < part->object_count; i++) {
		const struct reader_node *object =
			model_open_object(part->model, part->objects[i]);
		write_node(part, object);
		node_drop(object);
	}
	sink_end(part->out);
}

static uint64_t count_frames(const struct part *part)
{
	size_t n;
	const struct model_goroutine *all = model_goroutines(part->model, &n);
	const struct model_group *groups = model_groups(part->model, &n);
	uint64_t frames = 0;

	for (size_t i = 0; i < part->count; i++) {
		const uint32_t group = all[part->rows[i]].group;
		frames += group == MODEL_NONE ? 0 : groups[group].frame_count;
	}
	return frames;
}

static void write_end(struct part *part)
{
	const struct reader_node *end = model_heads(part->model)->end;

	sink_named_begin(part->out, "end", SINK_OBJECT);
	sink_named_uint(part->out, "goroutines", part->count);
	sink_named_uint(part->out, "frames", count_frames(part));
	write_named(part, "elapsed_ns", node_get(end, "elapsed_ns"));
	write_named(part, "incomplete_reason", node_get(end, "incomplete_reason"));
	sink_named_uint(part->out, "document_bytes", sink_bytes(part->out));
	sink_end(part->out);
}

static void write_all(struct part *part)
{
	const struct model_heads *heads = model_heads(part->model);

	sink_begin(part->out, SINK_OBJECT);
	sink_named_string(part->out, "format", "gosnap");
	sink_named_uint(part->out, "version", 1);
	write_snapshot(part);
	write_named(part, "trigger", heads->trigger);
	write_named(part, "process", heads->process);
	write_named(part, "go", heads->go);
	write_named(part, "fault", heads->fault);
	write_named(part, "runtime", heads->runtime);
	write_list(part, "findings", MODEL_FINDINGS, keeps_finding);
	write_named(part, "verdict", heads->verdict);
	write_list(part, "waits", MODEL_WAITS, keeps_wait);
	write_groups(part);
	write_list(part, "threads", MODEL_THREADS, keeps_thread);
	write_goroutines(part);
	write_list(part, "globals", MODEL_GLOBALS, keeps);
	write_objects(part);
	write_list(part, "warnings", MODEL_WARNINGS, keeps);
	write_end(part);
	sink_end(part->out);
}

void part_write(struct model *m, const uint32_t *rows, size_t count, struct sink *out)
{
	struct part part = { .model = m, .out = out, .rows = rows, .count = count };
	size_t all;

	model_goroutines(m, &all);
	part.is_in = xcalloc(all + 1, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		part.is_in[rows[i]] = true;
	write_all(&part);
	table_free(&part.numbers);
	xfree(part.objects);
	xfree(part.is_in);
}
