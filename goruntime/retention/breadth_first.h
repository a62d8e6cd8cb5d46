/* SPDX-License-Identifier: Apache-2.0 */
/* breadth_first.h - reaches all objects from the roots, the nearest first. Private to goruntime/retention. */
#ifndef GOSNAP_BREADTH_FIRST_H
#define GOSNAP_BREADTH_FIRST_H

#include "goruntime/heap/heap_priv.h"
#include "goruntime/retention/retained.h"

/* A pointer to an object, from another one or from a root. */
struct reached {
	const struct span *span;
	uint32_t i;	/* in its span */
	uint64_t from;	/* number of the object that refers to it; NO_SCAN: a root does */
	uint32_t value; /* of that object */
	struct heap_root root; /* without from */
};

/* For the first pointer to each object. Returns its value, not 0. */
typedef uint32_t reached_fn(void *arg, const struct reached *to);
/* For each further pointer to an object that has that value. */
typedef void reached_again_fn(void *arg, const struct reached *to, uint32_t value);
struct reached_fns {
	reached_fn *first;
	reached_again_fn *again; /* NULL: not wanted */
	void *arg;
};
/* The values by the numbers of objects, 0 for those that cannot be reached, for the caller to free. NULL:
 * ERR_LIMIT. */
uint32_t *breadth_first(struct heap *h, const struct reached_fns *fns, struct err *err);

#endif
