/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a goroutine that does not let others run, long after Go has asked it to. Go
 * interrupts a goroutine that computes every 10 ms, so no healthy one is in this state
 * for seconds; the collector's own workers may be. */
#include <inttypes.h>

#include "src/findings/state/state.h"

/* Has the P run one goroutine for long, and was that asked to let others run? The caller
 * leaves out runtimes that stop the world, as stop_the_world reports these. */
static bool does_not_let_go(const struct finder *f, const struct processor_state *p)
{
	return p->status.value == PROCESSOR_RUNNING &&
	       (p->asked.value || p->preempt.value) &&
	       state_unchanged(f, p) >= STATE_LONG_NS;
}

static void tell(struct finder *f, const struct runtime_state *s,
		 const struct processor_state *p, uint32_t goroutine)
{
	const bool collects = s->gc.phase.known && s->gc.phase.value != 0;
	struct finding *finding = finding_add(
		f, "not_preempted",
		collects && s->gc.assists.length ? SEVERITY_CRITICAL : SEVERITY_WARNING,
		s->gc.assists.length,
		"Go cannot interrupt a loop without calls if GODEBUG=asyncpreemptoff=1 "
		"is "
		"set, a raw system call, a thread that waits for a page of memory or was "
		"stopped by somebody else.");
	struct text *text = &finding->text;

	text_add(text, "Goroutine %" PRIu64 " runs",
		 finder_goroutine(f, goroutine).goroutine->id);
	say_where(f, text, goroutine);
	say_age(text, state_unchanged(f, p));
	text_add(text, ", and Go cannot interrupt it: ");
	if (!collects)
		text_add(text, "the next garbage collection will stop the program, and "
			       "wait for it");
	else
		text_add(text, "a garbage collection waits for it");
	if (collects && s->gc.assists.length) {
		text_add(text, ", and so do ");
		text_add_counted(text, s->gc.assists.length, "goroutine");
		text_add(text, " that allocate");
	}
	text_add(text, ".");
	finding_shows_goroutine(f, finding, goroutine);
}

void finding_not_preempted(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n && !state_is_suspended(f); i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		for (size_t k = 0; s && !state_is_stopping(s) && k < s->processor_count;
		     k++) {
			if (!does_not_let_go(f, &s->processors[k]))
				continue;
			const uint32_t goroutine =
				state_goroutine_on(f, i, &s->processors[k]);
			if (goroutine != NO_GOROUTINE &&
			    !finder_goroutine(f, goroutine).goroutine->system)
				tell(f, s, &s->processors[k], goroutine);
		}
	}
}
