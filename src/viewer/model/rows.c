/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - what rows say of goroutines and groups, from the text of the document. */
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/utf8.h"
#include "lib/document/reader_text.h"
#include "src/viewer/model/model_priv.h"

struct members {
	struct reader_member list[READER_MEMBERS];
	size_t count;
};

static void open_object(const struct reader_member *object, struct members *ret)
{
	ret->count = object ? text_members(object->value, object->bytes, ret->list) : 0;
}

static const struct reader_member *get(const struct members *members, const char *name)
{
	return text_member(members->list, members->count, name);
}

/* As it is written, if it has no escapes; else what it means. */
static model_text string(struct model *m, const struct reader_member *member)
{
	if (!member || member->bytes < 2 || member->value[0] != '"')
		return MODEL_NO_TEXT;
	const char *text = member->value + 1;
	const size_t len = member->bytes - 2;
	if (!memchr(text, '\\', len) && utf8_valid(text, len))
		return texts_number(&m->texts, text, len);
	const struct reader_node *node = node_of_text(member->value, member->bytes);
	const char *words = node_string(node, "");
	const model_text number = texts_number(&m->texts, words, strlen(words));
	node_drop(node);
	return number;
}

static bool is_text(const struct reader_member *member, const char *words)
{
	const size_t len = strlen(words);

	return member && member->bytes == len + 2 &&
	       memcmp(member->value + 1, words, len) == 0;
}

static struct model_place place_of(const struct reader_text *text)
{
	return (struct model_place){ text->offset, (uint32_t)text->bytes };
}

static uint32_t line_of(const struct members *place)
{
	const int64_t line = text_int(get(place, "line"), 0);

	return line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
}

/* More than an empty array. */
static bool is_filled(const struct reader_member *array)
{
	return array && array->bytes > 2;
}

static void add_frame(struct model *m, const struct members *frame)
{
	GROW(m->frames, m->frame_count, m->frame_cap);
	m->frames[m->frame_count++] = (struct model_frame){
		.pc = text_address(get(frame, "pc"), 0),
		.function = string(m, get(frame, "function")),
		.file = string(m, get(frame, "file")),
		.line = line_of(frame),
		.hidden = text_bool(get(frame, "hidden"), false),
		.inlined = text_bool(get(frame, "inlined"), false),
		.is_c = is_text(get(frame, "language"), "c"),
	};
}

static bool take_frame(void *arg, const char *value, size_t bytes)
{
	struct model *m = arg;
	struct members frame;

	frame.count = text_members(value, bytes, frame.list);
	if (m->frame_count < LIMIT_MODEL_FRAMES)
		add_frame(m, &frame);
	return true;
}

static bool count_element(void *arg, const char *value, size_t bytes)
{
	(void)value;
	(void)bytes;
	++*(uint64_t *)arg;
	return true;
}

static uint64_t size_of(const struct reader_text *text)
{
	const struct reader_member *ids =
		text_member(text->members, text->member_count, "goroutines");
	const int64_t count =
		text_int(text_member(text->members, text->member_count, "count"), -1);
	uint64_t listed = 0;

	if (count >= 0)
		return (uint64_t)count;
	if (ids)
		text_elements(ids->value, ids->bytes, count_element, &listed);
	return listed;
}

void rows_add_group(struct model *m, const struct reader_text *text)
{
	const struct reader_member *frames =
		text_member(text->members, text->member_count, "frames");
	struct model_group group = {
		.id = text_int(text_member(text->members, text->member_count, "id"), -1),
		.count = size_of(text),
		.place = place_of(text),
		.first_frame = (uint32_t)m->frame_count,
	};

	if (frames)
		text_elements(frames->value, frames->bytes, take_frame, m);
	group.frame_count = (uint32_t)m->frame_count - group.first_frame;
	GROW(m->groups, m->group_count, m->group_cap);
	m->groups[m->group_count++] = group;
	if (!table_get(&m->group_rows, (uint64_t)group.id, 0))
		table_set(&m->group_rows, (uint64_t)group.id, 0, m->group_count);
}

static void note_wait(struct model *m, const struct reader_member *waiting_for,
		      struct model_goroutine *row)
{
	struct members what;

	open_object(waiting_for, &what);
	row->waits_kind = string(m, get(&what, "kind"));
	row->waits_operation = string(m, get(&what, "operation"));
	row->waits_address = text_address(get(&what, "address"), 0);
}

static void note_origin(struct model *m, const struct members *g,
			struct model_goroutine *row)
{
	struct members place;

	open_object(get(g, "created_by"), &place);
	row->creator = string(m, get(&place, "function"));
	if (row->creator == MODEL_NO_TEXT)
		row->creator = string(m, get(&place, "pc"));
	row->creator_file = string(m, get(&place, "file"));
	row->creator_line = line_of(&place);
	row->parent = text_int(get(&place, "goroutine"), -1);
	open_object(get(g, "entry"), &place);
	row->entry = string(m, get(&place, "function"));
}

static bool is_incomplete(const struct reader_member *unwind)
{
	struct members end;

	open_object(unwind, &end);
	const struct reader_member *status = get(&end, "status");
	return status && !is_text(status, "complete");
}

static struct model_goroutine row_of(struct model *m, const struct members *g)
{
	const struct reader_member *labels = get(g, "labels"),
				   *runtime = get(g, "runtime");
	struct members stack;

	open_object(get(g, "stack"), &stack);
	struct model_goroutine row = {
		.id = text_int(get(g, "id"), -1),
		.group = MODEL_NONE,
		.status = string(m, get(g, "status")),
		.reason = is_text(get(g, "status"), "waiting")
				  ? string(m, get(g, "wait_reason"))
				  : MODEL_NO_TEXT,
		.waiting_ns = text_int(get(g, "waiting_ns"), -1),
		.runnable_ns = text_int(get(g, "runnable_ns"), -1),
		.thread = text_int(get(g, "thread"), -1),
		.stack_bytes = text_int(get(&stack, "size_bytes"), -1),
		.system = text_bool(get(g, "system"), false),
		.locked = text_bool(get(g, "locked"), false),
		.panics = is_filled(get(g, "panics")),
		.has_values = get(g, "frames") != NULL,
		.incomplete = is_incomplete(get(g, "unwind")),
	};

	if (is_filled(labels))
		row.labels = texts_number(&m->texts, labels->value, labels->bytes);
	if (runtime)
		row.runtime = texts_number(&m->texts, runtime->value, runtime->bytes);
	note_wait(m, get(g, "waiting_for"), &row);
	note_origin(m, g, &row);
	return row;
}

void rows_add_goroutine(struct model *m, const struct reader_text *text)
{
	struct members g;

	g.count = text->member_count;
	memcpy(g.list, text->members, g.count * sizeof(g.list[0]));
	GROW(m->goroutines, m->goroutine_count, m->goroutine_cap);
	GROW(m->group_ids, m->goroutine_count, m->group_id_cap);
	m->goroutines[m->goroutine_count] = row_of(m, &g);
	m->goroutines[m->goroutine_count].place = place_of(text);
	m->group_ids[m->goroutine_count] = text_int(get(&g, "group"), -1);
	m->goroutine_count++;
}

static void find_groups(struct model *m)
{
	for (size_t i = 0; i < m->goroutine_count; i++) {
		const uint64_t row =
			table_get(&m->group_rows, (uint64_t)m->group_ids[i], 0);
		if (row == 0)
			continue;
		m->goroutines[i].group = (uint32_t)(row - 1);
		m->groups[row - 1].member_count++;
	}
	xfree(m->group_ids);
	m->group_ids = NULL;
}

void rows_done(struct model *m)
{
	uint32_t at = 0;

	find_groups(m);
	for (size_t i = 0; i < m->group_count; i++) {
		m->groups[i].first_member = at;
		at += m->groups[i].member_count;
		m->groups[i].member_count = 0;
	}
	m->members = xcalloc(m->goroutine_count + 1, sizeof(*m->members));
	for (size_t i = 0; i < m->goroutine_count; i++) {
		const uint32_t row = m->goroutines[i].group;
		if (row == MODEL_NONE)
			continue;
		struct model_group *group = &m->groups[row];
		m->members[group->first_member + group->member_count++] = (uint32_t)i;
	}
}
