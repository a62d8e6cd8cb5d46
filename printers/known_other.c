/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp.go, time/zoneinfo.go, log/slog/level.go, container/list/list.go, os/exec/exec.go,
 * and what many packages call UUID. */
#include <inttypes.h>
#include <string.h>

#include "known.h"

bool text_of_regexp(struct printing *p, const struct value *v, struct known_words *ret)
{
	return known_string(p, v, "expr", ret);
}

bool text_of_location(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words name = { .len = 0 };

	if (!known_string(p, v, "name", &name))
		return false;
	known_add(ret, name.len ? "%s" : "UTC", "");
	known_add_bytes(ret, name.bytes, name.len);
	return true;
}

/* Four apart; what is between is a name and a number. */
bool text_of_level(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const struct {
		int64_t from;
		const char *name;
	} levels[] = { { 8, "ERROR" }, { 4, "WARN" }, { 0, "INFO" } };
	struct err ignored;
	int64_t level, from = -4;
	const char *name = "DEBUG";

	if (type_size(v->type) != sizeof(level) ||
	    !runtime_bytes(p->rt, v->addr, &level, sizeof(level), &ignored))
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
	struct err ignored;

	if (!runtime_bytes(p->rt, v->addr, bytes, sizeof(bytes), &ignored))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		known_add(ret, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			  bytes[i]);
	return true;
}
