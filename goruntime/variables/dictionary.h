/* SPDX-License-Identifier: Apache-2.0 */
/* dictionary.h - types of generic functions. All instances with the same shape share code
 * whose variables have types like "go.shape.int". The real types are in the dictionary
 * that the caller passes (cmd/compile/internal/noder/reader.go, 1.27: runtime types at
 * the indexes that DW_AT_go_dict_index gives). Private to goruntime. */
#ifndef GOSNAP_DICTIONARY_H
#define GOSNAP_DICTIONARY_H

#include "goruntime/variables/variables_priv.h"

struct dictionary {
	uint64_t addr;	 /* 0: why says why */
	const char *why; /* static, or in the caller's struct err */
};

/* The variable that has the dictionary; NULL: none. */
const struct dwarf_variable *dictionary_variable(const struct dwarf_scope *scope);
/* At its entry a function has its dictionary where it was passed: in the first register,
 * or from 1.21 on in the one after a method's receiver. False: pc is past that. */
bool dictionary_passed(struct frame_variables *frame, const struct dwarf_scope *scope,
		       uint64_t *ret);
/* Optimised code of Go 1.18 to 1.26 does not describe this variable: the dictionary is
 * the first argument, or from 1.21 on the one after a method's receiver, if it was kept.
 * False: it was not, or what is there is not a dictionary that fits. */
bool dictionary_find(struct frame_variables *frame, uint64_t *ret);
/* Does the dictionary have the type of this variable? Call after its pointer has been
 * followed. */
bool dictionary_has(const struct dwarf_variable *d, const struct variable *v);
/* Sets v's type to the real one; otherwise v->type_unresolved says why it is not known. */
void dictionary_settle(struct runtime *rt, const struct dictionary *dictionary,
		       struct code_variables *variables, const struct dwarf_variable *d,
		       struct variable *v, struct err *err);

#endif
