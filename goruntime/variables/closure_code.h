/* SPDX-License-Identifier: Apache-2.0 */
/* closure_code.h - finds which variables a closure has captured, and where it keeps them,
 * from its code: before Go 1.23 nothing else says so. A closure gets its address in rdx
 * and loads its variables from there first (amd64: cmd/compile/internal/ssagen,
 * OpGetClosurePtr). Private to goruntime. */
#ifndef GOSNAP_CLOSURE_CODE_H
#define GOSNAP_CLOSURE_CODE_H

#include "goruntime/variables/variables_priv.h"
#include "lib/dwarf/dwarf_scopes.h"

/* Sets the closure offset of each variable that the code of c loads from the closure. d:
 * debugging information of the file. */
void closure_code_join(struct runtime *rt, const struct code *c, struct dwarf *d,
		       struct code_variables *variables);

#endif
