/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp.go, time/zoneinfo.go, log/slog/level.go, container/list/list.go,
 * os/exec/exec.go, and the UUID types of many packages. */
#include <inttypes.h>
#include <string.h>

#include "printers/known/known.h"

bool text_of_regexp(struct printing *p, const struct value *v, struct known_words *ret)
{
	return known_string(p, v, "expr", ret);
}

/* time.Local has no name, and so no text, until it is first used. */
bool text_of_location(struct printing *p, const struct value *v, struct known_words *ret)
{
	return known_string(p, v, "name", ret);
}

/* Levels are four apart; those in between are a name plus a number. */
bool text_of_level(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const struct {
		int64_t from;
		const char *name;
	} levels[] = { { 8, "ERROR" }, { 4, "WARN" }, { 0, "INFO" } };
	int64_t level, from = -4;
	const char *name = "DEBUG";

	if (type_size(v->type) != sizeof(level) ||
	    !known_read(p, v->addr, &level, sizeof(level)))
		return false;
	for (size_t i = ARRAY_SIZE(levels); i-- > 0;) {
		if (level < levels[i].from)
			continue;
		name = levels[i].name;
		from = levels[i].from;
	}
	known_add(ret, "%s", name);
	if (level != from)
		known_add(ret, "%+" PRId64, level - from);
	return true;
}

bool text_of_list(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t len;

	if (!known_number(p, v, "len", &len))
		return false;
	known_add(ret, len == 1 ? "1 element" : "%" PRIu64 " elements", len);
	return true;
}

bool text_of_uuid(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint8_t bytes[UUID_BYTES];

	if (!known_read(p, v->addr, bytes, sizeof(bytes)))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		known_add(ret, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			  bytes[i]);
	return true;
}

struct enumeration {
	uint64_t value, mask; /* mask: the bits of the type's size */
	uint64_t bits;	      /* that have names */
	bool counts;	      /* some name is not of a single bit */
	const char *name;     /* of the whole value */
	struct known_words flags;
};

static bool name_enum(void *arg, const char *name, int64_t value)
{
	struct enumeration *e = arg;
	const uint64_t bits = (uint64_t)value & e->mask;

	if (bits == e->value)
		e->name = name;
	e->counts |= (bits & (bits - 1)) != 0 || (bits & e->bits) != 0;
	e->bits |= bits;
	if (bits & e->value)
		known_add(&e->flags, "%s%s", e->flags.len ? "|" : "", name);
	return !e->name;
}

/* If no name matches the number, the names of its bits, provided all names are of single
 * bits. */
bool text_of_enum(struct printing *p, const struct value *v, struct known_words *ret)
{
	const uint64_t size = type_size(v->type);
	struct enumeration e = { .value = 0 };

	if (size < 1 || size > sizeof(e.value) ||
	    !known_read(p, v->addr, &e.value, (size_t)size))
		return false;
	e.mask = UINT64_MAX >> (64 - 8 * size);
	type_each_enumerator(v->type, name_enum, &e);
	if (e.name)
		known_add(ret, "%s", e.name);
	else if (!e.counts && !(e.value & ~e.bits))
		known_add_bytes(ret, e.flags.bytes, e.flags.len);
	return ret->len > 0;
}
