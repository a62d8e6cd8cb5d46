/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_priv.h - what the files of dwarf_*.c share. Entries are read by a decoder of our own:
 * one pass over an entry gives all its attributes, every step is counted, and nothing reads
 * past its section. libdw would refuse Go's block1 locations, finds no Go code by pc, and its
 * own steps cannot be counted. */
#ifndef GOSNAP_DWARF_PRIV_H
#define GOSNAP_DWARF_PRIV_H

#include "lib/base/bytes.h"
#include "lib/dwarf/dwarf_info.h"
#include "lib/dwarf/dwarf_scopes.h"

struct arch;
struct dwarf_entries;
struct dwarf_names;

struct dwarf {
	const struct image
		*image; /* that was asked for; its sections may be of a file apart */
	struct image_unpacked *sections;
	const struct arch *arch;  /* NULL: unknown */
	struct package *packages; /* those that were asked for */
	size_t package_count, package_cap;
	struct dwarf_entries *entries; /* NULL: not asked for yet */
	struct dwarf_names *names;     /* likewise */
};

/* The attributes that anyone here wants. */
enum dwarf_slot {
	AT_NAME,
	AT_TYPE,
	AT_LOW_PC,
	AT_HIGH_PC,
	AT_RANGES,
	AT_ORIGIN, /* what it is an instance of; of a call, who is called */
	AT_LOCATION,
	AT_FRAME_BASE,
	AT_CONST_VALUE,
	AT_LINE,
	AT_VARIABLE_PARAMETER,
	AT_BYTE_SIZE,
	AT_ENCODING,
	AT_COUNT,
	AT_LOWER_BOUND,
	AT_UPPER_BOUND,
	AT_MEMBER_LOCATION,
	AT_DATA_BIT_OFFSET,
	AT_BIT_OFFSET,
	AT_BIT_SIZE,
	AT_DECLARATION,
	AT_SIBLING,
	AT_LANGUAGE,
	AT_LINKAGE_NAME,
	AT_EXTERNAL,
	AT_ALL_TAIL_CALLS,
	AT_TAIL_CALL,
	AT_CALL_TARGET,
	AT_CALL_VALUE,
	AT_DWO_NAME,
	AT_STR_OFFSETS_BASE,
	AT_ADDR_BASE,
	AT_RNGLISTS_BASE,
	AT_LOCLISTS_BASE,
	AT_GO_KIND,
	AT_GO_KEY,
	AT_GO_ELEM,
	AT_GO_EMBEDDED,
	AT_GO_RUNTIME_TYPE,
	AT_GO_DICT_INDEX,
	AT_GO_CLOSURE_OFFSET,
	AT_SLOTS,
};

enum dwarf_class {
	CLASS_NONE, /* of another file, or damaged */
	CLASS_ADDRESS,
	CLASS_UNSIGNED, /* data4 and data8 before DWARF 4 may be offsets of lists */
	CLASS_SIGNED,
	CLASS_STRING, /* at, len: NUL-terminated within it, or damaged */
	CLASS_BLOCK,  /* at, len; expressions too */
	CLASS_REFERENCE,
	CLASS_OFFSET,	  /* of a list, in its section */
	CLASS_LIST_INDEX, /* of a list, in the table of the unit */
};

struct dwarf_value {
	enum dwarf_class class;
	uint64_t u;
	const uint8_t *at;
	uint64_t len;
};

struct dwarf_function {
	uint64_t low, high, off;
};

struct dwarf_unit {
	uint64_t off, first, end; /* header, first entry, end in .debug_info */
	uint64_t abbrev_off;
	unsigned version, address_size, offset_size;
	struct dwarf_abbrevs *abbrevs; /* NULL: not read yet */
	bool go;
	bool split;    /* what it has is in a file of its own */
	uint64_t base; /* of its ranges */
	uint64_t str_offsets_base, addr_base, rnglists_base, loclists_base;
	bool indexed;
	struct dwarf_function *functions; /* by low, the larger first */
	size_t function_count, function_cap;
};

struct dwarf_entry {
	struct dwarf_unit *unit;
	uint64_t off, next; /* next: past its attributes */
	unsigned tag;	    /* 0: the end of a list of children */
	bool children;
	uint64_t has; /* bit n: slot n is there */
	struct dwarf_value value[AT_SLOTS];
};

static inline bool entry_has(const struct dwarf_entry *e, enum dwarf_slot slot)
{
	return e->has >> slot & 1;
}

struct dwarf_unit_range {
	uint64_t low, high;
	uint32_t unit;
};

/* Unpacked when it is first wanted: lists of locations are as long as all else together. */
struct dwarf_section {
	const char *name;
	bool tried;
	struct bytes bytes;
};

struct dwarf_entries {
	struct image_unpacked *from;
	struct bytes info, abbrev, str, line_str, str_offsets, addr;
	struct dwarf_section loc, loclists, ranges, rnglists;
	uint64_t steps; /* left */
	struct dwarf_unit *units;
	size_t unit_count, unit_cap;
	uint64_t units_end; /* where the last header is that can be read */
	struct dwarf_abbrevs **tables;
	size_t table_count, table_cap;
	uint64_t abbrev_room, range_room; /* left */
	bool indexed;
	struct dwarf_unit_range *unit_ranges;
	size_t range_count, range_cap;
};

/* Entries: dwarf_entries.c */
struct dwarf_entries *dwarf_entries(struct dwarf *d);
void dwarf_entries_free(struct dwarf_entries *es);
/* False: that is more than we are ready to do. */
bool dwarf_step(struct dwarf_entries *es, uint64_t n);
/* The steps of bytes that are looked at one by one: about what an attribute takes. */
static inline uint64_t dwarf_steps_of(uint64_t bytes)
{
	return bytes / 8;
}
/* The unit of an offset in .debug_info; NULL: there is none. Described. */
struct dwarf_unit *dwarf_unit_of(struct dwarf_entries *es, uint64_t off);
/* False: damaged, or past the end. */
bool dwarf_entry_read(struct dwarf_entries *es, struct dwarf_unit *unit, uint64_t off,
		      struct dwarf_entry *ret);
bool dwarf_entry_at(struct dwarf_entries *es, uint64_t off, struct dwarf_entry *ret);
/* Adds what the entries that it is an instance of say of the declaration. */
void dwarf_entry_integrate(struct dwarf_entries *es, struct dwarf_entry *e);
/* NULL: also what is longer than LIMIT_NAME_BYTES. Costs steps by its length. */
const char *dwarf_entry_string(struct dwarf_entries *es, const struct dwarf_entry *e,
			       enum dwarf_slot slot);
bool dwarf_entry_unsigned(const struct dwarf_entry *e, enum dwarf_slot slot,
			  uint64_t *ret);
bool dwarf_entry_flag(const struct dwarf_entry *e, enum dwarf_slot slot);
uint64_t dwarf_entry_ref(const struct dwarf_entry *e, enum dwarf_slot slot);

/* The entries below one, in their order. */
struct dwarf_walk {
	struct dwarf_entries *es;
	struct dwarf_entry entry;
	unsigned depth; /* 0: where it began; 1: a child */
};
/* into: also what is below the current entry. False: that was the last. */
bool dwarf_walk_next(struct dwarf_walk *w, bool into);

/* Abbreviations: dwarf_abbrevs.c */
struct dwarf_abbrev_attr {
	uint32_t slot, form; /* AT_SLOTS: nobody wants it */
	int64_t implicit;
};
struct dwarf_abbrev {
	uint64_t code;
	uint32_t tag, first, count;
	bool children;
};
struct dwarf_abbrevs {
	uint64_t off;
	struct dwarf_abbrev *list; /* by code */
	size_t count, cap;
	struct dwarf_abbrev_attr *attrs;
	size_t attr_count, attr_cap;
};
struct dwarf_abbrevs *dwarf_abbrevs_at(struct dwarf_entries *es, uint64_t off);
const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *table,
					     uint64_t code);
void dwarf_abbrevs_free(struct dwarf_abbrevs *table);

/* Lists of ranges and of locations: dwarf_lists.c */
struct dwarf_list {
	struct dwarf_entries *es;
	const struct dwarf_unit *unit;
	struct bytes at;
	uint64_t base;
	bool locations;
};
struct dwarf_list_item {
	uint64_t low, high;
	struct bytes expr; /* of a location */
	bool fallback;	   /* holds where no other item does */
};
bool dwarf_list_open(struct dwarf_entries *es, const struct dwarf_entry *e,
		     enum dwarf_slot slot, struct dwarf_list *ret);
bool dwarf_list_next(struct dwarf_list *list, struct dwarf_list_item *ret);
bool dwarf_address_index(const struct dwarf_entries *es, const struct dwarf_unit *unit,
			 uint64_t i, uint64_t *ret);

typedef bool dwarf_range_fn(void *arg, uint64_t low, uint64_t high);
/* The code of an entry: low and high pc, or its ranges. Ends when fn says false. */
void dwarf_entry_ranges(struct dwarf_entries *es, const struct dwarf_entry *e,
			dwarf_range_fn *fn, void *arg);
/* An entry that tells of no code at all is where its parent is. */
bool dwarf_entry_covers(struct dwarf_entries *es, const struct dwarf_entry *e,
			uint64_t pc);

/* Names: dwarf_names.c */
void dwarf_names_close(struct dwarf *d); /* before its entries */

/* ... on disk: dwarf_names_file.c. Eight bytes for each, of whose name a hash is kept: it stands
 * in .debug_info already. */
struct dwarf_named {
	uint32_t key, off;
};
struct dwarf_named_list {
	const struct dwarf_named *list; /* by key, then in the order of the file */
	size_t count;
};
enum dwarf_names_kind { NAMES_TYPES, NAMES_DESCRIPTORS, NAMES_VARIABLES, NAMES_KINDS };
struct dwarf_names_file;
/* NULL: none is kept of this very debugging information. Borrowed lists. */
struct dwarf_names_file *dwarf_names_load(const struct dwarf *d,
					  const struct dwarf_entries *es,
					  struct dwarf_named_list ret[NAMES_KINDS]);
void dwarf_names_unload(struct dwarf_names_file *file);
void dwarf_names_store(const struct dwarf *d, const struct dwarf_entries *es,
		       const struct dwarf_named_list lists[NAMES_KINDS]);

/* Functions by pc: dwarf_functions.c */
bool dwarf_function_at(struct dwarf_entries *es, uint64_t pc, struct dwarf_entry *ret);
/* Is it of a unit that is split off into another file? */
bool dwarf_is_elsewhere(struct dwarf_entries *es, uint64_t pc);
/* The one whose name is the least of what this one's begins with, up to a '.' or '-', and
 * longer than len. Of the same unit, all of whose functions are looked at. */
bool dwarf_function_around(struct dwarf_entries *es, struct dwarf_unit *unit,
			   const char *name, size_t len, struct dwarf_entry *ret);

/* Locations: dwarf_locations.c. As they are said: up to LOCATION_PIECES. */
enum { LOCATION_PIECES = 64 };
struct dwarf_place {
	struct dwarf_entries *es;
	const struct arch *arch; /* NULL: unknown */
	uint64_t pc;
	bool exact;
	struct dwarf_piece frame_base; /* CFA, BASE or UNKNOWN */
};
/* The register that an expression says and nothing else; -1: it says more. */
int64_t dwarf_register_alone(struct bytes expression);
void dwarf_frame_base(struct dwarf_place *place, const struct dwarf_entry *function);
void dwarf_locate(const struct dwarf_place *place, const struct dwarf_entry *e,
		  struct dwarf_variable *ret);

/* Calls as callers tell of them: dwarf_calls.c */
/* The one that returns to pc. False: nothing tells of it. */
bool dwarf_call_at(struct dwarf_entries *es, uint64_t return_pc, struct dwarf_entry *ret);
/* Is the function the one that the call names? Not by its address: AT_CALL_TARGET. */
bool dwarf_call_names(struct dwarf_entries *es, const struct dwarf_entry *call,
		      const struct dwarf_entry *function);
/* Can what was called here have jumped to the beginning of the function, perhaps by others? */
bool dwarf_function_is_jumped_to(const struct dwarf *d,
				 const struct dwarf_entry *function);
/* What the call says of its parameters: the expression for register reg, or for the parameter of
 * that entry where reg is negative. */
bool dwarf_call_parameter(struct dwarf_entries *es, const struct dwarf_entry *call,
			  int64_t reg, uint64_t parameter, struct bytes *ret);

#endif
