/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that wait long for a lock whose holder runs or could run: it computes,
 * or spins. */
#include "src/findings/holder.h"
#include "src/findings/state/state.h"

/* Returns how long its P has run no other goroutine; 0: it is not running, or that is not
 * known. */
static uint64_t runs_since(const struct finder *f, uint32_t holder)
{
	const struct processor_state *p = state_processor_of(f, holder);

	return p && p->status.value == PROCESSOR_RUNNING ? state_unchanged(f, p) : 0;
}

static void tell(struct finder *f, uint32_t holder, uint64_t runs, uint64_t waits)
{
	struct finding *finding = holder_finding(
		f, "holder_runs", holder,
		"Take a second snapshot to see whether it makes progress. Do slow work "
		"outside of the lock.");

	if (!finding)
		return;
	struct text *text = &finding->text;
	say_state(f, text, holder);
	say_age_or_wait(text, runs, waits);
	text_add(text, ".");
}

void finding_holder_runs(struct finder *f)
{
	AUTO(xfree) uint64_t *longest = state_longest_waits(f);

	for (size_t i = 0; i < f->chains.count && !state_is_suspended(f); i++) {
		const uint32_t holder = (uint32_t)i;
		const uint8_t status = finder_goroutine(f, holder).goroutine->status;
		if (!f->chains.behind[i] || f->chains.in_cycle[i] ||
		    (status != GOROUTINE_RUNNING && status != GOROUTINE_RUNNABLE))
			continue;
		const uint64_t runs = runs_since(f, holder);
		if (runs >= STATE_LONG_NS || longest[i] >= STATE_LONG_NS)
			tell(f, holder, runs, longest[i]);
	}
}
