/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that could run and are not run. If many compute, each may wait long
 * for its turn although all is well: each turn takes 10 ms, and a P may take 60
 * goroutines from its own queue before it takes one from the global queue. A goroutine
 * starves if it has waited longer than that explains, or while no P has changed from one
 * goroutine to another. From Go 1.17 on, the runtime notes for one goroutine in eight
 * since when it could run. */
#include <inttypes.h>

#include "src/findings/state/state.h"

#define TURN_NS (UINT64_C(610) * 1000 * 1000)

struct queue {
	uint64_t count, longest;
	uint32_t first; /* has waited longest */
};

static struct queue queue_of(const struct finder *f, size_t runtime)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	struct queue ret = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(f->about.all, i);
		if (it.number != runtime || it.goroutine->system ||
		    it.goroutine->status != GOROUTINE_RUNNABLE)
			continue;
		const uint64_t age = state_age(
			f, (struct state_number){ it.goroutine->runnable_since, true });
		ret.count++;
		if (age <= ret.longest)
			continue;
		ret.longest = age;
		ret.first = (uint32_t)i;
	}
	return ret;
}

/* Has each P run the same goroutine for STATE_LONG_NS or more? */
static bool nobody_changes(const struct finder *f, const struct runtime_state *s)
{
	for (size_t i = 0; i < s->processor_count; i++)
		if (s->processors[i].status.value != PROCESSOR_RUNNING ||
		    state_unchanged(f, &s->processors[i]) < STATE_LONG_NS)
			return false;
	return s->processor_count != 0;
}

static void tell(struct finder *f, const struct runtime_state *s,
		 const struct queue *queue)
{
	const struct state_number idle = s->scheduler.idle_processors;
	struct finding *finding = finding_add(
		f, "starved", SEVERITY_WARNING, queue->count,
		"See which goroutines keep the Ps, and whether the machine or the "
		"control "
		"group (cpu.stat: nr_throttled) gives the process enough time.");
	struct text *text = &finding->text;

	text_add_counted(text, queue->count, "goroutine");
	text_add(text, " could run and %s not; goroutine %" PRIu64 " could",
		 queue->count == 1 ? "does" : "do",
		 finder_goroutine(f, queue->first).goroutine->id);
	say_where(f, text, queue->first);
	say_created(f, text, queue->first);
	say_age(text, queue->longest);
	if (idle.value)
		text_add(text, ", although %" PRIu64 " of %" PRIu64 " Ps %s idle",
			 idle.value, s->scheduler.gomaxprocs.value,
			 idle.value == 1 ? "is" : "are");
	text_add(text, ".");
	finding_shows_goroutine(f, finding, queue->first);
}

void finding_starved(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n && !state_is_suspended(f); i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		if (!s || state_is_stopping(s))
			continue;
		const struct queue queue = queue_of(f, i);
		if (queue.longest >= STATE_LONG_NS &&
		    (queue.longest / TURN_NS >= queue.count || nobody_changes(f, s)))
			tell(f, s, &queue);
	}
}
