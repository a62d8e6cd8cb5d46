/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONAL = false, REQUIRED = true };

static const struct slot_info slots[LAYOUT_SLOTS] = {
#define FIELD(slot, type, members, need)                                                 \
	[L_##slot] = { #slot, type, members, SLOT_FIELD, need },
#define SIZE(slot, type) [L_##slot] = { #slot, type, "", SLOT_SIZE, REQUIRED },
#define CONST(slot, names) [L_##slot] = { #slot, "", names, SLOT_CONSTANT, OPTIONAL },
#include "layout.def"
#undef FIELD
#undef SIZE
#undef CONST
};

static const struct row {
	int minor;
	const char *arch;
	struct slot slot[LAYOUT_SLOTS];
} rows[] = {
#include "layout_table.inc"
};

const struct slot_info *layout_slot_info(enum layout_slot slot)
{
	return &slots[slot];
}

void layout_newest_words(enum layout_slot slot, struct slot_words *ret)
{
	const struct slot_info *info = &slots[slot];

	snprintf(ret->type, sizeof(ret->type), "%.*s", (int)strcspn(info->types, "|"),
		 info->types);
	snprintf(ret->word, sizeof(ret->word), "%.*s", (int)strcspn(info->words, "|"),
		 info->words);
	ret->described = true;
}

bool layout_required(enum layout_slot slot)
{
	return slots[slot].required;
}

/* A newer Go resembles the newest we know: at equal distance the newer row comes first. */
static int distance(const struct row *row, int minor)
{
	int d = row->minor - minor;
	return d >= 0 ? 2 * d : -2 * d + 1;
}

static bool nearer(const struct row *a, const struct row *b, int minor)
{
	int da = distance(a, minor), db = distance(b, minor);
	return da != db ? da < db : a < b;
}

bool layout_from_table(int minor, const char *arch, unsigned rank, struct layout *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned before = 0;

		if (strcmp(rows[i].arch, arch) != 0)
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(rows); j++)
			before += strcmp(rows[j].arch, arch) == 0 &&
				  nearer(&rows[j], &rows[i], minor);
		if (before != rank)
			continue;
		memcpy(ret->slot, rows[i].slot, sizeof(ret->slot));
		ret->assumed = rows[i].minor != minor;
		snprintf(ret->source, sizeof(ret->source),
			 ret->assumed ? "assumed go1.%d" : "table go1.%d %s",
			 rows[i].minor, arch);
		return true;
	}
	return false;
}

uint64_t layout_get(const struct layout *l, enum layout_slot slot, const void *bytes,
		    size_t len)
{
	struct slot s = l->slot[slot];
	uint64_t v = 0;

	if (s.off < 0 || s.size > sizeof(v) || (size_t)s.off + s.size > len)
		return 0;
	memcpy(&v, (const uint8_t *)bytes + s.off, s.size);
	return v;
}

bool layout_load(const struct layout *l, struct target *t, uint64_t base,
		 enum layout_slot slot, uint64_t *ret, struct err *err)
{
	struct slot s = l->slot[slot];

	if (s.off < 0 || s.size > sizeof(*ret))
		return err_set(err, ERR_UNSUPPORTED, "this Go has no %s",
			       slots[slot].name);
	return target_read_uint(t, base + (uint64_t)s.off, s.size, ret, err);
}
