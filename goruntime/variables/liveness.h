/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.h - does the place that debugging information gives for a variable still hold it?
 * Checks it against the stack maps. Private to goruntime. */
#ifndef GOSNAP_LIVENESS_H
#define GOSNAP_LIVENESS_H

#include "goruntime/variables/variables_priv.h"

/* True if its pointer words hold no live pointer, or it is an argument not yet written to
 * its slot. type: NULL to check only the latter. */
bool variable_is_dead(const struct frame_variables *frame, const struct dwarf_variable *d,
		      const struct type *type);
/* For a parameter that was assigned to, described as both in the place where its caller
 * put it and where the new value is: *ret has the latter, in pieces (room for
 * DWARF_PIECES). */
void variable_respilled(const struct frame_variables *frame,
			const struct dwarf_variable *d, struct dwarf_variable *ret,
			struct dwarf_piece *pieces);
/* Its declaration, or that of a result, is on the current line, and its location is valid
 * throughout the function: it may not be set yet. */
bool variable_may_be_unset(const struct frame_variables *frame,
			   const struct dwarf_variable *d);

#endif
