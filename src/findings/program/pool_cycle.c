/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a ring through a pool: each goroutine that has a connection of the pool waits for
 * a lock, and the goroutine that has that lock waits for a connection of the same pool.
 * Each waits for another one of them, so the finding needs no duration. All connections
 * must be known. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/findings/program/pools.h"

/* Returns the goroutine that the holder waits for in the end, through locks, and that
 * waits for the pool; NO_GOROUTINE: the holder may go on. */
static uint32_t stuck_behind(const struct finder *f, const struct pools *p,
			     const struct pool *pool, uint32_t holder, bool *certain)
{
	const uint32_t root = f->chains.root[holder];
	const struct partner *next;

	if (root == NO_GOROUTINE || p->of[root] != pool)
		return NO_GOROUTINE;
	for (uint32_t at = holder;
	     at != root && (next = chain_next(f->about.waits, at)) != NULL;
	     at = next->goroutine)
		*certain &= next->certainty == CERTAINTY_CERTAIN;
	return root;
}

/* May a context that ends let the goroutine go on? */
static bool may_give_up(const struct finder *f, uint32_t goroutine)
{
	const struct goroutine_of it = finder_goroutine(f, goroutine);
	struct wait wait;

	return runtime_wait(it.runtime, it.goroutine, &wait) &&
	       wait.kind == WAIT_SELECT && wait.case_count != 1;
}

static int by_connection(const void *a, const void *b)
{
	const struct pool_holder *x = a, *y = b;

	return (x->connection > y->connection) - (x->connection < y->connection);
}

static uint64_t count_connections(struct pool *pool)
{
	uint64_t ret = 0;

	qsort(pool->holders, pool->holder_count, sizeof(*pool->holders), by_connection);
	for (size_t i = 0; i < pool->holder_count; i++)
		ret += i == 0 ||
		       pool->holders[i].connection != pool->holders[i - 1].connection;
	return ret;
}

/* Are all connections in use by goroutines that wait for each other? Sets *certain if
 * nothing can end that. */
static bool is_ring(const struct finder *f, const struct pools *p, struct pool *pool,
		    bool *certain)
{
	*certain = true;
	if (!pool->holder_count || !pools_saw_all(p, pool) ||
	    count_connections(pool) != pool->most)
		return false;
	for (size_t i = 0; i < pool->holder_count; i++) {
		const uint32_t behind =
			stuck_behind(f, p, pool, pool->holders[i].goroutine, certain);
		if (behind == NO_GOROUTINE)
			return false;
		*certain &= !may_give_up(f, behind) && !pool->holders[i].may_end;
	}
	return true;
}

static void say_ring(const struct finder *f, struct text *text, const struct pool *pool)
{
	const uint32_t holder = pool->holders[0].goroutine;
	const uint32_t root = f->chains.root[holder];
	const struct partner *as = chain_next(f->about.waits, holder);

	text_add(text, " Goroutine %" PRIu64 " has one and ", id_of(f, holder));
	say_state(f, text, holder);
	if (as && as->passed && as->passed_is_one) {
		text_add(text, ", which goroutine %" PRIu64 " locked",
			 id_of(f, as->goroutine));
		say_place(f, text, as->goroutine, as->passed_pc);
	}
	text_add(text, ".");
	if (root == holder)
		return;
	text_add(text, " Goroutine %" PRIu64 " waits for a connection", id_of(f, root));
	say_where(f, text, root);
	text_add(text, ".");
}

static uint64_t count_affected(const struct finder *f, const struct pools *p,
			       const struct pool *pool)
{
	const struct chains *c = &f->chains;
	uint64_t ret = 0;

	for (size_t i = 0; i < c->count; i++) {
		const uint32_t root = c->root[i];
		ret += root != NO_GOROUTINE && p->of[root] == pool;
	}
	return ret;
}

/* The other goroutines that wait for the pool need no finding of their own. */
static void mark_told(struct finder *f, const struct pools *p, const struct pool *pool)
{
	for (size_t i = 0; i < f->chains.count; i++)
		f->told[i] |= p->of[i] == pool;
}

static void tell(struct finder *f, const struct pools *p, const struct pool *pool,
		 bool certain)
{
	struct finding *finding = finding_add(
		f, "pool_cycle", certain ? SEVERITY_CRITICAL : SEVERITY_WARNING,
		count_affected(f, p, pool),
		"Take the connection before the lock, or the lock before the connection: "
		"the same way everywhere. While one connection is in use, ask for no "
		"other.");
	struct text *text = &finding->text;

	text_add(text,
		 "Goroutines that have connections and goroutines that wait for one "
		 "wait for each other%s: %s 0x%" PRIx64 " has all ",
		 certain ? ", a deadlock" : ", it seems", pool->kind->name,
		 pool->value.addr);
	text_add_count(text, pool->most);
	text_add(text, " in use that it may have, and ");
	text_add_count(text, pool->waiters);
	text_add(text, pool->waiters == 1 ? " goroutine waits for one."
					  : " goroutines wait for one.");
	say_ring(f, text, pool);
	for (size_t i = 0; i < pool->holder_count; i++)
		finding_shows_goroutine(f, finding, pool->holders[i].goroutine);
	const uint32_t root = f->chains.root[pool->holders[0].goroutine];
	if (root != pool->holders[0].goroutine)
		finding_shows_goroutine(f, finding, root);
	finding_shows_address(finding, pool->value.addr);
	mark_told(f, p, pool);
}

void finding_pool_cycle(struct finder *f)
{
	struct pools pools;
	bool certain;

	pools_find(&pools, f);
	for (size_t i = 0; i < pools.count; i++) {
		struct pool *pool = pools.list[i];
		if (!pool->is_exhausted)
			continue;
		pools_find_holders(f, &pools, pool);
		if (is_ring(f, &pools, pool, &certain))
			tell(f, &pools, pool, certain);
	}
	pools_done(&pools);
}
