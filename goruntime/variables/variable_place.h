/* SPDX-License-Identifier: Apache-2.0 */
/* variable_place.h - turns the location of a variable at a pc into an address in a frame,
 * or a value assembled from pieces. Private to goruntime. */
#ifndef GOSNAP_VARIABLE_PLACE_H
#define GOSNAP_VARIABLE_PLACE_H

#include "goruntime/variables/variables_priv.h"

/* Sets where the value is, or that there is none and why. */
void variable_locate(struct frame_variables *frame, const struct dwarf_variable *d,
		     struct variable *ret, struct err *err);
/* Is it in one piece without a size of its own? */
bool variable_is_whole(const struct dwarf_variable *d);
/* Go's compiler gives pieces only for the numbers and words of a struct: how much is left out before a piece of
 * that size, behind others of off bytes. */
uint64_t variable_padding(const struct type *type, uint64_t off, uint64_t size);
/* The address of a piece in memory. False: not in memory (err untouched), or err says
 * why. */
bool variable_piece_address(struct frame_variables *frame,
			    const struct dwarf_piece *piece, uint64_t *ret,
			    struct err *err);
/* A general register by DWARF number. False: not known in this frame. */
bool frame_register(const struct frame_variables *frame, int64_t n, uint64_t *ret);

#endif
