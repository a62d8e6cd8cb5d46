/* SPDX-License-Identifier: Apache-2.0 */
/* dictionary.h - types of generic functions. All instances whose types have the same shape share
 * their code, and its variables are of "go.shape.int"; what they really are, the dictionary says
 * that the caller passes (cmd/compile/internal/noder/reader.go, 1.27: runtime types at the places
 * that DW_AT_go_dict_index tells). Private to goruntime. */
#ifndef GOSNAP_DICTIONARY_H
#define GOSNAP_DICTIONARY_H

#include "goruntime/variables/variables_priv.h"

struct dictionary {
	uint64_t addr;	 /* 0: why */
	const char *why; /* borrowed */
};

/* The variable that the dictionary is in; NULL: there is none. */
const struct dwarf_variable *dictionary_variable(const struct dwarf_scope *scope);
/* Before a function does anything its dictionary is where it was passed: in the first register, or
 * from 1.21 on in the one behind a method's receiver. False: it is later than that. */
bool dictionary_passed(struct frame_variables *frame, const struct dwarf_scope *scope,
		       uint64_t *ret);
/* Optimised code of Go 1.18 to 1.26 tells of no such variable: the dictionary is the first
 * argument, or from 1.21 on the one behind a method's receiver, if it was kept. False: it was not,
 * or what is there is none that fits. */
bool dictionary_find(struct frame_variables *frame, uint64_t *ret);
/* Is the type of a variable one that a dictionary has? Its pointer is followed by now. */
bool dictionary_has(const struct dwarf_variable *d, const struct variable *v);
/* Makes the type of v what it really is; else v->shape says why it is not known. */
void dictionary_settle(struct runtime *rt, const struct dictionary *dictionary,
		       struct code_variables *variables, const struct dwarf_variable *d,
		       struct variable *v, struct err *err);

#endif
