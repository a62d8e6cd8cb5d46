/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_priv.h - shared by the files dwarf_*.c. Entries are read by our own decoder: one
 * pass over an entry yields all its attributes, every step is counted, and nothing reads
 * beyond its section. libdw would reject Go's block1 locations, finds no Go code by pc,
 * and does not let us count its steps. */
#ifndef GOSNAP_DWARF_PRIV_H
#define GOSNAP_DWARF_PRIV_H

#include "lib/base/bytes.h"
#include "lib/dwarf/dwarf_info.h"
#include "lib/dwarf/dwarf_scopes.h"

struct arch;
struct dwarf_entries;
struct dwarf_names;

struct dwarf {
	const struct image *image; /* the one asked for; its sections may be elsewhere */
	struct image_unpacked *sections;
	const struct arch *arch;  /* NULL: unknown */
	struct package *packages; /* those looked up so far */
	size_t package_count, package_cap;
	struct dwarf_entries *entries; /* NULL: not loaded yet */
	struct dwarf_names *names;     /* likewise */
};

/* The attributes that we use. */
enum dwarf_slot {
	AT_NAME,
	AT_TYPE,
	AT_LOW_PC,
	AT_HIGH_PC,
	AT_RANGES,
	AT_ORIGIN, /* abstract origin or specification; of a call, the callee */
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
	CLASS_NONE, /* in another file, or damaged */
	CLASS_ADDRESS,
	CLASS_UNSIGNED, /* in data4 and data8 before DWARF 4, possibly a list offset */
	CLASS_SIGNED,
	CLASS_STRING, /* at, len: contains its NUL, or is damaged */
	CLASS_BLOCK,  /* at, len; also expressions */
	CLASS_REFERENCE,
	CLASS_OFFSET,	  /* of a list, in its section */
	CLASS_LIST_INDEX, /* of a list, in its unit's table */
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
	uint64_t off, first, end; /* offsets in .debug_info: header, first entry, end */
	uint64_t abbrev_off;
	unsigned version, address_size, offset_size;
	struct dwarf_abbrevs *abbrevs; /* NULL: not read yet */
	bool go;
	bool split;    /* contents are in a separate file (split DWARF) */
	uint64_t base; /* for its ranges */
	uint64_t str_offsets_base, addr_base, rnglists_base, loclists_base;
	bool indexed;
	struct dwarf_function *functions; /* sorted by low, larger ones first */
	size_t function_count, function_cap;
};

struct dwarf_entry {
	struct dwarf_unit *unit;
	uint64_t off, next; /* next: after its attributes */
	unsigned tag;	    /* 0: ends a list of children */
	bool children;
	uint64_t has; /* bit n: slot n is present */
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

/* Decompressed on first use: location lists are as large as everything else together. */
struct dwarf_section {
	const char *name;
	bool tried;
	struct bytes bytes;
};

struct dwarf_entries {
	struct image_unpacked *from;
	struct bytes info, abbrev, str, line_str, str_offsets, addr;
	struct dwarf_section loc, loclists, ranges, rnglists;
	uint64_t steps; /* remaining */
	struct dwarf_unit *units;
	size_t unit_count, unit_cap;
	uint64_t units_end; /* end of the last unit with a readable header */
	struct dwarf_abbrevs **tables;
	size_t table_count, table_cap;
	uint64_t abbrev_room, range_room; /* remaining */
	bool indexed;
	struct dwarf_unit_range *unit_ranges;
	size_t range_count, range_cap;
};

/* Entries: dwarf_entries.c */
struct dwarf_entries *dwarf_entries(struct dwarf *d);
void dwarf_entries_free(struct dwarf_entries *es);
/* False: the work limit is reached. */
bool dwarf_step(struct dwarf_entries *es, uint64_t n);
/* The step count for examining that many bytes one by one: some eight bytes cost as much
 * as an attribute. */
static inline uint64_t dwarf_steps_of(uint64_t bytes)
{
	return bytes / 8;
}
/* The unit that contains an offset of .debug_info, with its first entry read. NULL:
 * none. */
struct dwarf_unit *dwarf_unit_of(struct dwarf_entries *es, uint64_t off);
/* False: damaged, or out of bounds. */
bool dwarf_entry_read(struct dwarf_entries *es, struct dwarf_unit *unit, uint64_t off,
		      struct dwarf_entry *ret);
bool dwarf_entry_at(struct dwarf_entries *es, uint64_t off, struct dwarf_entry *ret);
/* Adds the attributes of the entry's abstract origin or specification. */
void dwarf_entry_integrate(struct dwarf_entries *es, struct dwarf_entry *e);
/* NULL also for strings longer than LIMIT_NAME_BYTES. Costs steps for its length. */
const char *dwarf_entry_string(struct dwarf_entries *es, const struct dwarf_entry *e,
			       enum dwarf_slot slot);
bool dwarf_entry_unsigned(const struct dwarf_entry *e, enum dwarf_slot slot,
			  uint64_t *ret);
bool dwarf_entry_flag(const struct dwarf_entry *e, enum dwarf_slot slot);
uint64_t dwarf_entry_ref(const struct dwarf_entry *e, enum dwarf_slot slot);

/* The descendants of an entry, in order. */
struct dwarf_walk {
	struct dwarf_entries *es;
	struct dwarf_entry entry;
	unsigned depth; /* 0: the starting entry; 1: its children */
};
/* into: descend into the current entry. False: no more entries. */
bool dwarf_walk_next(struct dwarf_walk *w, bool into);

/* Abbreviations: dwarf_abbrevs.c */
struct dwarf_abbrev_attr {
	uint32_t slot, form; /* AT_SLOTS: not used */
	int64_t implicit;
};
struct dwarf_abbrev {
	uint64_t code;
	uint32_t tag, first, count;
	bool children;
};
struct dwarf_abbrevs {
	uint64_t off;
	struct dwarf_abbrev *list; /* sorted by code */
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
	struct bytes expr; /* in location lists */
	bool fallback;	   /* applies where no other item does */
};
bool dwarf_list_open(struct dwarf_entries *es, const struct dwarf_entry *e,
		     enum dwarf_slot slot, struct dwarf_list *ret);
bool dwarf_list_next(struct dwarf_list *list, struct dwarf_list_item *ret);
bool dwarf_address_index(const struct dwarf_entries *es, const struct dwarf_unit *unit,
			 uint64_t i, uint64_t *ret);

/* Operations of expressions: dwarf_operations.c */
struct dwarf_operation {
	uint8_t code;	/* DW_OP_; of DW_OP_GNU_ what DWARF 5 calls it, if it has it */
	uint64_t first; /* operands; signed ones are sign-extended */
	uint64_t second;
	struct bytes block;
};

/* The operation at b with its operands; moves b behind it. False: unknown or truncated. */
bool dwarf_operation_read(const struct dwarf_unit *unit, struct bytes *b,
			  struct dwarf_operation *ret);

typedef bool dwarf_range_fn(void *arg, uint64_t low, uint64_t high);
/* The code ranges of an entry: low and high pc, or DW_AT_ranges. Stops when fn returns
 * false. */
void dwarf_entry_ranges(struct dwarf_entries *es, const struct dwarf_entry *e,
			dwarf_range_fn *fn, void *arg);
/* An entry without any code ranges covers what its parent does. */
bool dwarf_entry_covers(struct dwarf_entries *es, const struct dwarf_entry *e,
			uint64_t pc);

/* Names: dwarf_names.c */
void dwarf_names_close(struct dwarf *d); /* before the entries are freed */

/* ... on disk: dwarf_names_file.c. Eight bytes per name, with a hash of it: the name
 * itself is in .debug_info. */
struct dwarf_named {
	uint32_t key, off;
};
struct dwarf_named_list {
	const struct dwarf_named *list; /* sorted by key, then in file order */
	size_t count;
};
enum dwarf_names_kind { NAMES_TYPES, NAMES_DESCRIPTORS, NAMES_VARIABLES, NAMES_KINDS };
struct dwarf_names_file;
/* NULL: nothing cached for exactly this debug info. The lists are borrowed. */
struct dwarf_names_file *dwarf_names_load(const struct dwarf *d,
					  const struct dwarf_entries *es,
					  struct dwarf_named_list ret[NAMES_KINDS]);
void dwarf_names_unload(struct dwarf_names_file *file);
void dwarf_names_store(const struct dwarf *d, const struct dwarf_entries *es,
		       const struct dwarf_named_list lists[NAMES_KINDS]);

/* Functions by pc: dwarf_functions.c */
bool dwarf_function_at(struct dwarf_entries *es, uint64_t pc, struct dwarf_entry *ret);
/* True: pc is in a unit whose contents are in a separate file (split DWARF). */
bool dwarf_is_elsewhere(struct dwarf_entries *es, uint64_t pc);
/* A function of the unit whose name is the shortest prefix of name that ends before a '.'
 * or '-' and is longer than len. Visits all functions of the unit. */
bool dwarf_function_around(struct dwarf_entries *es, struct dwarf_unit *unit,
			   const char *name, size_t len, struct dwarf_entry *ret);

/* Locations: dwarf_locations.c. At most LOCATION_PIECES pieces as encoded. */
enum { LOCATION_PIECES = 64 };
struct dwarf_place {
	struct dwarf_entries *es;
	const struct arch *arch; /* NULL: unknown */
	uint64_t pc;
	bool at_instruction;
	struct dwarf_piece frame_base; /* CFA, BASE or UNKNOWN */
};
/* The register, if the expression names one and does nothing else; otherwise -1. */
int64_t dwarf_register_alone(struct bytes expression);
void dwarf_frame_base(struct dwarf_place *place, const struct dwarf_entry *function);
void dwarf_locate(const struct dwarf_place *place, const struct dwarf_entry *e,
		  struct dwarf_variable *ret);

/* Call sites: dwarf_calls.c */
/* The call that returns to return_pc. False: no entry for it. */
bool dwarf_call_at(struct dwarf_entries *es, uint64_t return_pc, struct dwarf_entry *ret);
/* Does the call name this function as its callee? Addresses (AT_CALL_TARGET) are not
 * checked. */
bool dwarf_call_names(struct dwarf_entries *es, const struct dwarf_entry *call,
		      const struct dwarf_entry *function);
/* Can the callee have reached this function by tail calls, perhaps through others? */
bool dwarf_function_is_jumped_to(const struct dwarf *d,
				 const struct dwarf_entry *function);
/* The call's value for a parameter: for register reg, or, if reg is negative, for the
 * parameter entry. */
bool dwarf_call_parameter(struct dwarf_entries *es, const struct dwarf_entry *call,
			  int64_t reg, uint64_t parameter, struct bytes *ret);

#endif
