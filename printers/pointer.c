/* SPDX-License-Identifier: Apache-2.0 */
#include "value_printers.h"

void print_pointer(struct printing *p, const struct value *v)
{
	const struct type *elem = type_elem(v->type);
	struct value target = { elem, 0 };

	if (!read_value(p, v, &target.addr, sizeof(target.addr)))
		return;
	if (!target.addr) {
		sink_named_bool(p->out, "nil", true);
		return;
	}
	sink_named_address(p->out, "to", target.addr);
	if (!elem || p->pointers >= p->bounds->pointers || p->depth > p->bounds->depth ||
	    !has_room(p) || was_seen(p, &target))
		return;
	p->pointers++;
	print_named_value(p, "target", &target);
	p->pointers--;
}
