/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - collects pieces of the stopped process and copies them together in address
 * order; afterwards they are read from the target like anything else. Follows structures
 * level by level: first what all of them have, then what that points to. Private to
 * goruntime. */
#ifndef GOSNAP_GATHER_H
#define GOSNAP_GATHER_H

#include "lib/target/target_extents.h"

struct gather {
	struct extent_range *list;
	size_t count, cap;
	uint64_t left_out; /* bytes left out by the limit of target_extents_add() */
};

/* Ignores address 0 and length 0. */
void gather_add(struct gather *g, uint64_t addr, uint64_t len);
/* Copies what was added, then empties the list. If the target is not open extents,
 * nothing needs copying: does nothing. */
void gather_read(struct gather *g, struct target *t);
void gather_done(struct gather *g);

#endif
