/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_scopes.h - which variables a function has at a pc, and where they are kept there. Knows
 * no Go. Addresses are those of the file: without the bias of the process. */
#ifndef GOSNAP_DWARF_SCOPES_H
#define GOSNAP_DWARF_SCOPES_H

#include "lib/dwarf/dwarf_info.h"

enum dwarf_piece_at {
	DWARF_PIECE_NOWHERE,  /* the compiler kept no location */
	DWARF_PIECE_ADDRESS,  /* at `at`, of the file */
	DWARF_PIECE_CFA,      /* at CFA + at */
	DWARF_PIECE_POINTED,  /* at the address that is kept at CFA + at, plus `more` */
	DWARF_PIECE_REGISTER, /* in DWARF register `at` */
	DWARF_PIECE_BASE,     /* at DWARF register `at` plus `more` */
	DWARF_PIECE_VALUE,    /* `at` itself */
	DWARF_PIECE_IMPLICIT, /* a pointer to what has no address: `more` bytes into what
				 * dwarf_described() has of `at`: C's only */
	DWARF_PIECE_EXPRESSION, /* what the `at` bytes of expression compute: C's only */
	DWARF_PIECE_UNKNOWN,	/* an expression that we do not follow */
};

struct dwarf_piece {
	enum dwarf_piece_at where;
	int64_t at;
	union {
		int64_t more;
		const uint8_t *expression; /* borrowed from the struct dwarf */
	};
	uint64_t size; /* bytes; UINT64_MAX: the whole variable */
	/* With DWARF_PIECE_CFA: it is said to be at CFA + other, too. Where the two differ
	 * nobody knows which one holds. */
	bool twice;
	int64_t other;
};

/* Of one variable. One that has more, or pieces of more bytes than its type, is one
 * DWARF_PIECE_UNKNOWN; one may have less: what its end would be is not kept. */
enum { DWARF_PIECES = 16 };

struct dwarf_variable {
	const char *name; /* borrowed from the struct dwarf; NULL: it has none */
	uint64_t type;	  /* for dwarf_type_read(); 0: not said */
	bool parameter;	  /* DW_TAG_formal_parameter */
	bool result;	  /* DW_AT_variable_parameter */
	bool listed;	  /* its location is said for ranges of code, not for all of it */
	bool alone;	  /* listed, and of Go: nowhere in the list is it in pieces */
	bool in_register; /* alone, and in a register somewhere in the list */
	uint32_t line;	  /* of its declaration; 0: not said */
	uint32_t depth;	  /* of the lexical block that it is in: 0 the function itself */
	bool has_dict_index, has_closure_offset;
	uint64_t dict_index;	 /* Go's 0x2906 of its type */
	uint64_t closure_offset; /* Go's 0x2907; 0: it has one that is not known */
	uint64_t
		shape; /* with has_dict_index: what all instances have; type is a name of it */
	struct dwarf_piece *pieces; /* at least one */
	size_t piece_count;
};

/* A function or an inlined call. */
struct dwarf_scope {
	const char *
		function; /* its name, from the abstract origin where it is one; or NULL */
	bool inlined;
	struct dwarf_variable
		*variables; /* in the order of the entries, blocks flattened */
	size_t variable_count;
};

/* A type of a generic function, which names it by its place in the dictionary. */
struct dwarf_shape {
	uint64_t type, index;
};

struct dwarf_scopes {
	struct dwarf_scope *list; /* innermost first; the last is the function itself */
	size_t count;
	/* Of that, and, if that is a closure, of the function around it. */
	struct dwarf_shape *shapes;
	size_t shape_count;
	bool tells_closures; /* its unit has closure offsets, where there are any */
};

/* pc: an instruction, or (exact false) a return address: then the function, its blocks and
 * inlined calls are those of pc - 1, and locations those that hold at pc itself, where they
 * are in memory; else those of pc - 1 in memory; registers are of the innermost frame only and
 * become DWARF_PIECE_NOWHERE. As the base of an address, those that unwinding restores stay: the
 * stack and the frame pointer, as they are in that frame. C's functions keep some registers for
 * their callers: of those, locations are those of pc - 1, with all registers. A variable whose block does not cover
 * the pc is left out.
 * NULL: no function of this debugging information covers pc; or err says more (ERR_LIMIT). */
struct dwarf_scopes *dwarf_scopes_at(struct dwarf *d, uint64_t pc, bool exact,
				     struct err *err);
void dwarf_scopes_free(struct dwarf_scopes *scopes);

/* What a DWARF_PIECE_IMPLICIT leads to, at the pc that has it. Its pieces are the caller's to free.
 * False: there is no such entry. */
bool dwarf_described(struct dwarf *d, uint64_t pc, bool exact, uint64_t entry,
		     struct dwarf_variable *ret);

/* The first parameter of a function of that name, which is inlined anywhere in the one at pc: only
 * its name, type and line. False: it is not inlined there, or has none. */
bool dwarf_inlined_parameter(struct dwarf *d, uint64_t pc, const char *function,
			     struct dwarf_variable *ret);
DEFINE_AUTO(struct dwarf_scopes, dwarf_scopes_free)

#endif
