/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "value_printers.h"

static void print_field(struct printing *p, const struct value *v,
			const struct type_field *field)
{
	struct value inside = { field->type, v->addr + field->off };
	const char *before = withhold_named(p, field->name, strlen(field->name));

	sink_begin(p->out, SINK_OBJECT);
	sink_named_string(p->out, "name", field->name);
	if (field->embedded)
		sink_named_bool(p->out, "embedded", true);
	print_value_members(p, &inside);
	sink_end(p->out);
	p->withheld = before;
}

/* Of a header, an attribute, a pair: what its other fields hold has the name that this one says. */
static const char *withhold_pair(struct printing *p, const struct value *v)
{
	static const char *const names[] = { "Key", "key", "Name", "name", "K", "k" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct type_field *f = type_field_named(v->type, names[i]);
		if (f && f->type)
			return withhold_keyed(
				p, &(struct value){ f->type, v->addr + f->off });
	}
	return p->withheld;
}

void print_struct(struct printing *p, const struct value *v)
{
	size_t n = type_field_count(v->type), i = 0;

	if (!may_descend(p, n))
		return;
	const char *before = withhold_pair(p, v);
	sink_named_begin(p->out, "fields", SINK_ARRAY);
	for (; i < n && has_room(p); i++)
		print_field(p, v, type_field(v->type, i));
	sink_end(p->out);
	p->withheld = before;
	if (i < n)
		print_elided(p, n - i, LIMITED_BY_SIZE);
}
