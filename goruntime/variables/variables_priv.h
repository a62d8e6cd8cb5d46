/* SPDX-License-Identifier: Apache-2.0 */
/* variables_priv.h - arguments, results and locals of a frame. What debugging information
 * says about a pc is looked up once; a frame adds the addresses. Private to goruntime. */
#ifndef GOSNAP_VARIABLES_PRIV_H
#define GOSNAP_VARIABLES_PRIV_H

#include "goruntime/symtab/code.h"
#include "goruntime/variables/stack_map.h"
#include "goruntime/variables/variables.h"
#include "lib/dwarf/dwarf_expression.h"
#include "lib/dwarf/dwarf_scopes.h"

/* What is known of a variable at a pc, in any frame. */
struct pc_variable {
	bool given;		    /* declared by the program, and in scope */
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
	struct pc_variable **told;     /* for each scope; NULL: not requested yet */
	struct shape_places *shapes;   /* dictionary.c; NULL: not requested yet */
};

/* A frame of a goroutine, or of a C function. */
struct frame_variables {
	struct runtime *rt;
	const struct code *code;
	uint32_t call;
	uint64_t cfa; /* 0: not known */
	/* The function value that was called, at function entry only; 0: not known. */
	uint64_t closure;
	/* Of the innermost frame of a running goroutine; NULL: not known. */
	const struct regs *regs;
	const struct vector_regs *vectors;
	bool signalled; /* it panicked on a signal while it had these registers */
	/* For a C function: its stack, and its frame there; NULL: Go. */
	const struct dwarf_stack *c_stack;
	size_t c_frame;
};

void code_variables_free(struct code *c);
/* Frees those of all codes. */
void variables_free(struct code_table *table);
/* Looked up on first use. Never NULL; borrowed until runtimes_close(). */
const struct code_variables *code_variables(struct runtime *rt, const struct code *c);
/* *ret_why: why no names are known, if none are. False: there are no slots either. */
bool variables_begin(struct frame_variables *frame, const char **ret_why);
/* captures.c: where the function value at closure keeps a variable of its function. v
 * gets the address, or why there is none, and the type from the scope. */
void closure_variable(struct runtime *rt, const struct dwarf_scope *scope,
		      const struct dwarf_variable *d, uint64_t closure,
		      struct variable *v, struct err *err);
/* "&x" is a pointer to x on the heap: v becomes x. */
void variable_follow(struct runtime *rt, struct variable *v, struct err *err);

#endif
