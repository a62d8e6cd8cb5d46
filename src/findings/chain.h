/* SPDX-License-Identifier: Apache-2.0 */
/* chain.h - from a goroutine to the one that has the lock it waits for, and on to what
 * that one waits for. Private to src/findings and its rooms. */
#ifndef GOSNAP_CHAIN_H
#define GOSNAP_CHAIN_H

#include "src/analysis/wait_graph.h"

enum { NO_GOROUTINE = UINT32_MAX };

struct chains {
	const struct wait_graph *waits;
	size_t count;	/* of goroutines */
	uint32_t *root; /* by goroutine: who it waits for in the end; itself: for nobody;
			  * NO_GOROUTINE: the way leads into a cycle */
	uint64_t *behind; /* by goroutine: how many wait for it in the end; in a cycle: of
			   * those outside of it, who wait for the cycle by it */
	uint8_t *in_cycle; /* by goroutine */
};

void chains_find(struct chains *ret, const struct wait_graph *waits);
void chains_done(struct chains *c);

/* Who has what the goroutine waits for, and surely or probably has it. NULL: it waits for
 * no lock, or nobody is known to have it. */
const struct partner *chain_next(const struct wait_graph *waits, uint32_t goroutine);

#endif
