/* SPDX-License-Identifier: Apache-2.0 */
/* Reads runtime struct offsets from the subject's own DWARF: right for patched toolchains
 * and development builds too. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/layout/layout.h"
#include "lib/base/limit.h"
#include "lib/dwarf/dwarf_info.h"

/* The compilation unit that has a constant: "internal/abi" for
 * "internal/abi.FuncIDWrapper". */
static const char *unit_of(const char *name, char *ret)
{
	const char *dot = strrchr(name, '.');
	snprintf(ret, LAYOUT_NAME_BYTES, "%.*s", dot ? (int)(dot - name) : 0, name);
	return ret;
}

/* Calls try() with each type of "t|u" and each member or name of "a|b|c" until one
 * succeeds. */
typedef bool alternative_fn(struct dwarf *d, const char *type, const char *word,
			    struct slot *ret);

static bool first_of(struct dwarf *d, const char *types, const char *words,
		     alternative_fn *try, struct slot *ret, struct slot_words *ret_words)
{
	char type_copy[LAYOUT_NAME_BYTES], *type_rest = type_copy;

	snprintf(type_copy, sizeof(type_copy), "%s", types);
	while (type_rest) {
		const char *type = strsep(&type_rest, "|");
		char copy[LAYOUT_NAME_BYTES], *rest = copy;

		snprintf(copy, sizeof(copy), "%s", words);
		while (rest) {
			const char *word = strsep(&rest, "|");
			if (!try(d, type, word, ret))
				continue;
			snprintf(ret_words->type, LAYOUT_NAME_BYTES, "%s", type);
			snprintf(ret_words->word, LAYOUT_NAME_BYTES, "%s", word);
			return true;
		}
	}
	return false;
}

/* cmd/link/internal/ld/dwarf.go: all types are in the runtime's unit. */
static const char types_unit[] = "runtime";

static bool try_member(struct dwarf *d, const char *type, const char *member,
		       struct slot *ret)
{
	uint64_t off, size;

	if (!dwarf_member(d, types_unit, type, member, &off, &size) || off > INT32_MAX ||
	    size > UINT32_MAX)
		return false;
	*ret = (struct slot){ (int32_t)off, (uint32_t)size };
	return true;
}

static bool try_constant(struct dwarf *d, const char *type, const char *name,
			 struct slot *ret)
{
	char unit[LAYOUT_NAME_BYTES];
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

static bool find_slot(struct dwarf *d, enum layout_slot slot, struct slot *ret,
		      struct slot_words *words)
{
	static alternative_fn *const ways[] = {
		[SLOT_FIELD] = try_member,
		[SLOT_SIZE] = try_size,
		[SLOT_CONSTANT] = try_constant,
	};
	const struct slot_info *info = layout_slot_info(slot);

	*ret = (struct slot){ .off = -1 };
	return first_of(d, info->types, info->words, ways[info->kind], ret, words);
}

/* Code that reads a whole struct has room for LIMIT_STRUCT_BYTES. A far field is read alone,
 * or with room for LIMIT_FAR_BYTES. */
static bool is_acceptable(const struct slot_info *info, struct slot slot, struct err *err)
{
	const int64_t end = (int64_t)slot.off + slot.size;

	if (slot.off < 0 || info->kind == SLOT_CONSTANT)
		return true;
	if (info->kind == SLOT_FIELD && !slot.size)
		return err_set(err, ERR_BAD_DATA, "its DWARF says that %s.%s has 0 bytes",
			       info->types, info->words);
	if (end > 0 && end <= (info->far ? LIMIT_FAR_BYTES : LIMIT_STRUCT_BYTES))
		return true;
	return err_set(err, ERR_BAD_DATA,
		       "its DWARF says that %s%s%s ends at byte %" PRId64, info->types,
		       *info->words ? "." : "", info->words, end);
}

bool layout_from_dwarf(const struct image *img, struct layout *ret, struct err *err)
{
	AUTO(dwarf_close) struct dwarf *d = dwarf_open(img, err);
	struct slot_words words;

	if (!d)
		return false;
	for (int i = 0; i < LAYOUT_SLOTS; i++) {
		const struct slot_info *info = layout_slot_info((enum layout_slot)i);
		if (!find_slot(d, (enum layout_slot)i, &ret->slot[i], &words) &&
		    info->required)
			return err_set(err, ERR_UNSUPPORTED, "its DWARF has no %s %s",
				       info->types, info->words);
		if (!is_acceptable(info, ret->slot[i], err))
			return false;
	}
	snprintf(ret->source, sizeof(ret->source), "dwarf");
	ret->assumed = false;
	ret->minor = -1;
	return true;
}

/* If the program does not use a type, the type is not described. If this release lacks a
 * member, the type is described without it. */
static void name_slot(struct dwarf *d, enum layout_slot slot, struct slot_words *ret)
{
	const struct slot_info *info = layout_slot_info(slot);
	struct slot_words type;
	struct slot found;

	ret->described = find_slot(d, slot, &found, ret);
	if (ret->described)
		return;
	layout_newest_words(slot, ret);
	ret->described = first_of(d, info->types, "", try_size, &found, &type);
}

bool layout_dwarf_words(const struct image *img, struct slot_words ret[LAYOUT_SLOTS],
			struct err *err)
{
	AUTO(dwarf_close) struct dwarf *d = dwarf_open(img, err);

	if (!d)
		return false;
	for (int i = 0; i < LAYOUT_SLOTS; i++)
		name_slot(d, (enum layout_slot)i, &ret[i]);
	return true;
}
