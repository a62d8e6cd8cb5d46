/* SPDX-License-Identifier: Apache-2.0 */
/* variable_parts.h - for a variable that optimised code keeps in parts, the compiler
 * describes only the parts used in the function, without saying which they are
 * (cmd/compile/internal/ssa/debug.go, in each release): for a string perhaps its length,
 * as if that were the whole string. Private to goruntime. */
#ifndef GOSNAP_VARIABLE_PARTS_H
#define GOSNAP_VARIABLE_PARTS_H

#include "goruntime/variables/variables_priv.h"

/* Are there fewer pieces than the type has parts? Then ret gets a piece for each part,
 * nowhere for a part that no piece surely belongs to: DWARF_PIECES at most. Returns how
 * many; 0: the pieces are right as described. *ret_over: nothing is certain, as its type
 * or a parameter's has too many parts. */
size_t variable_parts(const struct frame_variables *frame, const struct dwarf_scope *s,
		      const struct dwarf_variable *d, const struct type *type,
		      struct dwarf_piece *ret, bool *ret_over);
/* Does it have a single location, with room for just one of its parts? */
bool variable_is_one_part(const struct dwarf_variable *d, const struct type *type);

#endif
