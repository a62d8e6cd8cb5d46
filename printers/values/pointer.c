/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/notes.h"

/* The document has all goroutines already. */
static bool print_goroutine_of(struct printing *p, const struct value *target)
{
	uint64_t id;
	struct err ignored;

	if (!notes_of(p, target->type)->is_goroutine ||
	    !runtime_goroutine_id(p->rt, target->addr, &id, &ignored) || id == 0)
		return false;
	sink_named_uint(p->out, "goroutine", id);
	return true;
}

/* Nothing is to be followed there: each part of it would only say so again. */
static bool is_nowhere(const struct printing *p, const struct value *target)
{
	return target->type && type_size(target->type) > 0 &&
	       !runtime_is_mapped(p->rt, target->addr);
}

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
	if (has_address && is_nowhere(p, target)) {
		print_nowhere(p);
		return;
	}
	if (p->objects && has_address && target->type) {
		if (!print_goroutine_of(p, target))
			print_reference(p, target, false);
		return;
	}
	if (!target->type || p->pointers >= p->bounds->pointers ||
	    p->depth > p->bounds->depth || !has_room(p) ||
	    (has_address && was_seen(p, target)))
		return;
	p->pointers++;
	print_named_value(p, "target", target);
	p->pointers--;
}

void print_header(struct printing *p, const struct value *v, value_printer *print_at)
{
	struct value at = { v->type, 0 };

	if (!read_value(p, v, &at.addr, sizeof(at.addr)))
		return;
	if (!at.addr) {
		sink_named_bool(p->out, "nil", true);
	} else if (!p->objects) {
		print_at(p, &at);
	} else if (has_memory(p, at.addr)) {
		sink_named_address(p->out, "to", at.addr);
		if (is_nowhere(p, &at))
			print_nowhere(p);
		else
			print_reference(p, &at, true);
	} else {
		print_nowhere(p);
	}
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
