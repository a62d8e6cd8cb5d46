/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/buffer.h"
#include "printers/values/notes.h"

const char *redact_field(struct printing *p, const struct value *v, size_t i,
			 const char *pair)
{
	const char *before = p->redacted;
	const struct field_notes *notes = &notes_of_fields(p, v->type)->fields[i];

	if (before && (!notes->open || redaction_is_users_rule(before)))
		return before;
	if (pair && is_named_by(naming_field(v->type), type_field(v->type, i)))
		p->redacted = pair;
	else
		p->redacted = notes->redacted;
	return before;
}

static void print_field(struct printing *p, const struct value *v, size_t i,
			const struct field_notes *notes, const char *pair,
			uint64_t consumed)
{
	const struct type_field *field = type_field(v->type, i);
	struct value inside = { field->type, v->addr + field->off };
	const char *before = redact_field(p, v, i, pair);
	const bool is_public = p->is_public, in_web_key = p->in_web_key;

	p->is_public |= notes->is_public;
	p->in_web_key |= notes->is_of_web_key;
	sink_begin(p->out, SINK_OBJECT);
	print_members(p->out, notes->head);
	p->consumed = consumed;
	print_inside(p, &inside);
	p->consumed = 0;
	sink_end(p->out);
	p->redacted = before;
	p->is_public = is_public;
	p->in_web_key = in_web_key;
}

void print_struct(struct printing *p, const struct value *v)
{
	size_t n = type_field_count(v->type), i = 0, hidden = 0;
	const struct type_notes *notes = notes_of_fields(p, v->type);
	const char *beyond = reaches_beyond(p, v->addr, type_size(v->type));

	if (beyond) {
		print_unreadable(p, beyond);
		return;
	}
	const uint64_t consumed = note_buffer(p, v, notes->buffer);
	if (!may_descend(p, n))
		return;
	const char *pair = p->redacted ? NULL : rule_of_pair(p, v);
	sink_named_begin(p->out, "fields", SINK_ARRAY);
	for (; i < n && has_room(p); i++) {
		if (notes->fields[i].hidden)
			hidden++;
		else
			print_field(p, v, i, &notes->fields[i], pair,
				    notes->fields[i].is_buffer ? consumed : 0);
	}
	sink_end(p->out);
	if (hidden)
		sink_named_uint(p->out, "fields_hidden", hidden);
	if (i < n)
		print_omitted(p, n - i, LIMITED_BY_OUTPUT_BYTES);
}
