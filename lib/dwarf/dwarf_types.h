/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_types.h - types from debug info, one entry at a time. Knows Go's attributes
 * (0x2900 to 0x2907) only as numbers, not their meaning. References are offsets into
 * .debug_info of the same struct dwarf; 0: none. DWARF 2 to 5. */
#ifndef GOSNAP_DWARF_TYPES_H
#define GOSNAP_DWARF_TYPES_H

#include "lib/dwarf/dwarf_info.h"

enum dwarf_type_tag {
	DWARF_TYPE_OTHER,
	DWARF_TYPE_BASE,
	DWARF_TYPE_STRUCT, /* also C++ classes */
	DWARF_TYPE_UNION,
	DWARF_TYPE_ARRAY,
	DWARF_TYPE_POINTER, /* and references */
	DWARF_TYPE_FUNCTION,
	DWARF_TYPE_ENUM,
	DWARF_TYPE_TYPEDEF,
	DWARF_TYPE_QUALIFIER, /* const, volatile, restrict, atomic */
	DWARF_TYPE_UNSPECIFIED,
};

enum { DWARF_DIMENSIONS = 8 };

struct dwarf_type {
	uint64_t ref;
	enum dwarf_type_tag tag;
	const char *name; /* borrowed from the struct dwarf; NULL: anonymous */
	bool has_size, declaration;
	uint64_t size;
	unsigned encoding;	  /* DW_ATE_*, of a base type */
	uint64_t of;		  /* DW_AT_type; 0: none, as for void */
	bool go;		  /* from a Go unit */
	unsigned go_kind;	  /* 0x2900; 0: absent */
	uint64_t go_key, go_elem; /* 0x2901, 0x2902 */
	uint64_t go_runtime_type; /* 0x2904: offset into the module's types; 0: none */
	/* Of an array, outermost first; UINT64_MAX: unknown. C has several in one entry,
	 * Go a chain of entries. */
	uint64_t dimensions[DWARF_DIMENSIONS];
	size_t dimension_count;
};

/* ERR_NOT_FOUND: no type at ref; ERR_BAD_DATA. */
MUST_CHECK bool dwarf_type_read(struct dwarf *d, uint64_t ref, struct dwarf_type *ret,
				struct err *err);

struct dwarf_field {
	const char *name;	    /* borrowed; NULL: anonymous */
	uint64_t of;		    /* its type */
	uint64_t off;		    /* bytes */
	uint32_t bit_off, bit_size; /* bit_size 0: no bit field; bit_off from off */
	bool embedded;		    /* Go's 0x2903 */
};
/* For a struct or union, in declaration order; stops when fn returns false. */
typedef bool dwarf_field_fn(void *arg, const struct dwarf_field *field);
void dwarf_type_each_field(struct dwarf *d, uint64_t ref, dwarf_field_fn *fn, void *arg);

struct dwarf_enumerator {
	const char *name;
	int64_t value;
};
typedef bool dwarf_enumerator_fn(void *arg, const struct dwarf_enumerator *e);
void dwarf_type_each_enumerator(struct dwarf *d, uint64_t ref, dwarf_enumerator_fn *fn,
				void *arg);

#endif
