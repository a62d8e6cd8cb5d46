/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what to look at first: objects that many goroutines wait for, and the
 * longest wait for something that should be quick. Only facts of the document; memory use
 * is fixed, whatever its size. */
#ifndef GOSNAP_FINDINGS_H
#define GOSNAP_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

struct page;
struct reader_node;
struct summary;

/* A lock, or a channel that goroutines send to, with waiters. */
struct finding_object {
	uint64_t addr; /* 0: free slot */
	uint64_t waiters;
	uint64_t missed; /* at most this many more, from before it was counted */
	const char *kind;
};

/* Initialize to { NULL }. */
struct findings {
	struct finding_object *objects; /* a hash table; NULL: empty */
	size_t object_count;
	uint64_t sweeps;
	struct {
		const char *reason; /* NULL: none */
		int64_t id, ns, group;
	} longest;
	uint64_t panicking, leaked;
	int64_t panicking_id; /* the first */
};

void findings_done(struct findings *findings);

/* For each of the program's own goroutines. */
void findings_add(struct findings *findings, const struct reader_node *goroutine);
/* How many wait for the object at addr, at least. */
uint64_t findings_waiters(const struct findings *findings, uint64_t addr);
/* Prints nothing if there are no findings. */
void findings_print(const struct page *page, struct summary *summary);

#endif
