/* SPDX-License-Identifier: Apache-2.0 */
/* How large the heap is to be when the next cycle ends: a number that older releases
 * keep, and newer ones compute (runtime/mgcpacer.go, heapGoalInternal, memoryLimitHeapGoal,
 * since 1.19). */
#include "goruntime/sched/state_priv.h"

#define RUNWAY (UINT64_C(64) << 10)

/* What the limit leaves for the heap, when everything else has its share. */
static uint64_t room(uint64_t limit, uint64_t mapped, uint64_t of_heap)
{
	const uint64_t others = mapped > of_heap ? mapped - of_heap : 0;
	const uint64_t over = mapped > limit ? mapped - limit : 0;

	return others + over < limit ? limit - others - over : 0;
}

static uint64_t headroom_of(const struct layout *l, uint64_t goal)
{
	const int32_t percent = l->slot[L_headroom_percent].off;
	const uint64_t least = (uint64_t)l->slot[L_headroom].off;
	const uint64_t of_goal = percent > 0 ? goal / 100 * (uint64_t)percent : 0;

	return of_goal > least ? of_goal : least;
}

static struct state_number goal_of_limit(struct state_reading *r, uint64_t at)
{
	const struct layout *l = &r->rt->layout;
	const struct state_number limit = state_load(r, at, L_pacer_limit),
				  mapped = state_load(r, at, L_pacer_mapped),
				  unused = state_load(r, at, L_pacer_free),
				  all = state_load(r, at, L_pacer_total_alloc),
				  freed = state_load(r, at, L_pacer_total_free),
				  marked = state_load(r, at, L_pacer_marked);
	struct state_number goal = {
		.known = limit.known && mapped.known && unused.known && all.known &&
			 freed.known && marked.known && layout_has(l, L_headroom),
	};

	goal.value =
		room(limit.value, mapped.value, unused.value + all.value - freed.value);
	if (goal.known && goal.value) {
		const uint64_t headroom = headroom_of(l, goal.value);
		goal.value = goal.value < 2 * headroom ? headroom : goal.value - headroom;
	}
	if (goal.value < marked.value)
		goal.value = marked.value;
	return goal;
}

static uint64_t goal_of_percent(struct state_reading *r, uint64_t at, uint64_t goal)
{
	const struct state_number sweep = state_load(r, at, L_pacer_sweep_trigger),
				  triggered = state_load(r, at, L_pacer_triggered);

	if (sweep.known && sweep.value > goal)
		goal = sweep.value;
	if (triggered.known && triggered.value != UINT64_MAX &&
	    goal < triggered.value + RUNWAY)
		goal = triggered.value + RUNWAY;
	return goal;
}

struct state_number gc_goal(struct state_reading *r)
{
	const struct state_places *p = &r->rt->places;
	const struct layout *l = &r->rt->layout;
	struct state_number goal;

	if (layout_has(l, L_stats_next_gc))
		return state_load(r, p->memstats, L_stats_next_gc);
	if (layout_has(l, L_pacer_goal))
		return state_load(r, p->pacer, L_pacer_goal);
	goal = state_load(r, p->pacer, L_pacer_percent_goal);
	const struct state_number limited = goal_of_limit(r, p->pacer);
	goal.known &= limited.known;
	goal.value = limited.value < goal.value
			     ? limited.value
			     : goal_of_percent(r, p->pacer, goal.value);
	return goal;
}
