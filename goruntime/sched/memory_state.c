/* SPDX-License-Identifier: Apache-2.0 */
/* Where memory is, as runtime.ReadMemStats() would say without flushing what each P has
 * cached (runtime/mstats.go). */
#include "goruntime/sched/state_priv.h"

#include <string.h>

enum { SHARDS = 3 /* consistentHeapStats.stats */ };

static struct state_number sum(const struct state_number *n, size_t count)
{
	struct state_number all = { .known = true };

	for (size_t i = 0; i < count; i++) {
		all.known &= n[i].known;
		all.value += n[i].value;
	}
	return all;
}

/* A member of all shards together; 0 where the release has no such member. */
static struct state_number of_shards(struct state_reading *r, enum layout_slot member)
{
	const struct layout *l = &r->rt->layout;
	const struct slot all = l->slot[L_stats_heap_stats];
	struct state_number n[SHARDS];

	if (!layout_has(l, member) || all.off < 0)
		return (struct state_number){ .known = true };
	for (unsigned i = 0; i < SHARDS; i++)
		n[i] = state_load(r,
				  r->rt->places.memstats + (uint64_t)all.off +
					  i * (all.size / SHARDS),
				  member);
	return sum(n, SHARDS);
}

static struct state_number stacks(struct state_reading *r)
{
	return layout_has(&r->rt->layout, L_stats_heap_stats)
		       ? of_shards(r, L_shard_stacks)
		       : state_load(r, r->rt->places.memstats, L_stats_stacks_inuse);
}

static struct state_number difference(struct state_number all, struct state_number part)
{
	return (struct state_number){
		all.value - part.value, all.known && part.known && part.value <= all.value
	};
}

static void read_heap(struct state_reading *r, struct memory_state *m)
{
	const uint64_t stats = r->rt->places.memstats, pacer = r->rt->places.pacer;

	if (layout_has(&r->rt->layout, L_stats_heap_sys)) {
		m->heap_in_use = state_load(r, stats, L_stats_heap_inuse);
		m->heap_released = state_load(r, stats, L_stats_heap_released);
		m->heap_sys = state_load(r, stats, L_stats_heap_sys);
		m->heap_idle = difference(m->heap_sys, m->heap_in_use);
		return;
	}
	m->heap_in_use = state_load(r, pacer, L_pacer_in_use);
	m->heap_released = state_load(r, pacer, L_pacer_released);
	const struct state_number idle[] = { m->heap_released,
					     state_load(r, pacer, L_pacer_free) };
	m->heap_idle = sum(idle, ARRAY_SIZE(idle));
	m->heap_sys = sum((struct state_number[]){ m->heap_idle, m->heap_in_use }, 2);
}

static void read_others(struct state_reading *r, struct memory_state *m)
{
	const uint64_t stats = r->rt->places.memstats, mheap = r->rt->places.mheap;
	const struct state_number gc[] = { state_load(r, stats, L_stats_gc_sys),
					   of_shards(r, L_shard_work),
					   of_shards(r, L_shard_scalar_bits) };

	m->stacks_in_use = stacks(r);
	m->stacks_sys =
		sum((struct state_number[]){ m->stacks_in_use,
					     state_load(r, stats, L_stats_stacks_sys) },
		    2);
	m->spans_in_use = state_load(r, mheap, L_mheap_span_in_use);
	m->spans_sys = state_load(r, stats, L_stats_mspan_sys);
	m->caches_in_use = state_load(r, mheap, L_mheap_mcache_in_use);
	m->caches_sys = state_load(r, stats, L_stats_mcache_sys);
	m->profile_sys = state_load(r, stats, L_stats_buckhash_sys);
	m->gc_sys = sum(gc, ARRAY_SIZE(gc));
	m->other_sys = state_load(r, stats, L_stats_other_sys);
}

void state_read_memory(struct state_reading *r)
{
	struct memory_state *m = &r->to->memory;

	if (!r->rt->places.memstats) {
		m->unreadable = "the runtime's variable memstats was not found";
		return;
	}
	read_heap(r, m);
	read_others(r, m);
	const struct state_number all[] = {
		m->heap_sys,	m->stacks_sys, m->spans_sys, m->caches_sys,
		m->profile_sys, m->gc_sys,     m->other_sys,
	};
	m->sys = sum(all, ARRAY_SIZE(all));
}
