/* SPDX-License-Identifier: Apache-2.0 */
/* The subject's own DWARF says where its runtime keeps things: right for patched
 * toolchains and development builds too. */
#include <stdio.h>
#include <string.h>

#include "dwarf_info.h"
#include "layout.h"

enum { NAME_BYTES = 128 };

/* The compilation unit of the constant "internal/abi.FuncIDWrapper" is "internal/abi". */
static const char *unit_of(const char *name, char *ret)
{
	const char *dot = strrchr(name, '.');
	snprintf(ret, NAME_BYTES, "%.*s", dot ? (int)(dot - name) : 0, name);
	return ret;
}

/* Calls try() with each type of "t|u" and each of its words "a|b|c" until one succeeds. */
typedef bool alternative_fn(struct dwarf *d, const char *type, const char *word,
			    struct slot *ret);

static bool first_of(struct dwarf *d, const char *types, const char *words,
		     alternative_fn *try, struct slot *ret)
{
	char type_copy[NAME_BYTES], *type_rest = type_copy;

	snprintf(type_copy, sizeof(type_copy), "%s", types);
	while (type_rest) {
		const char *type = strsep(&type_rest, "|");
		char copy[NAME_BYTES], *rest = copy;

		snprintf(copy, sizeof(copy), "%s", words);
		while (rest)
			if (try(d, type, strsep(&rest, "|"), ret))
				return true;
	}
	return false;
}

/* cmd/link/internal/ld/dwarf.go: all types stand in the unit of the runtime. */
static const char types_unit[] = "runtime";

static bool try_member(struct dwarf *d, const char *type, const char *member,
		       struct slot *ret)
{
	uint64_t off, size;

	if (!dwarf_member(d, types_unit, type, member, &off, &size) || off > INT32_MAX ||
	    size > UINT16_MAX)
		return false;
	*ret = (struct slot){ (int32_t)off, (uint16_t)size };
	return true;
}

static bool try_constant(struct dwarf *d, const char *type, const char *name,
			 struct slot *ret)
{
	char unit[NAME_BYTES];
	int64_t value;

	(void)type;
	if (!dwarf_constant_value(d, unit_of(name, unit), name, &value) || value < 0 ||
	    value > INT32_MAX)
		return false;
	ret->off = (int32_t)value;
	return true;
}

static bool try_size(struct dwarf *d, const char *type, const char *none,
		     struct slot *ret)
{
	uint64_t size;

	(void)none;
	if (!dwarf_type_size(d, types_unit, type, &size) || size > INT32_MAX)
		return false;
	ret->off = (int32_t)size;
	return true;
}

static const struct {
	const char *type, *words;
	alternative_fn *try;
} sources[LAYOUT_SLOTS] = {
#define FIELD(slot, type, members, need) [L_##slot] = { type, members, try_member },
#define SIZE(slot, type) [L_##slot] = { type, "", try_size },
#define CONST(slot, names) [L_##slot] = { "", names, try_constant },
#include "layout.def"
#undef FIELD
#undef SIZE
#undef CONST
};

bool layout_from_dwarf(const struct image *img, struct layout *ret, struct err *err)
{
	AUTO(dwarf_close) struct dwarf *d = dwarf_open(img, err);

	if (!d)
		return false;
	for (size_t i = 0; i < LAYOUT_SLOTS; i++) {
		ret->slot[i] = (struct slot){ .off = -1 };
		if (!first_of(d, sources[i].type, sources[i].words, sources[i].try,
			      &ret->slot[i]) &&
		    layout_required((enum layout_slot)i))
			return err_set(err, ERR_UNSUPPORTED, "its DWARF has no %s %s",
				       sources[i].type, sources[i].words);
	}
	snprintf(ret->source, sizeof(ret->source), "dwarf");
	ret->assumed = false;
	return true;
}
