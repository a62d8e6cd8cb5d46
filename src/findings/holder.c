/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/holder.h"

#include <inttypes.h>

const struct wait_object *holder_lock(const struct finder *f, uint32_t holder,
				      const struct partner **ret_as)
{
	const struct wait_graph *w = f->about.waits;
	const struct wait_object *best = NULL;

	for (size_t i = 0; i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		if (!is_lock_kind(o->kind) || !o->holder_count ||
		    w->partners[o->first_partner].goroutine != holder ||
		    (best && best->waiter_count >= o->waiter_count))
			continue;
		best = o;
		*ret_as = &w->partners[o->first_partner];
	}
	return best;
}

void say_holder(const struct finder *f, struct text *text, uint32_t holder,
		const struct wait_object *o, const struct partner *as)
{
	const uint64_t behind = f->chains.behind[holder];

	text_add_counted(text, behind, "goroutine");
	text_add(text, " %s for goroutine %" PRIu64 ", which %s ",
		 behind == 1 ? "waits" : "wait",
		 finder_goroutine(f, holder).goroutine->id,
		 as->certainty == CERTAINTY_CERTAIN ? "has" : "probably has");
	say_object(text, o);
	if (as->passed && as->passed_is_one) {
		text_add(text, as->operation == OPERATION_READ_UNLOCK ? ", read-locked"
								      : ", locked");
		say_place(f, text, holder, as->passed_pc);
	}
}

struct finding *holder_finding(struct finder *f, const char *kind, uint32_t holder,
			       const char *advice)
{
	const uint64_t behind = f->chains.behind[holder];
	const struct partner *as = NULL;
	const struct wait_object *o = holder_lock(f, holder, &as);

	if (!o)
		return NULL;
	struct finding *finding = finding_add(
		f, kind,
		as->certainty == CERTAINTY_CERTAIN && behind >= MANY ? SEVERITY_CRITICAL
								     : SEVERITY_WARNING,
		behind, advice);
	say_holder(f, &finding->text, holder, o, as);
	text_add(&finding->text, ". It ");
	finding_shows_goroutine(f, finding, holder);
	finding_shows_address(finding, o->addr);
	return finding;
}
