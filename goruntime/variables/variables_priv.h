/* SPDX-License-Identifier: Apache-2.0 */
/* variables_priv.h - arguments, results and locals of one frame: variables.c adds the
 * addresses to what pc_variables.h found out for all frames at the same pc. Private to
 * goruntime. */
#ifndef GOSNAP_VARIABLES_PRIV_H
#define GOSNAP_VARIABLES_PRIV_H

#include "goruntime/symtab/code.h"
#include "goruntime/variables/pc_variables.h"
#include "goruntime/variables/variables.h"
#include "lib/dwarf/dwarf_expression.h"

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
