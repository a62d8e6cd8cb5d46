/* SPDX-License-Identifier: Apache-2.0 */
/* locks.h - what goroutines wait for and who has it, as the document says it: read once. */
#ifndef GOSNAP_LOCKS_H
#define GOSNAP_LOCKS_H

#include "src/viewer/model/model.h"

struct locks;
struct reader_node;

struct lock {
	uint64_t address;
	uint64_t waiters;
	struct model_place place;
	char *kind;
	int64_t holder; /* -1: not known */
	bool certain;	/* it is known for sure */
};

struct locks *locks_new(struct model *model);
void locks_free(struct locks *locks);

/* Most waiters first. */
const struct lock *locks_all(const struct locks *locks, size_t *ret_count);
/* The place in locks_all(); SIZE_MAX: there is none. */
size_t locks_find(const struct locks *locks, uint64_t address);
/* Who has it comes first; else who will do something with it. The caller drops it; NULL: it is not known. */
const struct reader_node *locks_partners(const struct locks *locks, struct model *model,
					 size_t lock);
/* Calls fn for each goroutine that the document lists as waiting: there may be a million. */
typedef void lock_waiter_fn(void *arg, int64_t goroutine);
void locks_each_waiter(const struct locks *locks, struct model *model, size_t lock,
		       lock_waiter_fn *fn, void *arg);
/* Those that a goroutine has: the next after that place, SIZE_MAX for the first. SIZE_MAX: no more. */
size_t locks_of(const struct locks *locks, int64_t holder, size_t after);

#endif
