/* SPDX-License-Identifier: Apache-2.0 */
/* stale.h - does a place that the debugging information tells of still hold its variable? The
 * garbage collector's maps are the second witness. Private to goruntime. */
#ifndef GOSNAP_STALE_H
#define GOSNAP_STALE_H

#include "goruntime/variables/variables_priv.h"

/* The words of it that would hold pointers hold none that is needed, or it is an argument that was
 * not written to its place yet. type: NULL, where only the second is asked for. */
bool variable_is_stale(const struct frame_variables *frame,
		       const struct dwarf_variable *d, const struct type *type);
/* A parameter that got another value, where it is said to be both where its caller put the first
 * one and where the new one is: *ret has the latter, in pieces (DWARF_PIECES of them). */
void variable_renewed(const struct frame_variables *frame, const struct dwarf_variable *d,
		      struct dwarf_variable *ret, struct dwarf_piece *pieces);
/* Its declaration is on the line that is executed, and its place is said for all of the
 * function: it may not be set yet. So with a result. */
bool variable_may_be_unset(const struct frame_variables *frame,
			   const struct dwarf_variable *d);

#endif
