/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "rules.h"

/* A secret is shown as one: what is withheld here is known again elsewhere. */
static bool is_hidden(struct printing *p, const struct rule *rule, const char *name)
{
	return rule_hides(rule, name) &&
	       !redaction_of_name(p->redaction, name, strlen(name));
}

static void print_field(struct printing *p, const struct value *v,
			const struct type_field *field, const struct rule *rule)
{
	struct value inside = { field->type, v->addr + field->off };
	const char *name = rule_name(rule, field->name);
	const char *before = withhold_named(p, field->name, strlen(field->name));

	sink_begin(p->out, SINK_OBJECT);
	sink_named_string(p->out, "name", name);
	if (name != field->name)
		sink_named_string(p->out, "renamed_from", field->name);
	if (field->embedded)
		sink_named_bool(p->out, "embedded", true);
	print_value_members(p, &inside);
	sink_end(p->out);
	p->withheld = before;
}

/* Of a header, an attribute, a pair: what its other fields hold has the name that this one says. */
const char *withhold_pair(struct printing *p, const struct value *v)
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
	const struct rule *rule = rule_for(p->bounds->rules, v->type);
	size_t n = type_field_count(v->type), i = 0, hidden = 0;

	if (!may_descend(p, n))
		return;
	const char *before = withhold_pair(p, v);
	sink_named_begin(p->out, "fields", SINK_ARRAY);
	for (; i < n && has_room(p); i++) {
		const struct type_field *field = type_field(v->type, i);
		if (is_hidden(p, rule, field->name))
			hidden++;
		else
			print_field(p, v, field, rule);
	}
	sink_end(p->out);
	p->withheld = before;
	if (hidden)
		sink_named_uint(p->out, "hidden_fields", hidden);
	if (i < n)
		print_elided(p, n - i, LIMITED_BY_SIZE);
}
