/* SPDX-License-Identifier: Apache-2.0 */
/* chain.h - follows chains of goroutines: from a goroutine to the holder of the lock that
 * it waits for, then to the holder of the lock that this holder waits for, and so on.
 * Private to src/findings and its rooms. */
#ifndef GOSNAP_CHAIN_H
#define GOSNAP_CHAIN_H

#include "src/analysis/wait_graph.h"

enum { NO_GOROUTINE = UINT32_MAX };

struct chains {
	const struct wait_graph *waits;
	size_t count; /* of goroutines */
	/* by goroutine: the last goroutine of its chain, itself if it waits for none;
	 * NO_GOROUTINE: its chain leads into a cycle, or it is in one */
	uint32_t *root;
	/* by goroutine: how many other chains end with it; in a cycle: how many chains of
	 * goroutines outside of the cycle enter it there */
	uint64_t *behind;
	uint8_t *in_cycle; /* by goroutine */
};

void chains_find(struct chains *ret, const struct wait_graph *waits);
void chains_done(struct chains *c);

/* Returns the certain or probable holder of the lock that the goroutine waits for. NULL:
 * it waits for no lock, or no holder is known. */
const struct partner *chain_next(const struct wait_graph *waits, uint32_t goroutine);

#endif
