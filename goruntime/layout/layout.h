/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - runtime struct offsets and sizes by slot. Private to goruntime.
 * Two sources fill struct layout: layout_dwarf.c reads the subject's own DWARF, and
 * layout_table.inc has rows that "gosnap layout --row" writes using the same
 * resolver. tests/derived-rows writes rows of releases without a toolchain to
 * layout_derived.inc. A slot that a release does not have is absent. Code tests for
 * absence, never for a version. The struct is the caller's. Knows names and offsets,
 * not what the fields mean. */
#ifndef GOSNAP_LAYOUT_H
#define GOSNAP_LAYOUT_H

#include "lib/elf/image.h"
#include "lib/target/target.h"

enum { LAYOUT_NAME_BYTES = 128 };

struct slot {
	int32_t off;   /* offset in the struct, or a constant's value; -1: absent */
	uint32_t size; /* of the field, in bytes */
};

enum layout_slot {
#define FIELD(slot, type, members, need) L_##slot,
#define SIZE(slot, type) L_##slot,
#define CONST(slot, names) L_##slot,
#define FAR(slot, type, members) L_##slot,
#include "goruntime/layout/layout.def"
#undef FIELD
#undef FAR
#undef SIZE
#undef CONST
	LAYOUT_SLOTS
};

struct layout {
	struct slot slot[LAYOUT_SLOTS];
	char source[64]; /* "dwarf", "table go1.26 amd64", "derived go1.17 amd64",
			    "assumed go1.27" */
	bool assumed;
	int minor; /* the row's release; -1: from DWARF */
};

enum slot_kind { SLOT_FIELD, SLOT_SIZE, SLOT_CONSTANT };

/* A line of layout.def. types and words are alternatives separated by '|', newest first.
 * A size has no words, a constant no types. */
struct slot_info {
	const char *name, *types, *words;
	enum slot_kind kind;
	bool required;
	bool far; /* its struct is not read whole */
};

const struct slot_info *layout_slot_info(enum layout_slot slot);

/* ERR_NOT_FOUND: no DWARF, or not of a Go runtime. ERR_UNSUPPORTED: a required field is
 * missing. ERR_BAD_DATA: a struct is larger than LIMIT_STRUCT_BYTES, or than
 * LIMIT_FAR_BYTES. The message names it. */
MUST_CHECK bool layout_from_dwarf(const struct image *img, struct layout *ret,
				  struct err *err);

/* The names that a release uses for a slot, out of the alternatives. */
struct slot_words {
	char type[LAYOUT_NAME_BYTES], word[LAYOUT_NAME_BYTES];
	bool described; /* DWARF has the type, if not the member: it omits unused types */
};

void layout_newest_words(enum layout_slot slot, struct slot_words *ret);
/* As in the DWARF of img; the newest where it has none. Errors as for
 * layout_from_dwarf(). */
MUST_CHECK bool layout_dwarf_words(const struct image *img,
				   struct slot_words ret[LAYOUT_SLOTS], struct err *err);

/* Rows of the table, nearest to go1.minor first, for the caller to try in turn. Rank 0 is
 * the exact row if there is one. False past the last. */
bool layout_from_table(int minor, const char *arch, unsigned rank, struct layout *ret);

/* Is it from the table? */
bool layout_is_row(const struct layout *l);
/* Marks the row as assumed: nothing confirms it. */
void layout_assume(struct layout *l);

static inline bool layout_has(const struct layout *l, enum layout_slot slot)
{
	return l->slot[slot].off >= 0;
}

/* A field of a struct that was read whole (len bytes); 0 when absent. */
uint64_t layout_get(const struct layout *l, enum layout_slot slot, const void *bytes,
		    size_t len);

/* A field in the subject's memory. ERR_UNSUPPORTED: this Go has no such field. */
MUST_CHECK bool layout_load(const struct layout *l, struct target *t, uint64_t base,
			    enum layout_slot slot, uint64_t *ret, struct err *err);

#endif
