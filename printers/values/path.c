/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - redacts a value picked out of others just as when it is printed with them. */
#include "printers/values/buffer.h"
#include "printers/values/notes.h"

/* What precedes it tells whether it is secret: --password, or a piece of a key. */
static void redact_in_list(struct printing *p, const struct value_step *list)
{
	enum { BEFORE_MAX = 1 << 16 }; /* as many as are printed of a list */
	struct value element = { type_elem(list->of.type), 0 };
	struct listed listed = { .before = element };
	uint64_t i = list->index > BEFORE_MAX ? list->index - BEFORE_MAX : 0;

	for (; !p->redacted && i <= list->index; i++) {
		element.addr = list->first + i * type_size(element.type);
		p->secret_from = 0;
		redact_element(p, &listed, &element, i, list->count);
		if (i == list->index)
			break;
		p->redacted = NULL;
		pass_over(p, &element);
	}
}

/* The field may be the bytes of a buffer. */
static void note_step(struct printing *p, const struct value_step *step)
{
	const struct type_notes *notes = notes_of_fields(p, step->of.type);
	const uint64_t consumed = note_buffer(p, &step->of, notes->buffer);

	p->consumed =
		notes->buffer && notes->fields[step->index].is_buffer ? consumed : 0;
}

static void redact_step(struct printing *p, const struct value_step *step)
{
	const struct value *v = &step->of;

	p->consumed = 0;
	redact_of_type(p, notes_of(p, v->type));
	switch (type_kind(v->type)) {
	case KIND_ARRAY:
	case KIND_SLICE:
		if (!p->redacted)
			redact_in_list(p, step);
		break;
	case KIND_POINTER:
		break;
	default:
		note_step(p, step);
		redact_field(p, v, (size_t)step->index,
			     p->redacted ? NULL : rule_of_pair(p, v));
		break;
	}
}

void redact_behind(struct printing *p, const struct value_path *path)
{
	/* Of what is secret some fields are not. */
	for (size_t i = 0; i < path->count; i++)
		redact_step(p, &path->steps[i]);
}
