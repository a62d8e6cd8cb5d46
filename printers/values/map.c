/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

struct entries {
	struct printing *p;
	uint64_t n;
	bool full; /* there was another entry */
};

void print_entry(struct printing *p, const struct value *key, const struct value *elem)
{
	sink_begin(p->out, SINK_OBJECT);
	print_named_value(p, "key", key);
	const char *before = redact_entry(p, key, elem);
	print_named_value(p, "value", elem);
	p->redacted = before;
	sink_end(p->out);
}

static bool take_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct entries *e = arg;
	struct printing *p = e->p;

	e->full = e->n == p->bounds->entries || !has_room(p);
	if (e->full)
		return false;
	e->n++;
	print_entry(p, key, elem);
	return true;
}

void print_map_at(struct printing *p, const struct value *v)
{
	struct entries e = { .p = p };
	struct map_value map;
	struct err err;

	if (!runtime_map_at(p->rt, v->type, v->addr, &map, &err)) {
		print_failure(p, &err);
		return;
	}
	if (!is_length(p, map.len, 0, 0)) {
		print_nowhere(p);
		return;
	}
	sink_named_uint(p->out, "len", map.len);
	if ((!p->objects && was_seen(p, v)) || !may_descend(p, map.len))
		return;
	sink_named_begin(p->out, "entries", SINK_ARRAY);
	bool whole = runtime_map_each(p->rt, v->type, &map, take_entry, &e, &err);
	sink_end(p->out);
	if (!whole)
		print_failure(p, &err);
	else if (e.full ? e.n >= map.len : e.n != map.len)
		print_unreadable(p, "its number of entries does not match its count");
	else if (e.full)
		print_omitted(p, map.len - e.n,
			      e.n < p->bounds->entries ? LIMITED_BY_OUTPUT_BYTES
						       : LIMITED_BY_ENTRIES);
}

void print_map(struct printing *p, const struct value *v)
{
	print_header(p, v, print_map_at);
}
