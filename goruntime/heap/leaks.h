/* SPDX-License-Identifier: Apache-2.0 */
/* leaks.h - which goroutines can never go on: the rule of Go's own leak profile (runtime/mgc.go
 * findGoroutineLeaks, 1.26), for every release. Those that wait for nothing but channels, locks,
 * conditions and wait groups that no other goroutine can get at, where others means those that do not wait
 * so, and those that these can wake, and so on. Waiting for a nil channel, or in a select without cases,
 * is waiting for ever.
 *
 * A leaked goroutine is one for sure, unless memory of C, or a number that is not a pointer to Go, leads
 * to what it waits for. One that is not leaked may be all the same: what a goroutine waits for is
 * not always known, and what runs is read conservatively (heap.h). */
#ifndef GOSNAP_LEAKS_H
#define GOSNAP_LEAKS_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct runtimes;
struct target;

/* What it may take, each of several runtimes. 0: no limit. */
struct leaks_limits {
	uint64_t ns;	/* of time */
	uint64_t bytes; /* of memory read */
};

struct leaks {
	bool *leaked; /* for each goroutine, as of runtimes_goroutine() */
	size_t count; /* of those that are */
};

/* After runtimes_decode(). memory: the copy or the core. False: ERR_LIMIT, it gave up; ERR_ABSENT, some of
 * what it needs cannot be read; or the heap is not known. leaks_done() in either case. */
MUST_CHECK bool leaks_find(struct runtimes *all, struct target *memory,
			   const struct leaks_limits *limits, struct leaks *ret,
			   struct err *err);
void leaks_done(struct leaks *leaks);

#endif
