/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/model/model.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/document/reader_text.h"
#include "src/viewer/model/model_priv.h"

static const struct {
	const char *name;
	size_t at;
} heads[] = {
	{ "snapshot", offsetof(struct model_heads, snapshot) },
	{ "trigger", offsetof(struct model_heads, trigger) },
	{ "process", offsetof(struct model_heads, process) },
	{ "go", offsetof(struct model_heads, go) },
	{ "fault", offsetof(struct model_heads, fault) },
	{ "runtime", offsetof(struct model_heads, runtime) },
	{ "verdict", offsetof(struct model_heads, verdict) },
	{ "verification", offsetof(struct model_heads, verification) },
	{ "end", offsetof(struct model_heads, end) },
};

static const char *const lists[MODEL_LISTS] = {
	[MODEL_FINDINGS] = "findings", [MODEL_WAITS] = "waits",
	[MODEL_THREADS] = "threads",   [MODEL_WARNINGS] = "warnings",
	[MODEL_GLOBALS] = "globals",
};

static const struct reader_node **head_at(struct model_heads *all, size_t at)
{
	return (const struct reader_node **)((char *)all + at);
}

static void set_head(struct model *m, const struct reader_node **head, const char *member,
		     const struct reader_text *text)
{
	node_drop(*head);
	*head = NULL;
	if (text->bytes <= LIMIT_MODEL_HEADS - m->head_bytes) {
		m->head_bytes += text->bytes;
		*head = node_of_text(text->text, text->bytes);
		return;
	}
	err_set(&m->damage, ERR_LIMIT, "%s: too large: \"%s\" is left out",
		reader_name(m->reader), member);
}

static void add_head(struct model *m, const char *member, const struct reader_text *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (strcmp(member, heads[i].name) == 0)
			set_head(m, head_at(&m->heads, heads[i].at), member, text);
}

static void add_place(struct place_list *all, const struct reader_text *text)
{
	GROW(all->list, all->count, all->cap);
	all->list[all->count++] =
		(struct model_place){ text->offset, (uint32_t)text->bytes };
}

static void add(struct model *m, const char *member, const struct reader_text *text)
{
	if (strcmp(member, "goroutines") == 0) {
		rows_add_goroutine(m, text);
		return;
	}
	if (strcmp(member, "groups") == 0) {
		rows_add_group(m, text);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(member, lists[i]) == 0) {
			add_place(&m->lists[i], text);
			return;
		}
	}
	add_head(m, member, text);
}

static bool add_element(void *arg, const char *member, size_t index,
			const struct reader_text *text)
{
	struct model *m = arg;
	const bool is_object = strcmp(member, "objects") == 0;
	size_t *count = is_object ? &m->object_count : &m->element_count;

	(void)index;
	if (++*count > LIMIT_MODEL_ROWS)
		return err_set(&m->damage, ERR_LIMIT,
			       "%s: too large: the rest of \"%.40s\" is left out",
			       reader_name(m->reader), member);
	if (is_object)
		inliner_add(m->objects, text);
	else
		add(m, member, text);
	return true;
}

static void note_array(void *arg, const char *member, bool begins)
{
	struct model *m = arg;

	(void)begins;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		m->lists[i].present |= strcmp(member, lists[i]) == 0;
}

struct model *model_load(struct reader *reader, struct err *err)
{
	AUTO(model_free) struct model *m = xcalloc(1, sizeof(*m));
	const struct reader_calls calls = { .text = add_element,
					    .array = note_array,
					    .arg = m };
	struct err broken;

	m->reader = reader;
	m->objects = inliner_empty(reader, err);
	if (!m->objects)
		return NULL;
	if (!reader_visit(reader, &calls, &broken))
		m->damage = broken;
	rows_done(m);
	return TAKE(m);
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		node_drop(*head_at(&m->heads, heads[i].at));
	for (size_t i = 0; i < MODEL_LISTS; i++)
		xfree(m->lists[i].list);
	inliner_free(m->objects);
	reader_close(m->reader);
	texts_done(&m->texts);
	table_free(&m->goroutine_rows);
	table_free(&m->group_rows);
	xfree(m->goroutines);
	xfree(m->groups);
	xfree(m->frames);
	xfree(m->members);
	xfree(m->group_ids);
	xfree(m);
}

const char *model_damage(const struct model *m)
{
	return err_is(&m->damage, ERR_NONE) ? NULL : m->damage.text;
}

bool model_is_whole(const struct model *m, struct err *err)
{
	if (!err_is(&m->damage, ERR_NONE))
		*err = m->damage;
	return err_is(&m->damage, ERR_NONE);
}

const struct model_heads *model_heads(const struct model *m)
{
	return &m->heads;
}

const struct model_goroutine *model_goroutines(const struct model *m, size_t *ret_count)
{
	*ret_count = m->goroutine_count;
	return m->goroutines;
}

const struct model_group *model_groups(const struct model *m, size_t *ret_count)
{
	*ret_count = m->group_count;
	return m->groups;
}

const struct model_frame *model_frames(const struct model *m, size_t *ret_count)
{
	*ret_count = m->frame_count;
	return m->frames;
}

const uint32_t *model_members(const struct model *m)
{
	return m->members;
}

const char *model_text_of(const struct model *m, model_text number)
{
	return texts_get(&m->texts, number);
}

size_t model_text_count(const struct model *m)
{
	return m->texts.count ? m->texts.count : 1;
}

static void index_goroutines(struct model *m)
{
	for (size_t i = 0; i < m->goroutine_count; i++) {
		const uint64_t id = (uint64_t)m->goroutines[i].id;
		if (!table_get(&m->goroutine_rows, id, 0))
			table_set(&m->goroutine_rows, id, 0, i + 1);
	}
}

static uint32_t row_in(const struct table *rows, int64_t id)
{
	const uint64_t row = table_get(rows, (uint64_t)id, 0);

	return row ? (uint32_t)(row - 1) : MODEL_NONE;
}

uint32_t model_find_goroutine(struct model *m, int64_t id)
{
	if (m->goroutine_rows.count == 0)
		index_goroutines(m);
	return row_in(&m->goroutine_rows, id);
}

uint32_t model_find_group(struct model *m, int64_t id)
{
	return row_in(&m->group_rows, id);
}

model_text model_state(const struct model_goroutine *g)
{
	return g->reason != MODEL_NO_TEXT ? g->reason : g->status;
}

bool model_has_list(const struct model *m, enum model_list list)
{
	return m->lists[list].present;
}

size_t model_list_count(const struct model *m, enum model_list list)
{
	return m->lists[list].count;
}

struct model_place model_list_at(const struct model *m, enum model_list list, size_t i)
{
	return i < m->lists[list].count ? m->lists[list].list[i]
					: (struct model_place){ 0, 0 };
}

size_t model_object_count(const struct model *m)
{
	return inliner_count(m->objects);
}

struct model_place model_object_at(const struct model *m, size_t i)
{
	size_t bytes;
	const uint64_t offset = inliner_offset(m->objects, i, &bytes);

	return (struct model_place){ offset, (uint32_t)bytes };
}

static void note_damage(struct model *m, struct model_place place)
{
	if (place.bytes > 0 && err_is(&m->damage, ERR_NONE))
		err_set(&m->damage, ERR_BAD_DATA,
			"%s: damaged at byte %" PRIu64 ": invalid JSON",
			reader_name(m->reader), place.offset);
}

const struct reader_node *model_open(struct model *m, struct model_place place)
{
	const struct reader_node *node = reader_at(m->reader, place.offset, place.bytes);

	if (!node)
		note_damage(m, place);
	return node;
}

char *model_written(struct model *m, struct model_place place)
{
	return place.bytes ? reader_text_at(m->reader, place.offset, place.bytes) : NULL;
}

const struct reader_node *model_open_inline(struct model *m, struct model_place place,
					    unsigned depth)
{
	const struct reader_node *node = model_open(m, place);
	const struct reader_node *whole =
		node ? inliner_fill(m->objects, node, depth) : NULL;

	node_drop(node);
	return whole;
}

char *model_read(struct model *m, struct model_place place)
{
	AUTO(xfree) char *text = model_written(m, place);

	if (text && text_is_json(text, place.bytes))
		return TAKE(text);
	note_damage(m, place);
	return NULL;
}

const struct reader_node *model_open_object(struct model *m, uint64_t number)
{
	return inliner_object(m->objects, number);
}

const struct reader_node *model_open_member(struct model *m, struct model_place place,
					    const char *name)
{
	AUTO(xfree) char *text = reader_text_at(m->reader, place.offset, place.bytes);
	struct reader_member list[READER_MEMBERS];

	if (!text)
		return NULL;
	const struct reader_member *member =
		text_member(list, text_members(text, place.bytes, list), name);
	return member ? node_of_text(member->value, member->bytes) : NULL;
}
