/* SPDX-License-Identifier: Apache-2.0 */
/* breadth_first.h - reaches all objects from the roots, the nearest first. Private to goruntime/heap. */
#ifndef GOSNAP_BREADTH_FIRST_H
#define GOSNAP_BREADTH_FIRST_H

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/retained.h"

/* An object that is reached for the first time. */
struct reached {
	const struct span *span;
	uint32_t i;	/* in its span */
	uint64_t from;	/* number of the object that refers to it; NO_SCAN: a root does */
	uint32_t value; /* of that object */
	struct heap_root root; /* without from */
};

/* fn is called for each object and returns its value, not 0. The result has the values by the numbers of
 * objects, 0 for those that cannot be reached; the caller frees it. NULL: ERR_LIMIT. */
typedef uint32_t reached_fn(void *arg, const struct reached *to);
uint32_t *breadth_first(struct heap *h, heap_roots_fn *mark_roots, void *roots_arg,
			reached_fn *fn, void *arg, struct err *err);

#endif
