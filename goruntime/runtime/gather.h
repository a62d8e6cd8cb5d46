/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - pieces of the stopped process, asked for one by one and copied together in
 * address order; afterwards they are read from the target as anything else. Structures are
 * followed level by level: what all have, then where all of that points. Private to
 * goruntime. */
#ifndef GOSNAP_GATHER_H
#define GOSNAP_GATHER_H

#include "lib/target/target_extents.h"

struct gather {
	struct extent_range *list;
	size_t count, cap;
	uint64_t left_out; /* bytes, by the limit of target_extents_add() */
};

/* Address 0 and no bytes are nothing. */
void gather_add(struct gather *g, uint64_t addr, uint64_t len);
/* Copies what was asked for and forgets it. On a target that is no open extents nothing
 * needs copying, and nothing happens. */
void gather_read(struct gather *g, struct target *t);
void gather_done(struct gather *g);

#endif
