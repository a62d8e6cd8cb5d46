/* SPDX-License-Identifier: Apache-2.0 */
/* closure_code.h - which variables of a closure it has captured, and where it carries them, by its
 * own code: before Go 1.23 nothing says so. A closure gets its address in rdx and takes its
 * variables from there first of all (amd64: cmd/compile/internal/ssagen, OpGetClosurePtr).
 * Private to goruntime. */
#ifndef GOSNAP_CLOSURE_CODE_H
#define GOSNAP_CLOSURE_CODE_H

#include "goruntime/variables/variables_priv.h"
#include "lib/dwarf/dwarf_scopes.h"

/* Gives the variables that the code of c loads so their closure offsets. bias: of the file. */
void closure_code_join(struct runtime *rt, const struct code *c, struct dwarf *d,
		       struct code_variables *variables);

#endif
