/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "printers/values/value_printers.h"

struct entries {
	struct printing *p;
	const struct type *type;
	const struct map_value *map;
	uint64_t n;
	bool full; /* there was another entry */
	bool is_web_key, knows_web_key;
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

/* The text of a key that is a string, or an interface with one. Returns its length; 0: none, or longer. */
static size_t short_key(struct printing *p, const struct value *key, char *ret,
			size_t room)
{
	struct interface_value in;
	struct text_value s;
	struct value at = *key;
	struct err ignored;

	if (key->type && type_kind(key->type) == KIND_INTERFACE &&
	    runtime_interface(p->rt, key, &in, &ignored))
		at = in.inside;
	return at.type && type_kind(at.type) == KIND_STRING &&
			       runtime_string(p->rt, &at, &s, &ignored) && s.len < room &&
			       runtime_bytes(p->rt, s.addr, ret, s.len, &ignored)
		       ? (size_t)s.len
		       : 0;
}

/* Is it the key of a private key in JSON (RFC 7517) that tells so? */
static bool look_for_type(void *arg, const struct value *key, const struct value *elem)
{
	struct entries *e = arg;
	char name[4];
	(void)elem;

	e->is_web_key |= short_key(e->p, key, name, sizeof(name)) == 3 &&
			 memcmp(name, "kty", 3) == 0;
	return !e->is_web_key;
}

/* A number of such a key. Few maps have a key that is called so. */
static bool is_of_web_key(struct entries *e, const struct value *key)
{
	enum { MEMBERS_MAX = 64 };
	char name[4];
	const size_t len = short_key(e->p, key, name, sizeof(name));
	struct err ignored;

	if (!len || !redaction_is_key_member(name, len) || e->map->len > MEMBERS_MAX ||
	    redaction_mode(e->p->redaction) == REDACT_NOTHING)
		return false;
	if (!e->knows_web_key &&
	    !runtime_map_each(e->p->rt, e->type, e->map, look_for_type, e, &ignored))
		e->is_web_key = false;
	e->knows_web_key = true;
	return e->is_web_key;
}

static bool take_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct entries *e = arg;
	struct printing *p = e->p;
	const bool in_web_key = p->in_web_key;

	e->full = e->n == p->bounds->entries || !has_room(p);
	if (e->full)
		return false;
	e->n++;
	p->in_web_key = is_of_web_key(e, key);
	print_entry(p, key, elem);
	p->in_web_key = in_web_key;
	return true;
}

void print_map_at(struct printing *p, const struct value *v)
{
	struct map_value map;
	struct entries e = { .p = p, .type = v->type, .map = &map };
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
