/* SPDX-License-Identifier: Apache-2.0 */
/* The collector takes more time than the program. Collections that follow each other at once
 * are no sign of that: a small heap is collected often, at little cost. From 1.19 on the
 * runtime itself counts by how much the collector has used more than half of the processors,
 * and limits it once that is a second for each of them. Its part of all time since the program
 * began is known of every release: 25 % while it marks, unless the program allocates faster.
 * Both count the time of a stop of the world for all processors, also what passes until the
 * kernel lets the last thread run that is to stop: on a busy machine that is most of it, and
 * not the collector's. */
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
