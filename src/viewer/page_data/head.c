/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/head.h"

#include "lib/base/util.h"
#include "lib/document/reader_text.h"
#include "lib/document/sink.h"
#include "src/viewer/page_data/shared.h"

static void write_members(struct sink *out, const struct model_heads *heads)
{
#define HEAD(member)                                                                     \
	if (heads->member) {                                                             \
		sink_name(out, #member);                                                 \
		node_write(out, heads->member);                                          \
	}
	HEAD(snapshot)
	HEAD(trigger)
	HEAD(process)
	HEAD(go)
	HEAD(fault)
	HEAD(runtime)
	HEAD(verification)
	HEAD(end)
#undef HEAD
}

static void write_misshapen(struct sink *out, struct model *m, const char *name,
			    struct model_place place)
{
	const struct reader_node *node = model_open(m, place);

	if (!node)
		return;
	sink_name(out, name);
	node_write(out, node);
	node_drop(node);
}

/* As the document has it: absent, or no array, if that is so there. */
static void write_list(struct sink *out, struct model *m, const char *name,
		       enum model_list list)
{
	const size_t count = model_list_count(m, list);

	if (!model_has_list(m, list)) {
		if (count > 0)
			write_misshapen(out, m, name, model_list_at(m, list, 0));
		return;
	}
	sink_named_begin(out, name, SINK_ARRAY);
	for (size_t i = 0; i < count; i++) {
		const struct model_place place = model_list_at(m, list, i);
		AUTO(xfree) char *json = model_read(m, place);
		if (json)
			sink_add_part(out, json, place.bytes);
	}
	sink_end(out);
}

/* As it is written. */
static void copy_member(struct sink *out, const struct reader_member *member)
{
	if (member)
		sink_add_members(out, member->name - 1,
				 (size_t)(member->value + member->bytes - member->name) +
					 1);
}

struct group_out {
	struct sink *sink;
	struct shared *texts;
};

static bool write_frame(void *arg, const char *json, size_t len)
{
	const struct group_out *out = arg;

	sink_uint(out->sink, shared_json(out->texts, json, len));
	return true;
}

/* Who is in it, the rows say. */
static void write_group(struct sink *out, struct shared *texts, const char *group,
			size_t bytes)
{
	static const char *const copied[] = { "id", "runtime", "count", "fingerprint" };
	struct reader_member members[READER_MEMBERS];
	const size_t n = text_members(group, bytes, members);
	const struct reader_member *frames = text_member(members, n, "frames");

	sink_begin(out, SINK_OBJECT);
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		copy_member(out, text_member(members, n, copied[i]));
	sink_named_begin(out, "frames", SINK_ARRAY);
	if (frames)
		text_elements(frames->value, frames->bytes, write_frame,
			      &(struct group_out){ out, texts });
	sink_end(out);
	sink_end(out);
}

static void write_groups(struct sink *out, struct shared *texts)
{
	size_t count;
	const struct model_group *groups = model_groups(texts->m, &count);

	sink_named_begin(out, "groups", SINK_ARRAY);
	for (size_t i = 0; i < count; i++) {
		AUTO(xfree) char *group = model_read(texts->m, groups[i].place);
		if (group)
			write_group(out, texts, group, groups[i].place.bytes);
	}
	sink_end(out);
}

/* Last, when everything has been opened that can be damaged. */
static void write_page(struct sink *out, const struct model *m,
		       const struct head_page *page)
{
	sink_named_begin(out, "page", SINK_OBJECT);
	sink_named_string(out, "name", page->name);
	sink_named_bool(out, "whole", page->whole);
	if (!page->whole)
		sink_named_uint(out, "values_max_bytes", page->values_max);
	if (page->of_folder)
		sink_named_bool(out, "of_folder", true);
	sink_named_string(out, "damage", model_damage(m));
	sink_end(out);
}

void head_write(struct sink *out, struct shared *texts, const struct head_page *page)
{
	struct model *m = texts->m;

	sink_begin(out, SINK_OBJECT);
	write_members(out, model_heads(m));
	write_list(out, m, "findings", MODEL_FINDINGS);
	write_list(out, m, "waits", MODEL_WAITS);
	write_list(out, m, "threads", MODEL_THREADS);
	write_list(out, m, "warnings", MODEL_WARNINGS);
	write_groups(out, texts);
	write_page(out, m, page);
	sink_end(out);
}
