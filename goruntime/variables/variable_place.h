/* SPDX-License-Identifier: Apache-2.0 */
/* variable_place.h - what a location says of a pc becomes an address in a frame, or a value that is
 * put together of its pieces. Private to goruntime. */
#ifndef GOSNAP_VARIABLE_PLACE_H
#define GOSNAP_VARIABLE_PLACE_H

#include "goruntime/variables/variables_priv.h"

/* Sets where the value is, or that it has none, and why. */
void variable_locate(struct frame_variables *frame, const struct dwarf_variable *d,
		     struct variable *ret, struct err *err);
/* In one piece, of no size of its own. */
bool variable_is_whole(const struct dwarf_variable *d);
/* Where in memory a piece is. False: in none (err untouched), or err says why. */
bool variable_piece_address(struct frame_variables *frame,
			    const struct dwarf_piece *piece, uint64_t *ret,
			    struct err *err);
/* A general register by DWARF's number. False: it is not known in this frame. */
bool frame_register(const struct frame_variables *frame, int64_t n, uint64_t *ret);

#endif
