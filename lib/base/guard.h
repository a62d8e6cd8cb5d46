/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - ends walks over data of the subject, which may contain itself or fan out without end.
 * Each returns whether the walk may go on; what was refused has changed nothing. */
#ifndef GOSNAP_GUARD_H
#define GOSNAP_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* One level deeper, of at most `most`. recursion_leave() follows where it returns true. */
static inline bool recursion_enter(unsigned *depth, unsigned most)
{
	if (*depth >= most)
		return false;
	++*depth;
	return true;
}

static inline void recursion_leave(unsigned *depth)
{
	--*depth;
}

/* Adds cost to what was spent, unless the sum exceeds `most`. */
static inline bool budget_spend(uint64_t *spent, uint64_t cost, uint64_t most)
{
	if (*spent > most || cost > most - *spent)
		return false;
	*spent += cost;
	return true;
}

#endif
