/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a wait group that no goroutine is seen to finish: most likely, a goroutine that
 * it counts has ended without Done. A timer, or a goroutine that begins later, may still
 * call Done, so this is information. A main function may wait for ever on purpose, for a
 * group with a count of 1 that belongs to no goroutine. */
#include <inttypes.h>

#include "src/findings/program/program.h"

static bool has_finisher(const struct finder *f, const struct wait_object *o)
{
	for (uint32_t i = 0; i < o->partner_count; i++)
		if (f->about.waits->partners[o->first_partner + i].operation ==
		    OPERATION_DONE)
			return true;
	return false;
}

static bool is_on_purpose(const struct finder *f, const struct wait_object *o)
{
	enum { MAIN = 1 };
	const struct waiter *w = &f->about.waits->waiters[o->first_waiter];

	return o->waiter_count == 1 && o->lock.counter == 1 &&
	       id_of(f, w->goroutine) == MAIN;
}

static void tell(struct finder *f, const struct wait_object *o, uint32_t one)
{
	struct finding *finding =
		finding_add(f, "group_abandoned", SEVERITY_INFO, o->waiter_count,
			    "Look for a way out of a goroutine without Done, or an Add "
			    "too many. Call "
			    "Done by defer.");
	struct text *text = &finding->text;

	say_waiters(f, text, o, one);
	text_add(text, ". It counts %" PRId32 ", and no goroutine's code leads to Done.",
		 o->lock.counter);
	show_waiters(f, finding, o);
}

void finding_group_abandoned(struct finder *f)
{
	const struct wait_graph *w = f->about.waits;

	if (!f->about.has_memory || w->is_partial)
		return;
	for (size_t i = 0; i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		if (o->kind != WAIT_WAITGROUP || !o->lock.has_counter ||
		    o->lock.counter <= 0 || has_finisher(f, o) || is_on_purpose(f, o))
			continue;
		uint32_t one = longest_waiter(f, o);
		if (one != NO_GOROUTINE)
			tell(f, o, one);
	}
}
