/* SPDX-License-Identifier: Apache-2.0 */
/* The garbage collector: what it does, and what it has done (runtime/mgc.go, mgcpacer.go,
 * mstats.go). */
#include "goruntime/sched/state_priv.h"

#include <string.h>

const char *gc_phase_name(uint64_t phase)
{
	static const char *const names[] = { "off", "mark", "mark termination" };

	return phase < ARRAY_SIZE(names) ? names[phase] : NULL;
}

static struct state_number word32(struct state_reading *r, uint64_t addr)
{
	struct state_number n = { 0 };
	struct err ignored;

	n.known = addr && target_read_uint(r->source, addr, 4, &n.value, &ignored);
	return n;
}

static bool read_ring(struct state_reading *r, uint64_t at, enum layout_slot slot,
		      uint64_t ret[static GC_PAUSES])
{
	const struct slot s = r->rt->layout.slot[slot];
	struct err ignored;

	return s.off >= 0 && s.size == GC_PAUSES * WORD &&
	       target_read(r->source, at + (uint64_t)s.off, ret, s.size, &ignored);
}

static void read_pauses(struct state_reading *r, uint64_t at, struct gc_state *gc)
{
	uint64_t ns[GC_PAUSES], ended[GC_PAUSES];
	const size_t most =
		gc->cycles.value < GC_PAUSES ? (size_t)gc->cycles.value : GC_PAUSES;

	if (!gc->cycles.known || !read_ring(r, at, L_stats_pause_ns, ns) ||
	    !read_ring(r, at, L_stats_pause_end, ended))
		return;
	for (size_t i = 0; i < most; i++) {
		const size_t k = (size_t)(gc->cycles.value - 1 - i) % GC_PAUSES;
		gc->pauses[gc->pause_count++] = (struct gc_pause){ ns[k], ended[k] };
	}
}

static void read_stats(struct state_reading *r, struct gc_state *gc)
{
	const uint64_t at = r->rt->places.memstats;

	gc->cycles = state_load(r, at, L_stats_numgc);
	gc->forced_cycles = state_load(r, at, L_stats_numforcedgc);
	gc->ended = state_load(r, at, L_stats_last_gc);
	gc->paused = state_load(r, at, L_stats_pause_total);
	read_pauses(r, at, gc);
}

/* Absent in one, it is in the other. */
static struct state_number either(struct state_reading *r, enum layout_slot of_pacer,
				  enum layout_slot of_stats)
{
	return layout_has(&r->rt->layout, of_pacer)
		       ? state_load(r, r->rt->places.pacer, of_pacer)
		       : state_load(r, r->rt->places.memstats, of_stats);
}

static void read_pacer(struct state_reading *r, struct gc_state *gc)
{
	const struct state_places *p = &r->rt->places;

	gc->percent = p->pacer ? state_load(r, p->pacer, L_pacer_percent)
			       : word32(r, p->percent);
	gc->limit = state_load(r, p->pacer, L_pacer_limit);
	gc->triggered = state_load(r, p->pacer, L_pacer_triggered);
	gc->live = either(r, L_pacer_live, L_stats_heap_live);
	gc->marked = either(r, L_pacer_marked, L_stats_heap_marked);
	gc->goal = gc_goal(r);
}

/* A float64 between 0 and 1. */
static struct state_number share(struct state_number n)
{
	double fraction;

	memcpy(&fraction, &n.value, sizeof(fraction));
	n.known &= fraction >= 0 && fraction <= 1;
	n.value = n.known ? (uint64_t)(fraction * 1e6) : 0;
	return n;
}

static void read_cost(struct state_reading *r, struct gc_state *gc)
{
	const struct state_places *p = &r->rt->places;

	gc->processor_share = share(state_load(r, p->memstats, L_stats_cpu_fraction));
	gc->mapped = state_load(r, p->pacer, L_pacer_mapped);
	gc->limited = state_load(r, p->limiter, L_limiter_enabled);
	gc->budget_used = state_load(r, p->limiter, L_limiter_fill);
	gc->budget = state_load(r, p->limiter, L_limiter_capacity);
}

static void read_work(struct state_reading *r, struct gc_state *gc)
{
	const uint64_t at = r->rt->places.work;
	const struct state_number head = state_load(r, at, L_work_assists);

	gc->forced = state_load(r, at, L_work_forced);
	gc->has_assists = head.known;
	if (!head.known)
		return;
	state_read_list(r, head.value, &gc->assists);
	gc->assists.length = gc->assists.count;
}

void state_read_gc(struct state_reading *r)
{
	struct gc_state *gc = &r->to->gc;

	if (!r->rt->places.memstats) {
		gc->unreadable = "the runtime's variable memstats was not found";
		return;
	}
	gc->phase = word32(r, r->rt->places.phase);
	read_stats(r, gc);
	read_pacer(r, gc);
	read_work(r, gc);
	read_cost(r, gc);
}
