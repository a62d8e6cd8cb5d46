/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - does a condition hold for a goroutine? It does or does not: a comparison with what is
 * absent does not hold, and ! is the opposite of what it stands before. Of several values, one is enough. */
#ifndef GOSNAP_FILTER_EVALUATE_H
#define GOSNAP_FILTER_EVALUATE_H

#include "src/viewer/filter/facts.h"

struct evaluation {
	struct subject *subject;
	size_t texts; /* numbers of texts in the model */
	/* Which conditions on frames hold, by their bits; NULL: not known yet. */
	const uint64_t *frames;
};

bool evaluate(struct evaluation *e, struct expression *x);
/* The bits of all conditions on frames in x that hold. */
uint64_t evaluate_frames(struct evaluation *e, struct expression *x);
/* Gives them their bits; next: the first one that is free. Returns that then. */
unsigned number_frames(struct expression *x, unsigned next);

#endif
