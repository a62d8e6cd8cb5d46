/* SPDX-License-Identifier: Apache-2.0 */
/* retained.h - how much of the heap each goroutine and global variable keeps alive alone: what the collector
 * would free if it were not there. */
#ifndef GOSNAP_RETAINED_H
#define GOSNAP_RETAINED_H

#include "goruntime/retention/heap_summary.h"

struct heap;

struct heap_retained {
	struct heap_root *roots; /* that keep any, those that keep most first */
	size_t count;
	struct heap_amount shared; /* by several roots */
};

/* Marks all roots again: everything that was marked before is forgotten. The roots are for the caller to free.
 * False: ERR_LIMIT. */
MUST_CHECK bool heap_retain(struct heap *heap, struct heap_retained *ret,
			    struct err *err);

/* By what they keep, most first. */
void heap_retained_sort(struct heap_retained *retained);

/* The root whose words are read now, outside of objects. at: where they are; 0: not known. */
struct heap_root root_of(const struct heap *heap, uint64_t at);

#endif
