/* SPDX-License-Identifier: Apache-2.0 */
/* Containers whose fields do not show their values: sync/map.go, container/list/list.go,
 * reflect/value.go, sync/atomic/type.go. */
#include <inttypes.h>

#include "printers/known/known.h"

/* Millions of entries are not walked just to count them. */
static uint64_t counted_at_most(const struct printing *p)
{
	return (uint64_t)p->bounds->entries + 4096;
}

bool text_of_sync_map(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct err ignored;
	uint64_t n;

	if (!runtime_sync_map_count(p->rt, v, counted_at_most(p), &n, &ignored))
		return false;
	if (n == counted_at_most(p))
		known_add(ret, "at least ");
	known_add(ret, n == 1 ? "1 entry" : "%" PRIu64 " entries", n);
	return true;
}

struct entries {
	struct printing *p;
	uint64_t n;
	bool more;
};

static bool take_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct entries *e = arg;
	struct printing *p = e->p;

	e->more = e->n == p->bounds->entries || !has_room(p);
	if (e->more)
		return false;
	if (e->n++ == 0)
		sink_named_begin(p->out, "entries", SINK_ARRAY);
	print_entry(p, key, elem);
	return true;
}

void members_of_sync_map(struct printing *p, const struct value *v)
{
	struct entries e = { .p = p };
	uint64_t all;
	struct err err;

	if (p->depth > p->bounds->depth)
		return;
	bool whole = runtime_sync_map_each(p->rt, v, take_entry, &e, &err);
	if (e.n)
		sink_end(p->out);
	if (e.more) {
		whole = runtime_sync_map_count(p->rt, v, counted_at_most(p), &all, &err);
		/* If it is changing, there may be fewer by now. */
		sink_named_uint(p->out, "entries_omitted", all > e.n ? all - e.n : 1);
	}
	if (!whole)
		print_reason(p, "entries_unreadable", err.text);
}

/* The ring starts and ends at the list itself. */
void members_of_list(struct printing *p, const struct value *v)
{
	struct value root, at, next, element;
	uint64_t n = 0, len, to;

	if (p->depth > p->bounds->depth || !known_field(p, v, "root", &root) ||
	    !known_number(p, v, "len", &len))
		return;
	for (at = root; n < len && n < p->bounds->elements && has_room(p); n++) {
		if (!known_field(p, &at, "next", &next) ||
		    !known_number(p, &at, "next", &to) || to == root.addr ||
		    !runtime_behind(p->rt, &next, &at) ||
		    !known_field(p, &at, "Value", &element))
			break;
		if (n == 0)
			sink_named_begin(p->out, "elements", SINK_ARRAY);
		print_value(p, &element);
	}
	if (n)
		sink_end(p->out);
	if (n < len)
		sink_named_uint(p->out, "elements_omitted", len - n);
}

/* The second word has the value itself, or points to it. */
void members_of_reflection(struct printing *p, const struct value *v)
{
	enum { INDIRECT = 1 << 7, METHOD = 1 << 9 };
	struct value word, inside;
	uint64_t descriptor, flag;
	struct err ignored;

	if (!known_number(p, v, "typ_|typ", &descriptor) ||
	    !known_number(p, v, "flag", &flag) || !known_field(p, v, "ptr", &word) ||
	    !descriptor || flag & METHOD)
		return;
	inside.type = runtime_type_at(p->rt, descriptor, &ignored);
	inside.addr = word.addr;
	if (!inside.type || (flag & INDIRECT && !known_number(p, v, "ptr", &inside.addr)))
		return;
	sink_named_string(p->out, "dynamic_type", type_name(inside.type));
	if (p->depth <= p->bounds->depth && has_room(p))
		print_named_value(p, "dynamic_value", &inside);
}

/* Its first field, of size zero, gives the type. */
void members_of_atomic_pointer(struct printing *p, const struct value *v)
{
	const struct type_field *f = type_field(v->type, 0);
	const struct type *type = f && f->type ? type_elem(f->type) : NULL;
	struct value target = { type ? type_elem(type) : NULL, 0 };

	if (!target.type || !known_number(p, v, "v", &target.addr))
		return;
	if (target.addr)
		print_target(p, &target);
	else
		sink_named_bool(p->out, "nil", true);
}
