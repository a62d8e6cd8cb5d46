/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where the Go runtime keeps what we read: offsets and widths by slot.
 * Two producers fill one struct: layout_dwarf.c from the subject's own DWARF, and the table
 * (layout_table.inc), whose rows "gosnap layout --row" writes with that same resolver; rows
 * of releases without a toolchain are in layout_derived.inc, by hand. Private to goruntime.
 * A slot that a release does not have is absent, and absence is what the code
 * tests, never a version. */
#ifndef GOSNAP_LAYOUT_H
#define GOSNAP_LAYOUT_H

#include "lib/elf/image.h"
#include "lib/target/target.h"

enum { LAYOUT_NAME_BYTES = 128 };

struct slot {
	int32_t off; /* bytes from the start of the struct; a constant's value; -1 absent */
	uint16_t size; /* bytes of the field */
};

enum layout_slot {
#define FIELD(slot, type, members, need) L_##slot,
#define SIZE(slot, type) L_##slot,
#define CONST(slot, names) L_##slot,
#include "goruntime/layout/layout.def"
#undef FIELD
#undef SIZE
#undef CONST
	LAYOUT_SLOTS
};

struct layout {
	struct slot slot[LAYOUT_SLOTS];
	char source[64]; /* "dwarf", "table go1.26 amd64", "derived go1.17 amd64",
			    "assumed go1.27" */
	bool assumed;
	int minor; /* the release whose row it is; -1: it is from DWARF */
};

enum slot_kind { SLOT_FIELD, SLOT_SIZE, SLOT_CONSTANT };

/* A line of layout.def. types and words are alternatives, newest first, with '|' between
 * them; a size has no words, a constant no types. */
struct slot_info {
	const char *name, *types, *words;
	enum slot_kind kind;
	bool required;
};

const struct slot_info *layout_slot_info(enum layout_slot slot);
bool layout_required(enum layout_slot slot);

/* ERR_NOT_FOUND: no DWARF, or not of a Go runtime. ERR_UNSUPPORTED: a required field is
 * missing; ERR_BAD_DATA: a struct is larger than LIMIT_STRUCT_BYTES; the text says which. */
MUST_CHECK bool layout_from_dwarf(const struct image *img, struct layout *ret,
				  struct err *err);

/* What a release calls a slot: which of the alternatives it has. */
struct slot_words {
	char type[LAYOUT_NAME_BYTES], word[LAYOUT_NAME_BYTES];
	bool described; /* DWARF has the type, even if not the member: it leaves out the
			   types of what a program does not use */
};

void layout_newest_words(enum layout_slot slot, struct slot_words *ret);
/* As the DWARF of img has them, the newest where it has none; errors as above. */
MUST_CHECK bool layout_dwarf_words(const struct image *img,
				   struct slot_words ret[LAYOUT_SLOTS], struct err *err);

/* Rows of the table, nearest to go1.minor first, so that the caller can try them in turn:
 * rank 0 is the exact one when there is one. False past the last. */
bool layout_from_table(int minor, const char *arch, unsigned rank, struct layout *ret);

/* Is it a row of the table? */
bool layout_is_row(const struct layout *l);
/* The row is taken for want of something better. */
void layout_assume(struct layout *l);

static inline bool layout_has(const struct layout *l, enum layout_slot slot)
{
	return l->slot[slot].off >= 0;
}

/* A field of a struct that has been read as a whole (len bytes); 0 when absent. */
uint64_t layout_get(const struct layout *l, enum layout_slot slot, const void *bytes,
		    size_t len);

/* A field in the subject's memory. ERR_UNSUPPORTED: this Go has no such field. */
MUST_CHECK bool layout_load(const struct layout *l, struct target *t, uint64_t base,
			    enum layout_slot slot, uint64_t *ret, struct err *err);

#endif
