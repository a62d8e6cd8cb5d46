/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/layout/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONAL = false, REQUIRED = true };

static const struct slot_info slots[LAYOUT_SLOTS] = {
#define FIELD(slot, type, members, need)                                                 \
	[L_##slot] = { #slot, type, members, SLOT_FIELD, need, false },
#define SIZE(slot, type) [L_##slot] = { #slot, type, "", SLOT_SIZE, REQUIRED, false },
#define CONST(slot, names)                                                               \
	[L_##slot] = { #slot, "", names, SLOT_CONSTANT, OPTIONAL, false },
#define FAR(slot, type, members)                                                         \
	[L_##slot] = { #slot, type, members, SLOT_FIELD, OPTIONAL, true },
#include "goruntime/layout/layout.def"
#undef FIELD
#undef FAR
#undef SIZE
#undef CONST
};

struct row {
	int minor;
	const char *arch;
	struct slot slot[LAYOUT_SLOTS];
};

static const struct row generated[] = {
#include "goruntime/layout/layout_table.inc"
};

static const struct row derived[] = {
#include "goruntime/layout/layout_derived.inc"
};

enum { ROWS = ARRAY_SIZE(generated) + ARRAY_SIZE(derived) };

static bool is_derived(size_t i)
{
	return i >= ARRAY_SIZE(generated);
}

static const struct row *row_at(size_t i)
{
	return is_derived(i) ? &derived[i - ARRAY_SIZE(generated)] : &generated[i];
}

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

/* No two rows of an architecture are at the same distance. A newer Go resembles the
 * newest known row, so of two neighbours the newer comes first. */
static int distance(const struct row *row, int minor)
{
	int d = row->minor - minor;
	return d >= 0 ? 2 * d : -2 * d + 1;
}

/* The index of the row with `rank` nearer rows; ROWS: none. */
static size_t nearest(int minor, const char *arch, unsigned rank)
{
	for (size_t i = 0; i < ROWS; i++) {
		unsigned before = 0;

		if (strcmp(row_at(i)->arch, arch) != 0)
			continue;
		for (size_t j = 0; j < ROWS; j++)
			before += strcmp(row_at(j)->arch, arch) == 0 &&
				  distance(row_at(j), minor) < distance(row_at(i), minor);
		if (before == rank)
			return i;
	}
	return ROWS;
}

bool layout_from_table(int minor, const char *arch, unsigned rank, struct layout *ret)
{
	size_t i = nearest(minor, arch, rank);

	if (i == ROWS)
		return false;
	memcpy(ret->slot, row_at(i)->slot, sizeof(ret->slot));
	ret->minor = row_at(i)->minor;
	ret->assumed = false;
	if (ret->minor != minor)
		layout_assume(ret);
	else
		snprintf(ret->source, sizeof(ret->source),
			 is_derived(i) ? "derived go1.%d %s" : "table go1.%d %s",
			 ret->minor, arch);
	return true;
}

bool layout_is_row(const struct layout *l)
{
	return l->minor >= 0;
}

void layout_assume(struct layout *l)
{
	l->assumed = true;
	snprintf(l->source, sizeof(l->source), "assumed go1.%d", l->minor);
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
		return err_set(err, ERR_UNSUPPORTED, "this Go version has no %s",
			       slots[slot].name);
	return target_read_uint(t, base + (uint64_t)s.off, s.size, ret, err);
}
