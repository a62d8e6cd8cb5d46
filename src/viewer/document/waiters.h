/* SPDX-License-Identifier: Apache-2.0 */
/* waiters.h - objects that many goroutines wait for: how many. Only facts of the document;
 * memory use is fixed, whatever its size. */
#ifndef GOSNAP_WAITERS_H
#define GOSNAP_WAITERS_H

#include <stddef.h>
#include <stdint.h>

struct model;
struct model_goroutine;

/* A lock, or a channel that goroutines send to, with waiters. */
struct waited_object {
	uint64_t addr; /* 0: free slot */
	uint64_t waiters;
	uint64_t missed; /* at most this many more, from before it was counted */
};

/* Initialize to { NULL }. */
struct waiters {
	struct waited_object *objects; /* a hash table; NULL: empty */
	size_t object_count;
	uint64_t sweeps;
};

void waiters_done(struct waiters *waiters);

/* For each of the program's own goroutines. */
void waiters_add(struct waiters *waiters, const struct model *m,
		 const struct model_goroutine *goroutine);
/* How many wait for the object at addr, at least. */
uint64_t waiters_of(const struct waiters *waiters, uint64_t addr);

#endif
