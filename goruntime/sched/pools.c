/* SPDX-License-Identifier: Apache-2.0 */
/* What each sync.Pool keeps: sync/pool.go and sync/poolqueue.go. allPools are those that were used since
 * the last collection, oldPools those that keep something from before it; poolCleanup names both. A Pool
 * has an array with a poolLocal for each P; its queue is a chain of rings, the newest first. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"

enum {
	LIST_MOST = 4 * LIMIT_POOLS,
	RINGS_MAX = 64, /* of a chain: each has twice the places of the one before */
	RING_MOST = 1 << 30,
	PROCESSORS_MOST = 1 << 10,
	READS_MAX = 1 << 13, /* some milliseconds */
};

static uint64_t load(struct state_reading *r, uint64_t base, enum layout_slot slot)
{
	struct state_number n = { 0 };

	if (r->pool_reads++ < READS_MAX)
		n = state_load(r, base, slot);
	return n.known ? n.value : 0;
}

/* Objects in a chain. */
static uint64_t count_chain(struct state_reading *r, uint64_t ring)
{
	uint64_t count = 0;

	for (size_t i = 0; ring && i < RINGS_MAX; i++) {
		const uint64_t ends = load(r, ring, L_pool_ring_ends);
		const uint32_t n = (uint32_t)(ends >> 32) - (uint32_t)ends;
		if (n > RING_MOST)
			break;
		count += n;
		ring = load(r, ring, L_pool_ring_prev);
	}
	return count;
}

/* One for each P. The first word of an interface is its type. */
static uint64_t count_local(struct state_reading *r, uint64_t array, uint64_t n)
{
	const struct layout *l = &r->rt->layout;
	const struct slot pad = l->slot[L_pool_local_pad],
			  private = l->slot[L_pool_private];
	const size_t size = (size_t)pad.off + pad.size;
	struct err ignored;
	uint64_t count = 0, type;

	if (!array || n == 0 || n > PROCESSORS_MOST || private.off < 0 ||
	    (size_t) private.off + WORD > size)
		return 0;
	AUTO(xfree) uint8_t *bytes = xmalloc(n * size);
	if (!target_read(r->source, array, bytes, n * size, &ignored))
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *local = bytes + i * size;
		memcpy(&type, local + private.off, sizeof(type));
		count += type != 0;
		count += count_chain(r, layout_get(l, L_pool_shared, local, size));
	}
	return count;
}

static bool is_known(const struct runtime_state *to, uint64_t addr)
{
	for (size_t i = 0; i < to->pool_count; i++)
		if (to->pools[i].addr == addr)
			return true;
	return false;
}

static bool add(struct state_reading *r, uint64_t addr)
{
	struct runtime_state *to = r->to;
	const uint64_t creator = load(r, addr, L_pool_new);
	struct err ignored;
	struct pool_state pool = { .addr = addr };

	if (is_known(to, addr))
		return true;
	if (to->pool_count == LIMIT_POOLS)
		return false;
	if (!creator ||
	    !target_read_uint(r->source, creator, WORD, &pool.creator, &ignored))
		pool.creator = 0;
	pool.objects = count_local(r, load(r, addr, L_pool_local),
				   load(r, addr, L_pool_local_size));
	pool.victims = count_local(r, load(r, addr, L_pool_victim),
				   load(r, addr, L_pool_victim_size));
	to->pools[to->pool_count++] = pool;
	return true;
}

/* Is it a slice of pointers to Pools that are in use? */
static bool read_list(struct state_reading *r, uint64_t addr)
{
	struct {
		uint64_t array, len, cap;
	} s;
	struct err ignored;
	uint64_t pool;

	if (addr % WORD || !target_read(r->source, addr, &s, sizeof(s), &ignored) ||
	    s.len == 0 || s.len > s.cap || s.array % WORD)
		return true;
	for (uint64_t i = 0; i < s.len; i++) {
		if (i >= LIST_MOST)
			return false;
		if (!target_read_uint(r->source, s.array + i * WORD, WORD, &pool,
				      &ignored) ||
		    (!load(r, pool, L_pool_local) && !load(r, pool, L_pool_victim)))
			return i == 0; /* it is another variable */
		if (!add(r, pool))
			return false;
	}
	return true;
}

static int by_objects(const void *a, const void *b)
{
	const struct pool_state *x = a, *y = b;
	const uint64_t n = x->objects + x->victims, m = y->objects + y->victims;

	if (n != m)
		return n < m ? 1 : -1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

void state_read_pools(struct state_reading *r)
{
	const struct state_places *p = &r->rt->places;

	if (!layout_has(&r->rt->layout, L_pool_local_pad))
		return;
	for (size_t i = 0; i < p->pool_list_count; i++)
		r->to->pools_partial |= !read_list(r, p->pool_lists[i]);
	r->to->pools_partial |= r->pool_reads > READS_MAX;
	if (r->to->pool_count)
		qsort(r->to->pools, r->to->pool_count, sizeof(*r->to->pools), by_objects);
}

void pool_places_find(struct runtime *rt)
{
	struct state_places *p = &rt->places;

	p->pool_list_count = modules_references(rt->modules, "sync.poolCleanup",
						p->pool_lists, ARRAY_SIZE(p->pool_lists));
}
