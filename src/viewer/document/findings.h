/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what a person should look at first: what many wait for, and the one who has
 * waited longest for what should not take long. Facts of the document; takes a fixed amount
 * of memory, whatever its size. */
#ifndef GOSNAP_FINDINGS_H
#define GOSNAP_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

struct page;
struct reader_node;
struct summary;

/* Something that goroutines wait for, when it is a lock, or a channel that they send to. */
struct finding_object {
	uint64_t addr; /* 0: a free place */
	uint64_t waiters;
	uint64_t missed; /* at most so many more, from before it was counted */
	const char *kind;
};

/* Starts as { NULL }. */
struct findings {
	struct finding_object *objects; /* a hash table; NULL: none yet */
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

/* One of the program's own goroutines. */
void findings_add(struct findings *findings, const struct reader_node *goroutine);
/* How many wait for the thing at that address: at least. */
uint64_t findings_waiters(const struct findings *findings, uint64_t addr);
/* Nothing when there is nothing to be said. */
void findings_print(const struct page *page, struct summary *summary);

#endif
