/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

static void print_field(struct printing *p, const struct value *v,
			const struct type_field *field, const struct field_notes *notes)
{
	struct value inside = { field->type, v->addr + field->off };
	const char *before = p->withheld;

	if (!before)
		p->withheld = notes->withheld;
	sink_begin(p->out, SINK_OBJECT);
	print_members(p->out, notes->head);
	print_value_rest(p, &inside);
	sink_end(p->out);
	p->withheld = before;
}

/* Of a header, an attribute, a pair: what its other fields hold has the name that this one says. */
const char *withhold_pair(struct printing *p, const struct value *v)
{
	const struct type_field *f = notes_of_fields(p, v->type)->naming;

	if (!f)
		return p->withheld;
	return withhold_keyed(p, &(struct value){ f->type, v->addr + f->off });
}

void print_struct(struct printing *p, const struct value *v)
{
	size_t n = type_field_count(v->type), i = 0, hidden = 0;
	const struct type_notes *notes = notes_of_fields(p, v->type);

	if (!may_descend(p, n))
		return;
	const char *before = withhold_pair(p, v);
	sink_named_begin(p->out, "fields", SINK_ARRAY);
	for (; i < n && has_room(p); i++) {
		if (notes->fields[i].hidden)
			hidden++;
		else
			print_field(p, v, type_field(v->type, i), &notes->fields[i]);
	}
	sink_end(p->out);
	p->withheld = before;
	if (hidden)
		sink_named_uint(p->out, "hidden_fields", hidden);
	if (i < n)
		print_elided(p, n - i, LIMITED_BY_SIZE);
}
