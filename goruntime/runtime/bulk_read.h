/* SPDX-License-Identifier: Apache-2.0 */
/* bulk_read.h - collects pieces of the stopped process and copies them together in address
 * order; afterwards they are read from the target like anything else. Follows structures
 * level by level: first what all of them have, then what that points to. Private to
 * goruntime. */
#ifndef GOSNAP_BULK_READ_H
#define GOSNAP_BULK_READ_H

#include "lib/target/target_extents.h"

struct bulk_read {
	struct extent_range *list;
	size_t count, cap;
	uint64_t left_out; /* bytes left out by the limit of target_extents_add() */
};

/* Ignores address 0 and length 0. */
void bulk_read_add(struct bulk_read *g, uint64_t addr, uint64_t len);
/* Copies what was added, then empties the list. If the target is not open extents,
 * nothing needs copying: does nothing. */
void bulk_read_read(struct bulk_read *g, struct target *t);
void bulk_read_done(struct bulk_read *g);

#endif
