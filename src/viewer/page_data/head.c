/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/head.h"

#include "lib/base/util.h"
#include "lib/document/reader_text.h"
#include "lib/document/sink.h"
#include "src/viewer/page_data/shared.h"

static const char *const list_names[MODEL_LISTS] = {
	[MODEL_FINDINGS] = "findings",
	[MODEL_WAITS] = "waits",
	[MODEL_THREADS] = "threads",
	[MODEL_WARNINGS] = "warnings",
};

void head_begin(struct sink *out, const struct model *m)
{
	const struct model_heads *heads = model_heads(m);

	sink_begin(out, SINK_OBJECT);
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
	HEAD(verdict)
	HEAD(verification)
	HEAD(end)
#undef HEAD
}

const char *head_list_name(enum model_list list)
{
	return list_names[list];
}

static void write_element(struct sink *out, struct model *m, struct model_place place)
{
	AUTO(xfree) char *json = model_read(m, place);

	if (json)
		sink_add_part(out, json, place.bytes);
}

/* What is no array stays none. */
static void write_misshapen(struct sink *out, struct model *m, enum model_list list)
{
	const struct model_place place = model_list_at(m, list, 0);
	AUTO(xfree) char *json = model_read(m, place);

	if (!json)
		return;
	AUTO(xfree) char *member = xasprintf("\"%s\":%s", list_names[list], json);
	sink_add_members(out, member, strlen(member));
}

void head_write_list(struct sink *out, struct model *m, enum model_list list,
		     uint64_t limit, struct head_count *ret)
{
	uint64_t used = 0;

	*ret = (struct head_count){ .all = model_list_count(m, list) };
	if (!model_has_list(m, list)) {
		ret->left_out = ret->all > 0 && model_list_at(m, list, 0).bytes > limit;
		if (ret->all > 0 && !ret->left_out)
			write_misshapen(out, m, list);
		return;
	}
	sink_named_begin(out, list_names[list], SINK_ARRAY);
	for (size_t i = 0; i < ret->all; i++) {
		const struct model_place place = model_list_at(m, list, i);
		if (place.bytes + UINT64_C(1) > limit - used) {
			ret->left_out++;
			continue;
		}
		used += place.bytes + UINT64_C(1);
		write_element(out, m, place);
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

/* Frames may be written as numbers that are longer than themselves. */
static uint64_t bytes_of_group(const struct model_group *group)
{
	return group->place.bytes + UINT64_C(10) * group->frame_count;
}

void head_write_groups(struct sink *out, struct shared *texts, const uint32_t *order,
		       uint64_t limit, bool *ret_written, struct head_count *ret)
{
	const struct model_group *groups = model_groups(texts->m, &ret->all);

	ret->left_out = 0;
	sink_named_begin(out, "groups", SINK_ARRAY);
	for (size_t i = 0; i < ret->all; i++) {
		const uint32_t row = order ? order[i] : (uint32_t)i;
		const uint64_t used = sink_part_bytes(out) + sink_part_bytes(texts->all);
		if (used + bytes_of_group(&groups[row]) > limit) {
			ret->left_out++;
			continue;
		}
		AUTO(xfree) char *group = model_read(texts->m, groups[row].place);
		if (group)
			write_group(out, texts, group, groups[row].place.bytes);
		if (ret_written)
			ret_written[row] = true;
	}
	sink_end(out);
}

bool head_is_part(const struct head_counts *counts)
{
	bool is_part = counts->goroutines.left_out > 0 || counts->groups.left_out > 0;

	for (enum model_list list = 0; list < MODEL_LISTS; list++)
		is_part |= counts->lists[list].left_out > 0;
	return is_part;
}

static void write_count(struct sink *out, const char *name,
			const struct head_count *count)
{
	if (count->left_out > 0)
		sink_named_uint(out, name, count->all);
}

/* Of what the page has not all of. */
static void write_counts(struct sink *out, const struct head_counts *counts)
{
	sink_named_begin(out, "totals", SINK_OBJECT);
	write_count(out, "goroutines", &counts->goroutines);
	write_count(out, "groups", &counts->groups);
	for (enum model_list list = 0; list < MODEL_LISTS; list++)
		if (list_names[list])
			write_count(out, list_names[list], &counts->lists[list]);
	sink_end(out);
}

/* Last, when everything has been opened that can be damaged. */
void head_end(struct sink *out, const struct model *m, const struct head_page *page,
	      const struct head_counts *counts)
{
	sink_named_begin(out, "page", SINK_OBJECT);
	sink_named_string(out, "name", page->name);
	sink_named_bool(out, "whole", page->whole);
	if (!page->whole || head_is_part(counts))
		sink_named_uint(out, "max_bytes", page->size_max);
	if (page->of_folder)
		sink_named_bool(out, "of_folder", true);
	sink_named_string(out, "damage", model_damage(m));
	write_counts(out, counts);
	sink_end(out);
	sink_end(out);
}
