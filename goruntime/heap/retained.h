/* SPDX-License-Identifier: Apache-2.0 */
/* retained.h - how much of the heap each goroutine and global variable keeps alive alone: what the collector
 * would free if it were not there. */
#ifndef GOSNAP_RETAINED_H
#define GOSNAP_RETAINED_H

#include "goruntime/heap/heap_summary.h"

struct heap;

struct heap_retained {
	struct heap_root *roots; /* that keep any, those that keep most first */
	size_t count;
	struct heap_amount shared; /* by several roots */
};

/* Marks all roots again, by what mark_roots marks: everything that was marked before is forgotten. The roots
 * are for the caller to free. False: ERR_LIMIT. */
typedef void heap_roots_fn(void *arg);
MUST_CHECK bool heap_retain(struct heap *heap, heap_roots_fn *mark_roots, void *arg,
			    struct heap_retained *ret, struct err *err);

/* The root whose words are read now, outside of objects. at: where they are; 0: not known. */
struct heap_root root_of(const struct heap *heap, uint64_t at);

#endif
