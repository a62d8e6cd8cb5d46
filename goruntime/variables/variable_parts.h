/* SPDX-License-Identifier: Apache-2.0 */
/* variable_parts.h - of a variable that optimised code has in parts, the compiler tells of those
 * only that are used anywhere in the function, and not which they are
 * (cmd/compile/internal/ssa/debug.go, in each release): of a string perhaps its length, as if it
 * were all of it. Private to goruntime. */
#ifndef GOSNAP_VARIABLE_PARTS_H
#define GOSNAP_VARIABLE_PARTS_H

#include "goruntime/variables/variables_priv.h"

/* Are these pieces fewer than the parts of the type? Then ret has one for each part, nowhere where
 * none is sure to be of it: DWARF_PIECES at most. Returns how many; 0: they are as they are said.
 * *ret_over: nothing of this is sure, for its type or a parameter's has too many parts. */
size_t variable_parts(const struct frame_variables *frame, const struct dwarf_scope *s,
		      const struct dwarf_variable *d, const struct type *type,
		      struct dwarf_piece *ret, bool *ret_over);
/* Is it said to be in one place that has room for one of its parts only? */
bool variable_is_one_part(const struct dwarf_variable *d, const struct type *type);

#endif
