/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

void print_target(struct printing *p, const struct value *target)
{
	/* It may be in registers; then only its debugging information makes it a
	 * target. */
	const bool has_address = value_has_address(target);

	if (has_address && !has_memory(p, target->addr)) {
		print_nowhere(p);
		return;
	}
	if (has_address)
		sink_named_address(p->out, "to", target->addr);
	if (!target->type || p->pointers >= p->bounds->pointers ||
	    p->depth > p->bounds->depth || !has_room(p) ||
	    (has_address && was_seen(p, target)))
		return;
	p->pointers++;
	print_named_value(p, "target", target);
	p->pointers--;
}

void print_pointer(struct printing *p, const struct value *v)
{
	struct value target = { type_elem(v->type), 0 };

	if (!read_value(p, v, &target.addr, sizeof(target.addr)))
		return;
	if (target.addr)
		print_target(p, &target);
	else
		sink_named_bool(p->out, "nil", true);
}
