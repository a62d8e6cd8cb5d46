/* SPDX-License-Identifier: Apache-2.0 */
/* retained_sizes.h - how much of the heap each object, type, goroutine and global variable retains: itself, and
 * all that the collector would free with it, which is what it dominates. As in Eclipse MAT, what a type retains is
 * what its objects retain, with what is retained by several of them, one inside another, counted once. If all
 * objects of a type went at once, more might go: what only several of them together keep.
 *
 * Takes 8 bytes of memory for each object of the heap; 16 for each pointer to an object that another pointer has
 * led to, of which those from one object to the same one are a single one; of those with pointers what dominators.h
 * says; and then 56 for each object of the longest way down the dominator tree: of a list, for each of its
 * elements. */
#ifndef GOSNAP_RETAINED_SIZES_H
#define GOSNAP_RETAINED_SIZES_H

#include "goruntime/heap/heap.h"
#include "goruntime/retention/retained.h"

struct retained_amount {
	struct heap_amount amount; /* with the object itself */
	uint64_t
		dominator; /* the address of the object that dominates it; 0: none does */
	bool outermost;	   /* none of the same kind dominates it, or its kind is 0 */
};

typedef void retained_fn(void *arg, const struct heap_object *object,
			 const struct retained_amount *retained);

struct retained_request {
	const uint32_t *kinds; /* by the numbers of types: 1 + an index; 0: all others */
	size_t kind_count;     /* of these indices */
	struct heap_amount *of_kinds; /* what the types of each retain is added to it */
	retained_fn *fn;	      /* is called for each object that can be reached */
	void *arg;
	/* Bytes that all this may take, but for those for each object of the heap. */
	uint64_t memory;
};

/* As heap_retain(), with the same result, if there are at most 65,533 roots: those beyond share what they keep
 * there, but not here. The types of objects are kept. False: ERR_LIMIT; then fn may have been called, and there
 * is nothing in *ret. */
MUST_CHECK bool heap_retain_objects(struct heap *heap,
				    const struct retained_request *request,
				    struct heap_retained *ret, struct err *err);

#endif
