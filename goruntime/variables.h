/* SPDX-License-Identifier: Apache-2.0 */
/* variables.h - arguments, results and locals of a frame. What the debugging information says
 * of a pc is looked up once; a frame adds where its stack is. Private to goruntime. */
#ifndef GOSNAP_VARIABLES_H
#define GOSNAP_VARIABLES_H

#include "code.h"
#include "dwarf_scopes.h"
#include "goruntime.h"
#include "stack_map.h"

/* Of one pc. */
struct code_variables {
	struct dwarf_scopes *scopes; /* NULL: why */
	struct types *types;
	uint64_t bias;
	struct stack_map map;
	struct err why;
};

/* One of a goroutine's frames. */
struct frame_variables {
	struct runtime *rt;
	const struct code *code;
	uint32_t call;
	uint64_t cfa; /* 0: not known */
	/* Of the innermost frame of what runs; NULL: not known. */
	const struct regs *regs;
	const struct vector_regs *vectors;
};

void code_variables_free(struct code_variables *variables);
/* Looked up when they are first asked for. Never NULL; borrowed. */
const struct code_variables *code_variables(struct runtime *rt, const struct code *c);
/* *ret_why: why no names are known, if none are. False: then there are no slots, either. */
bool variables_begin(struct frame_variables *frame, const char **ret_why);
/* "&x" is a pointer to x, which lives on the heap: v becomes x. */
void variable_follow(struct runtime *rt, struct variable *v, struct err *err);

#endif
