/* SPDX-License-Identifier: Apache-2.0 */
#include "value_printers.h"

static uint64_t in_buffer(const void *arg, uint64_t i)
{
	return channel_element(arg, i);
}

void print_channel(struct printing *p, const struct value *v)
{
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
	print_elements(p, type_elem(v->type), c.len, in_buffer, &c);
}
