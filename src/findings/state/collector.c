/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/state/collector.h"

enum {
	CYCLES = 10, /* at least */
	MAPPED = 95, /* percent of the limit */
	MARKED = 95, /* percent of the heap goal */
	MILLION = 1000000,
	PAUSED_PART = 4,  /* of the time of the last collections */
	BUDGET_USED = 90, /* percent of the processor time that it may use beyond half */
};

static bool is_part(struct state_number n, struct state_number of, unsigned percent)
{
	return n.known && of.known && of.value && n.value / percent >= of.value / 100;
}

/* The runtime notes these times by CLOCK_REALTIME. */
bool collector_goes_on(const struct finder *f, const struct gc_state *gc)
{
	const size_t n = gc_recent_pauses(gc);
	const uint64_t now = f->about.now_realtime_ns;

	if (n < CYCLES || gc->pauses[0].ended < gc->pauses[n - 1].ended ||
	    gc->pauses[0].ended > now)
		return false;
	return now - gc->pauses[0].ended < STATE_LONG_NS &&
	       gc->pauses[0].ended - gc->pauses[n - 1].ended < n * SECOND_NS;
}

bool collector_is_at_limit(const struct finder *f, const struct gc_state *gc)
{
	return gc->limit.value < INT64_MAX && is_part(gc->mapped, gc->limit, MAPPED) &&
	       gc->goal.value < INT64_MAX && is_part(gc->marked, gc->goal, MARKED) &&
	       collector_goes_on(f, gc);
}

bool collector_is_busy(const struct gc_state *gc)
{
	return gc->limited.value || is_part(gc->budget_used, gc->budget, BUDGET_USED);
}

static bool mostly_stops(const struct gc_state *gc)
{
	const size_t n = gc_recent_pauses(gc);
	uint64_t paused = 0;

	for (size_t i = 0; i < n; i++)
		paused += gc->pauses[i].ns;
	return paused >= (gc->pauses[0].ended - gc->pauses[n - 1].ended) / PAUSED_PART;
}

/* Has the collector used half of the processor time in which the world was not stopped? A
 * program that has just begun collects often, until its heap has grown, so the first
 * second does not count. */
static bool marks_too_much(const struct runtime_state *s)
{
	const uint64_t n = s->scheduler.gomaxprocs.value;
	const uint64_t all = n ? s->scheduler.processor_time.value / n : 0;
	const uint64_t paused = s->gc.paused.value;

	if (all < SECOND_NS || !s->gc.paused.known || paused >= all)
		return false;
	const uint64_t stops = paused / (all / MILLION),
		       used = s->gc.processor_share.value;
	return stops < used && used - stops >= (MILLION - stops) / 2;
}

bool collector_is_overloaded(const struct finder *f, const struct runtime_state *s)
{
	const struct gc_state *gc = &s->gc;

	return collector_goes_on(f, gc) && !collector_is_at_limit(f, gc) &&
	       !mostly_stops(gc) && (collector_is_busy(gc) || marks_too_much(s));
}

void say_collections(struct text *text, const struct gc_state *gc)
{
	const size_t n = gc_recent_pauses(gc);

	if (n < 2 || gc->pauses[0].ended <= gc->pauses[n - 1].ended)
		return;
	text_add(text, "; the last %zu collections ended within ", n);
	text_add_duration(text, (int64_t)(gc->pauses[0].ended - gc->pauses[n - 1].ended));
}

void say_remains(struct text *text, const struct gc_state *gc)
{
	if (!gc->marked.known)
		return;
	text_add(text, ". ");
	text_add_size(text, gc->marked.value);
	text_add(text, " of objects remain after each");
}
