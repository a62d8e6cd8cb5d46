/* SPDX-License-Identifier: Apache-2.0 */
/* pools.h - finds the pools that goroutines wait for, the goroutines that wait, and those that have a
 * connection. Private to src/findings/program. Looks at some thousand goroutines at most. */
#ifndef GOSNAP_POOLS_H
#define GOSNAP_POOLS_H

#include "src/findings/program/pool.h"

enum { POOLS_LOOK_MAX = 4000 /* goroutines */, POOL_HOLDERS_MAX = 256 };

struct pool_holder {
	uint32_t goroutine;
	uint64_t connection;
	bool may_end; /* see enum pool_end */
};

struct pool {
	const struct pool_kind *kind;
	struct runtime *rt;
	struct value value;
	bool is_exhausted;
	uint64_t most; /* connections that it may have */
	uint64_t waiters, long_waiters;
	uint32_t longest;		    /* a waiter */
	uint32_t shown[FINDING_GOROUTINES]; /* waiters */
	size_t shown_count;
	struct pool_holder holders[POOL_HOLDERS_MAX];
	size_t holder_count;
};

struct pools {
	struct pool **list;
	size_t count, cap;
	size_t looked_at;
	struct pool **of; /* by goroutine: the pool that it waits for; NULL: none */
};

/* Finds the pools, and the goroutines that wait for them. Call pools_done()
 * afterwards. */
void pools_find(struct pools *ret, struct finder *f);
void pools_done(struct pools *p);
/* Finds the goroutines whose variables lead to a connection that is in use: once for each pool. */
void pools_find_holders(struct finder *f, struct pools *p, struct pool *pool);
/* Did pools_find() and pools_find_holders() look at all goroutines? */
bool pools_saw_all(const struct pools *p, const struct pool *pool);

#endif
