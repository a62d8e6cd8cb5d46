/* SPDX-License-Identifier: Apache-2.0 */
/* pc_variables.h - what is the same of the variables of all frames at one pc: which ones
 * there are, their types, and where debugging information and stack maps say they are,
 * relative to a frame. Resolved once for each pc and kept with its code. Reads no memory of
 * a frame: variables.c locates them in one. Private to goruntime. */
#ifndef GOSNAP_PC_VARIABLES_H
#define GOSNAP_PC_VARIABLES_H

#include "goruntime/symtab/code.h"
#include "goruntime/variables/stack_map.h"
#include "goruntime/variables/variables.h"
#include "lib/dwarf/dwarf_scopes.h"

/* What is known of a variable at a pc, in any frame. */
struct pc_variable {
	/* The program declares it, and it is in scope: not declared later, not moved, not
	 * described twice. */
	bool reported;
	struct dwarf_variable at;   /* the variable itself, or what it was moved to */
	struct dwarf_piece *pieces; /* pieces of at, if not its own; owned */
	struct variable v;	    /* without its address */
	bool dead, may_be_unset;    /* when in memory */
	void *notes;
};

/* The variables of one pc. */
struct code_variables {
	struct dwarf_scopes *scopes; /* NULL: why says why */
	struct types *types;
	uint64_t bias;
	struct stack_map map;
	struct words_notes notes;
	struct err why;
	bool receiver_tried;
	const struct type *receiver; /* slots.c */
	bool bound_tried;
	struct dwarf_variable
		bound; /* captures.c: the receiver bound to this method value */
	const struct type *bound_type; /* NULL: not known */
	struct pc_variable **resolved; /* for each scope; NULL: not requested yet */
	struct shape_places *shapes;   /* dictionary.c; NULL: not requested yet */
};

void code_variables_free(struct code *c);
/* Frees those of all codes. */
void variables_free(struct code_table *table);
/* Looked up on first use. Never NULL; borrowed until runtimes_close(). */
const struct code_variables *code_variables(struct runtime *rt, const struct code *c);
/* Of the call of this frame; NULL: debugging information does not describe it. */
const struct dwarf_scope *pc_variables_scope(const struct frame_variables *frame);
/* For each variable of the scope. Of the frame, only its pc and call are used. */
struct pc_variable *pc_variables_of(const struct frame_variables *frame,
				    const struct dwarf_scope *s);

#endif
