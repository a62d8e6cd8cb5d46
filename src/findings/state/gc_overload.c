/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a collector that takes more time than the program. Collections that follow each
 * other at once do not show that: a small heap is collected often, at little cost. Two
 * numbers do:
 * - From Go 1.19 on, the runtime counts by how much the collector has used more than half
 *   of the processors, and limits the collector once that is a second for each of them.
 * - Every release has the collector's part of all time since the program began: 25 %
 *   while it marks, unless the program allocates faster.
 * Both count a stop of the world for all processors, including the time until the kernel
 * runs the last thread that has to stop. On a busy machine that is most of a stop, and it
 * is not the collector's. */
#include <inttypes.h>

#include "src/findings/state/collector.h"

static void tell(struct finder *f, const struct gc_state *gc)
{
	struct finding *finding = finding_add(f, "gc_overload", SEVERITY_WARNING, 0,
					      "See what allocates so much (gosnap "
					      "profile-export --kind=heap), or raise "
					      "GOGC.");
	struct text *text = &finding->text;

	text_add(text, "Garbage collections use more than half of the processors");
	if (gc->limited.value)
		text_add(text, ", so that Go holds them back");
	if (gc->processor_share.known)
		text_add(text, ", and have used %" PRIu64 " %% since the program began",
			 gc->processor_share.value / 10000);
	say_collections(text, gc);
	say_remains(text, gc);
	text_add(text, ".");
}

void finding_gc_overload(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		if (s && collector_is_overloaded(f, s))
			tell(f, &s->gc);
	}
}
