/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out how long goroutines have waited at least: src/analysis/ages.h, with the times
 * that goruntime has read. */
#include "src/findings/finding.h"

struct wait_times {
	size_t runtimes;
	struct ages *ages; /* by runtime */
	/* by goroutine: when it began to wait for a lock; 0: not known */
	uint64_t *lock_waits;
};

static bool age_is_past(const struct findings_about *about, uint64_t since)
{
	return since && since < about->now_ns;
}

/* Leaves out the goroutines of runtimes with coroutines: no age of theirs is known. */
static void add_waits(struct wait_times *t, const struct findings_about *about,
		      const bool *ignored)
{
	for (size_t i = 0; i < runtimes_goroutine_count(about->all); i++) {
		const struct goroutine_of it = runtimes_goroutine(about->all, i);
		const uint64_t since = it.goroutine->waiting_since;
		if (age_is_past(about, since) && !ignored[it.number])
			ages_add_waitsince(&t->ages[it.number], since);
	}
}

static void add_collections(const struct findings_about *about, const struct gc_state *gc,
			    struct ages *ages)
{
	const uint64_t ahead = about->now_realtime_ns - about->now_ns;

	for (size_t i = 0; i < gc->pause_count; i++) {
		const uint64_t end = gc->pauses[i].ended - ahead, ns = gc->pauses[i].ns;
		if (age_is_past(about, end) && ns < end)
			ages_add_collection(ages, end - ns, end);
	}
	const uint64_t last = gc->ended.value - ahead;
	if (gc->phase.known && gc->phase.value == 0 && gc->ended.known &&
	    gc->ended.value && age_is_past(about, last))
		ages_add_collection(ages, UINT64_MAX, last);
}

/* lockSlow() keeps the time at which the wait began, whether or not there was a
 * collection since. */
static void find_lock_waits(struct wait_times *t, const struct findings_about *about)
{
	const struct wait_graph *w = about->waits;

	for (size_t i = 0; w && i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		for (uint32_t k = 0; is_lock_kind(o->kind) && k < o->waiter_count; k++) {
			const uint32_t g = w->waiters[o->first_waiter + k].goroutine;
			const struct goroutine_of it = runtimes_goroutine(about->all, g);
			t->lock_waits[g] = runtimes_lock_wait_since(
				about->all, it.runtime, it.goroutine);
		}
	}
}

struct wait_times *wait_times_new(const struct findings_about *about)
{
	const size_t n = runtimes_count(about->all);
	struct wait_times *t = xcalloc(1, sizeof(*t));
	AUTO(xfree) bool *ignored = xcalloc(n + 1, sizeof(*ignored));

	t->runtimes = n;
	t->ages = xcalloc(n + 1, sizeof(*t->ages));
	t->lock_waits =
		xcalloc(runtimes_goroutine_count(about->all) + 1, sizeof(*t->lock_waits));
	for (size_t i = 0; i < n; i++) {
		const struct runtime *rt = runtimes_get(about->all, i);
		const struct runtime_state *state = runtime_state(rt);
		ignored[i] = runtime_has_coroutines(rt);
		if (state && !ignored[i])
			add_collections(about, &state->gc, &t->ages[i]);
	}
	find_lock_waits(t, about);
	add_waits(t, about, ignored);
	for (size_t i = 0; i < n; i++)
		ages_sort(&t->ages[i]);
	return t;
}

void wait_times_free(struct wait_times *t)
{
	for (size_t i = 0; i < t->runtimes; i++)
		ages_done(&t->ages[i]);
	xfree(t->ages);
	xfree(t->lock_waits);
	xfree(t);
}

static bool age_is_asked(const struct finder *f, uint32_t goroutine)
{
	const uint8_t status = finder_goroutine(f, goroutine).goroutine->status;

	return status == GOROUTINE_WAITING || status == GOROUTINE_LEAKED ||
	       status == GOROUTINE_SYSCALL;
}

/* Returns how long it has waited by the times that the runtime or the lock has noted; 0:
 * not known. */
static uint64_t age_noted(const struct finder *f, uint32_t goroutine)
{
	const struct goroutine_of it = finder_goroutine(f, goroutine);
	const struct wait_times *times = f->about.times;
	const uint64_t since = it.goroutine->waiting_since;
	uint64_t began = UINT64_MAX;

	if (!age_is_asked(f, goroutine))
		return 0;
	if (age_is_past(&f->about, times->lock_waits[goroutine]))
		began = times->lock_waits[goroutine];
	else if (age_is_past(&f->about, since))
		began = ages_began(&times->ages[it.number], since);
	return began < f->about.now_ns ? f->about.now_ns - began : 0;
}

static uint64_t age_seen(const struct finder *f, uint32_t goroutine)
{
	return f->about.stayed_ns ? f->about.stayed_ns[goroutine] : 0;
}

uint64_t finder_age(const struct finder *f, uint32_t goroutine)
{
	const uint64_t noted = age_noted(f, goroutine), seen = age_seen(f, goroutine);

	return noted > seen ? noted : seen;
}

uint64_t finder_observed(const struct finder *f, uint32_t goroutine)
{
	const uint64_t seen = age_seen(f, goroutine);

	return seen > age_noted(f, goroutine) ? seen : 0;
}

static void ask(const struct finder *f, uint32_t goroutine)
{
	if (f->about.wanted && age_is_asked(f, goroutine))
		f->about.wanted[goroutine] = 1;
}

uint64_t finder_stayed(const struct finder *f, uint32_t goroutine)
{
	const uint64_t seen = age_seen(f, goroutine);

	if (!seen)
		ask(f, goroutine);
	return seen;
}

bool finder_waits_long(const struct finder *f, uint32_t goroutine)
{
	const uint64_t noted = age_noted(f, goroutine);

	if (noted >= FINDER_LONG_NS || age_seen(f, goroutine))
		return true;
	ask(f, goroutine);
	return false;
}
