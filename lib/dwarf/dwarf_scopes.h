/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_scopes.h - the variables of a function at a pc, and their locations there. Knows
 * nothing of Go. Addresses are those of the file, without the bias of the process. */
#ifndef GOSNAP_DWARF_SCOPES_H
#define GOSNAP_DWARF_SCOPES_H

#include "lib/dwarf/dwarf_info.h"

enum dwarf_piece_at {
	DWARF_PIECE_NOWHERE,	/* the compiler kept no location */
	DWARF_PIECE_ADDRESS,	/* at file address `at` */
	DWARF_PIECE_CFA,	/* at CFA + at */
	DWARF_PIECE_INDIRECT,	/* at the address stored at CFA + at, plus `more` */
	DWARF_PIECE_REGISTER,	/* in DWARF register `at` */
	DWARF_PIECE_BASE,	/* at the value of DWARF register `at`, plus `more` */
	DWARF_PIECE_VALUE,	/* `at` itself */
	DWARF_PIECE_IMPLICIT,	/* `more` bytes into dwarf_described() of `at`. C only */
	DWARF_PIECE_EXPRESSION, /* the result of `expression`, `at` bytes long. C only */
	DWARF_PIECE_UNKNOWN,	/* an expression that we do not support */
};

struct dwarf_piece {
	enum dwarf_piece_at where;
	int64_t at;
	union {
		int64_t more;
		const uint8_t *expression; /* borrowed from the struct dwarf */
	};
	uint64_t size; /* bytes; UINT64_MAX: the whole variable */
	/* With DWARF_PIECE_CFA: a second location, CFA + other, is also given. If their
	 * contents differ, it is unknown which is right. */
	bool twice;
	int64_t other;
};

/* Of one variable. With more pieces, or pieces of more bytes than its type, a variable is
 * one DWARF_PIECE_UNKNOWN. Pieces may be fewer: then the end of the variable is lost. */
enum { DWARF_PIECES = 16 };

struct dwarf_variable {
	const char *name; /* borrowed from the struct dwarf; NULL: it has none */
	uint64_t type;	  /* for dwarf_type_read(); 0: unknown */
	bool parameter;	  /* DW_TAG_formal_parameter */
	bool result;	  /* DW_AT_variable_parameter */
	bool listed;	  /* has a location list, rather than one location for all code */
	bool alone;	  /* listed, in Go code: nowhere in pieces */
	bool in_register; /* alone, and in a register for part of the list */
	uint32_t line;	  /* of the declaration; 0: unknown */
	uint32_t depth;	  /* of its lexical block; 0: the function itself */
	bool has_dict_index, has_closure_offset;
	uint64_t dict_index;	 /* Go's 0x2906 on its type */
	uint64_t closure_offset; /* Go's 0x2907; 0: present but unknown */
	uint64_t shape; /* with has_dict_index: the shape type; type is a name for it */
	struct dwarf_piece *pieces; /* at least one */
	size_t piece_count;
};

/* A function or an inlined call. */
struct dwarf_scope {
	const char *function; /* that of its abstract origin, if any; or NULL */
	bool inlined;
	struct dwarf_variable *variables; /* in entry order, blocks flattened */
	size_t variable_count;
};

/* A type of a generic function, identified by its index in the dictionary. */
struct dwarf_shape {
	uint64_t type, index;
};

struct dwarf_scopes {
	struct dwarf_scope *list; /* innermost first; the function itself is last */
	size_t count;
	/* Of the function, and of the enclosing function if it is a closure. */
	struct dwarf_shape *shapes;
	size_t shape_count;
	bool tells_closures; /* the unit has closure offsets where they apply */
};

/* pc: an instruction, or (at_instruction false) a return address. For a return address,
 * the function, its blocks and inlined calls are those at pc - 1. Locations are those
 * at pc itself if they are in memory, else those at pc - 1 in memory. Registers belong
 * to the innermost frame only, and become DWARF_PIECE_NOWHERE. The stack and frame
 * pointers, which unwinding restores, may still be the base of an address. C functions
 * preserve some registers for their callers, so C locations are those at pc - 1, with
 * all registers. Variables whose block does not cover pc are omitted. NULL: no function
 * here covers pc, or err says more (ERR_LIMIT). */
struct dwarf_scopes *dwarf_scopes_at(struct dwarf *d, uint64_t pc, bool at_instruction,
				     struct err *err);
void dwarf_scopes_free(struct dwarf_scopes *scopes);

/* The target of a DWARF_PIECE_IMPLICIT, at the same pc. The caller frees its pieces.
 * False: no such entry. */
bool dwarf_described(struct dwarf *d, uint64_t pc, bool at_instruction, uint64_t entry,
		     struct dwarf_variable *ret);

/* The first parameter of a function of that name that is inlined anywhere in the function
 * at pc: only its name, type and line. False: it is not inlined there, or has no
 * parameter. */
bool dwarf_inlined_parameter(struct dwarf *d, uint64_t pc, const char *function,
			     struct dwarf_variable *ret);
DEFINE_AUTO(struct dwarf_scopes, dwarf_scopes_free)

#endif
