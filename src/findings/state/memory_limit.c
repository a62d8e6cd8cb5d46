/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a memory limit that objects fill. A heap near the limit is normal, as long as a
 * collection frees much. If a collection frees nothing, the next one begins at once, and
 * the program collects rather than works. */
#include "src/findings/state/collector.h"

static void tell(struct finder *f, const struct gc_state *gc)
{
	struct finding *finding =
		finding_add(f, "memory_limit",
			    gc->limited.value ? SEVERITY_CRITICAL : SEVERITY_WARNING, 0,
			    "Raise the limit (GOMEMLIMIT), or see what keeps the memory: "
			    "gosnap heap.");
	struct text *text = &finding->text;

	text_add(text, "The memory limit is too low for what is in use: ");
	text_add_size(text, gc->mapped.value);
	text_add(text, ", and the limit is ");
	text_add_size(text, gc->limit.value);
	if (collector_is_busy(gc))
		text_add(text, "; collections use more than half of the processors");
	if (gc->limited.value)
		text_add(text, ", and Go holds them back");
	say_collections(text, gc);
	say_remains(text, gc);
	text_add(text, ".");
}

void finding_memory_limit(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		if (s && collector_is_at_limit(f, &s->gc))
			tell(f, &s->gc);
	}
}
