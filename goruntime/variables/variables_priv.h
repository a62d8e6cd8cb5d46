/* SPDX-License-Identifier: Apache-2.0 */
/* variables_priv.h - arguments, results and locals of a frame. What the debugging information says
 * of a pc is looked up once; a frame adds where its stack is. Private to goruntime. */
#ifndef GOSNAP_VARIABLES_PRIV_H
#define GOSNAP_VARIABLES_PRIV_H

#include "goruntime/symtab/code.h"
#include "goruntime/variables/stack_map.h"
#include "goruntime/variables/variables.h"
#include "lib/dwarf/dwarf_expression.h"
#include "lib/dwarf/dwarf_scopes.h"

/* What is told of a variable of one pc, whatever frame it is in. */
struct told_variable {
	bool given;		    /* it is of the program, and there already */
	struct dwarf_variable at;   /* what holds it: itself, or what it was moved to */
	struct dwarf_piece *pieces; /* of that, where they are not its own; owned */
	struct variable v;	    /* without its place */
	bool stale, may_be_unset;   /* where it is in memory */
	void *notes;
};

/* Of one pc. */
struct code_variables {
	struct dwarf_scopes *scopes; /* NULL: why */
	struct types *types;
	uint64_t bias;
	struct stack_map map;
	struct words_notes notes;
	struct err why;
	bool receiver_tried;
	const struct type *receiver; /* slots.c */
	bool bound_tried;
	struct dwarf_variable
		bound; /* captures.c: the receiver that this method value carries */
	const struct type *bound_type; /* NULL: not known */
	struct told_variable **told;   /* of each scope; NULL: not asked for yet */
	struct shape_places *shapes;   /* dictionary.c; NULL: not asked for yet */
};

/* One of a goroutine's frames. */
struct frame_variables {
	struct runtime *rt;
	const struct code *code;
	uint32_t call;
	uint64_t cfa; /* 0: not known */
	/* What the function was called by, at its beginning only: a function value; 0: not known. */
	uint64_t closure;
	/* Of the innermost frame of what runs; NULL: not known. */
	const struct regs *regs;
	const struct vector_regs *vectors;
	bool signalled; /* it panics by a signal, when it had registers */
	/* Of a C function: the stack that it is in, and which of its frames it is; NULL: of Go. */
	const struct dwarf_stack *c_stack;
	size_t c_frame;
};

void code_variables_free(struct code *c);
/* Those of all codes. */
void variables_free(struct code_table *table);
/* Looked up when they are first asked for. Never NULL; borrowed. */
const struct code_variables *code_variables(struct runtime *rt, const struct code *c);
/* *ret_why: why no names are known, if none are. False: then there are no slots, either. */
bool variables_begin(struct frame_variables *frame, const char **ret_why);
/* captures.c: where the function value at closure has a variable of the function itself: v gets its
 * place, or says why it has none. Its type is that of the scope. */
void closure_variable(struct runtime *rt, const struct dwarf_scope *scope,
		      const struct dwarf_variable *d, uint64_t closure,
		      struct variable *v, struct err *err);
/* "&x" is a pointer to x, which lives on the heap: v becomes x. */
void variable_follow(struct runtime *rt, struct variable *v, struct err *err);

#endif
