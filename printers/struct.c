/* SPDX-License-Identifier: Apache-2.0 */
#include "value_printers.h"

static void print_field(struct printing *p, const struct value *v,
			const struct type_field *field)
{
	struct value inside = { field->type, v->addr + field->off };

	sink_begin(p->out, SINK_OBJECT);
	sink_named_string(p->out, "name", field->name);
	if (field->embedded)
		sink_named_bool(p->out, "embedded", true);
	print_value_members(p, &inside);
	sink_end(p->out);
}

void print_struct(struct printing *p, const struct value *v)
{
	size_t n = type_field_count(v->type), i = 0;

	if (!may_descend(p, n))
		return;
	sink_named_begin(p->out, "fields", SINK_ARRAY);
	for (; i < n && has_room(p); i++)
		print_field(p, v, type_field(v->type, i));
	sink_end(p->out);
	if (i < n)
		print_elided(p, n - i, LIMITED_BY_SIZE);
}
