/* SPDX-License-Identifier: Apache-2.0 */
#include "value_printers.h"

static void print_buffer(struct printing *p, const struct channel_value *c,
			 const struct type *elem)
{
	uint64_t i = 0,
		 most = c->len < p->bounds->elements ? c->len : p->bounds->elements;

	if (!may_descend(p, c->len))
		return;
	sink_named_begin(p->out, "elements", SINK_ARRAY);
	for (; i < most && has_room(p); i++)
		print_value(p, &(struct value){ elem, channel_element(c, i) });
	sink_end(p->out);
	if (i < c->len)
		print_elided(p, c->len - i,
			     i < most ? LIMITED_BY_SIZE : LIMITED_BY_ELEMENTS);
}

void print_channel(struct printing *p, const struct value *v)
{
	const struct type *elem = type_elem(v->type);
	struct channel_value c;
	struct err err;

	if (!runtime_channel(p->rt, v, &c, &err)) {
		print_unreadable(p, err.text);
		return;
	}
	if (!c.addr) {
		sink_named_bool(p->out, "nil", true);
		return;
	}
	sink_named_uint(p->out, "len", c.len);
	sink_named_uint(p->out, "cap", c.cap);
	sink_named_bool(p->out, "closed", c.closed);
	print_buffer(p, &c, elem);
}
