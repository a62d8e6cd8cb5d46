/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/subject.h"

#include <string.h>

#include "lib/document/reader_text.h"
#include "src/viewer/terminal/text.h"

void subject_init(struct subject *s, struct model *m)
{
	*s = (struct subject){
		.model = m,
		.module = text_of(node_get(model_heads(m)->go, "module"), NULL),
		.frame = SUBJECT_NO_FRAME,
	};
	for (size_t i = 0; i < model_list_count(m, MODEL_FINDINGS); i++) {
		const struct reader_node *finding =
			model_open(m, model_list_at(m, MODEL_FINDINGS, i));
		findings_add(&s->findings, finding);
		node_drop(finding);
	}
}

static void forget(struct subject *s)
{
	while (s->held_count > 0)
		node_drop(s->held[--s->held_count].node);
	xfree(s->words);
	xfree(s->written);
	s->words = s->written = NULL;
	s->member_count = 0;
}

void subject_done(struct subject *s)
{
	forget(s);
	findings_done(&s->findings);
	xfree(s->held);
	*s = (struct subject){ .model = NULL };
}

void subject_set_group(struct subject *s, uint32_t group)
{
	size_t n;
	const struct model_group *of = &model_groups(s->model, &n)[group];

	forget(s);
	s->row = NULL;
	s->frames = model_frames(s->model, &n) + of->first_frame;
	s->frame_count = of->frame_count;
}

void subject_set(struct subject *s, uint32_t row)
{
	size_t n;
	const struct model_goroutine *goroutine = &model_goroutines(s->model, &n)[row];

	if (goroutine->group != MODEL_NONE) {
		subject_set_group(s, goroutine->group);
	} else {
		forget(s);
		s->frames = NULL;
		s->frame_count = 0;
	}
	s->row = goroutine;
}

bool subject_held(const struct subject *s, const char *name, uint64_t number,
		  const struct reader_node **ret)
{
	for (size_t i = 0; i < s->held_count; i++) {
		const struct held *held = &s->held[i];
		if (held->number != number || !held->name != !name ||
		    (name && strcmp(held->name, name) != 0))
			continue;
		*ret = held->node;
		return true;
	}
	return false;
}

const struct reader_node *subject_hold(struct subject *s, const char *name,
				       uint64_t number, const struct reader_node *node)
{
	if (s->held_count == SUBJECT_HELD) {
		node_drop(node);
		return NULL;
	}
	GROW(s->held, s->held_count, s->held_cap);
	s->held[s->held_count++] = (struct held){ name, number, node };
	return node;
}

/* What the row says is not there need not be looked for. */
static bool lacks(const struct subject *s, const char *name)
{
	return (s->row->labels == MODEL_NO_TEXT && strcmp(name, "labels") == 0) ||
	       (s->row->waits_kind == MODEL_NO_TEXT &&
		strcmp(name, "waiting_for") == 0) ||
	       (!s->row->has_values && strcmp(name, "frames") == 0);
}

/* The model has the text of labels. */
static const struct reader_node *labels(const struct subject *s)
{
	const char *words = model_text_of(s->model, s->row->labels);

	return node_of_text(words, strlen(words));
}

/* The member as it is written. */
static const struct reader_member *written(struct subject *s, const char *name)
{
	if (!s->written) {
		s->written = model_written(s->model, s->row->place);
		s->member_count = s->written
					  ? text_members(s->written, s->row->place.bytes,
							 s->members)
					  : 0;
	}
	return text_member(s->members, s->member_count, name);
}

static const struct reader_node *parse(struct subject *s, const char *name)
{
	const struct reader_member *member = written(s, name);

	return member ? node_of_text(member->value, member->bytes) : NULL;
}

const struct reader_node *subject_member(struct subject *s, const char *name)
{
	const struct reader_node *node = NULL;

	if (!s->row || lacks(s, name) || subject_held(s, name, 0, &node))
		return node;
	return subject_hold(s, name, 0,
			    strcmp(name, "labels") == 0 ? labels(s) : parse(s, name));
}

/* Frames without that name in them need not be parsed. Texts with escapes might have it all the same. */
static bool may_have(const struct reader_member *frames, const char *name)
{
	static const char escape[] = "\\u";
	AUTO(xfree) char *quoted = xasprintf("\"%s\"", name);

	return strpbrk(name, "\"\\") ||
	       memmem(frames->value, frames->bytes, quoted, strlen(quoted)) ||
	       memmem(frames->value, frames->bytes, escape, strlen(escape));
}

const struct reader_node *subject_values(struct subject *s, const char *name)
{
	const struct reader_node *node = NULL;

	if (!s->row || !s->row->has_values || subject_held(s, "frames", 0, &node))
		return node;
	const struct reader_member *frames = written(s, "frames");
	return frames && may_have(frames, name) ? subject_member(s, "frames") : NULL;
}

bool subject_selects(const struct subject *s)
{
	return s->row &&
	       strcmp(model_text_of(s->model, s->row->waits_kind), "select") == 0;
}

const struct reader_node *subject_object(struct subject *s, uint64_t number)
{
	const struct reader_node *node = NULL;

	if (subject_held(s, NULL, number, &node))
		return node;
	return subject_hold(s, NULL, number, model_open_object(s->model, number));
}

static bool text(const struct subject *s, model_text number, struct fact *ret)
{
	*ret = (struct fact){ .kind = FACT_TEXT,
			      .interned = number,
			      .text = model_text_of(s->model, number) };
	return number != MODEL_NO_TEXT;
}

static bool number(int64_t value, int64_t absent, struct fact *ret)
{
	*ret = (struct fact){ .kind = FACT_NUMBER, .number = (long double)value };
	return value != absent;
}

static bool address(uint64_t value, struct fact *ret)
{
	*ret = (struct fact){ .kind = FACT_ADDRESS, .number = (long double)value };
	return value != 0;
}

static bool truth(bool value, struct fact *ret)
{
	*ret = (struct fact){ .kind = FACT_BOOL, .truth = value };
	return true;
}

static bool group(const struct subject *s, struct fact *ret)
{
	size_t n;
	const struct model_group *groups = model_groups(s->model, &n);

	return s->row->group != MODEL_NONE && number(groups[s->row->group].id, -1, ret);
}

/* The model has the program counter if the function is unknown. */
static bool creator(const struct subject *s, struct fact *ret)
{
	return text(s, s->row->creator, ret) && strncmp(ret->text, "0x", 2) != 0;
}

bool subject_row(struct subject *s, const struct field *field, struct fact *ret)
{
	const struct model_goroutine *row = s->row;

	if (!row)
		return false;
	switch (field->row) {
	case ROW_ID:
		return number(row->id, -1, ret);
	case ROW_STATUS:
		return text(s, row->status, ret);
	case ROW_REASON:
		return text(s, row->reason, ret);
	case ROW_STATE:
		return text(s, model_state(row), ret);
	case ROW_WAITING:
		return number(row->waiting_ns, -1, ret);
	case ROW_RUNNABLE:
		return number(row->runnable_ns, -1, ret);
	case ROW_SYSTEM:
		return truth(row->system, ret);
	case ROW_LOCKED:
		return truth(row->locked, ret);
	case ROW_PANICS:
		return truth(row->panics, ret);
	case ROW_INCOMPLETE:
		return truth(row->incomplete, ret);
	case ROW_GROUP:
		return group(s, ret);
	case ROW_THREAD:
		return number(row->thread, -1, ret);
	case ROW_PARENT:
		return number(row->parent, -1, ret);
	case ROW_CREATOR:
		return creator(s, ret);
	case ROW_CREATOR_FILE:
		return text(s, row->creator_file, ret);
	case ROW_CREATOR_LINE:
		return number(row->creator_line, 0, ret);
	case ROW_ENTRY:
		return text(s, row->entry, ret);
	case ROW_WAITS_KIND:
		return text(s, row->waits_kind, ret);
	case ROW_WAITS_OPERATION:
		return text(s, row->waits_operation, ret);
	case ROW_WAITS_ADDRESS:
		return address(row->waits_address, ret);
	default:
		return false;
	}
}

static bool package(struct subject *s, const char *function, model_text interned,
		    struct fact *ret)
{
	const size_t len = package_length(function);

	xfree(s->words);
	s->words = xstrndup(function, len);
	*ret = (struct fact){ .kind = FACT_TEXT, .text = s->words, .interned = interned };
	return len > 0;
}

static bool language(bool is_c, struct fact *ret)
{
	*ret = (struct fact){ .kind = FACT_TEXT, .text = is_c ? "c" : "go" };
	return true;
}

static bool frame_of_model(struct subject *s, const struct model_frame *f,
			   enum field_row what, struct fact *ret)
{
	const char *function = model_text_of(s->model, f->function);

	switch (what) {
	case ROW_FUNCTION:
		return text(s, f->function, ret);
	case ROW_PACKAGE:
		return package(s, function, f->function, ret);
	case ROW_FILE:
		return text(s, f->file, ret);
	case ROW_LINE:
		return number(f->line, 0, ret);
	case ROW_PC:
		return address(f->pc, ret);
	case ROW_HIDDEN:
		return truth(f->hidden, ret);
	case ROW_INLINED:
		return truth(f->inlined, ret);
	case ROW_OWN:
		return truth(!f->is_c && is_own(s->module, function), ret);
	case ROW_LANGUAGE:
		return language(f->is_c, ret);
	default:
		return false;
	}
}

/* Of a goroutine whose group the document has not. */
static bool frame_of_node(struct subject *s, const struct reader_node *f,
			  enum field_row what, struct fact *ret)
{
	const char *function = text_of(node_get(f, "function"), "");

	switch (what) {
	case ROW_FUNCTION:
		return fact_of_node(node_get(f, "function"), FIELD_TEXT, ret);
	case ROW_PACKAGE:
		return package(s, function, MODEL_NO_TEXT, ret);
	case ROW_FILE:
		return fact_of_node(node_get(f, "file"), FIELD_TEXT, ret);
	case ROW_LINE:
		return fact_of_node(node_get(f, "line"), FIELD_NUMBER, ret);
	case ROW_PC:
		return fact_of_node(node_get(f, "pc"), FIELD_ADDRESS, ret);
	case ROW_HIDDEN:
		return truth(node_bool(node_get(f, "hidden"), false), ret);
	case ROW_INLINED:
		return truth(node_bool(node_get(f, "inlined"), false), ret);
	case ROW_OWN:
		return truth(is_own(s->module, function), ret);
	case ROW_LANGUAGE:
		return fact_of_node(node_get(f, "language"), FIELD_TEXT, ret);
	default:
		return false;
	}
}

bool subject_frame(struct subject *s, const struct field *field, struct fact *ret)
{
	if (s->frame < s->frame_count)
		return frame_of_model(s, &s->frames[s->frame], field->row, ret);
	return !s->frames &&
	       frame_of_node(s, node_at(subject_member(s, "frames"), s->frame),
			     field->row, ret);
}

size_t subject_frame_count(struct subject *s)
{
	return s->frames ? s->frame_count : node_count(subject_member(s, "frames"));
}
