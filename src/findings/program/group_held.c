/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a wait group that is never done: a goroutine that is to finish it never goes on.
 * It waits at a nil channel, in an empty select, or for an object that nothing alive can
 * reach. Goroutines that wait for the group, or for a lock that one of these has, wait
 * for ever. */
#include <inttypes.h>

#include "src/findings/program/program.h"

static bool never_goes_on(const struct finder *f, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct wait wait;

	if (!runtime_wait(it.runtime, it.goroutine, &wait) || wait.unreadable)
		return false;
	return (wait.kind == WAIT_CHANNEL && wait.addr == 0) ||
	       (wait.kind == WAIT_SELECT && wait.case_count == 0) ||
	       (f->about.leaks && f->about.leaks->leaked[goroutine]);
}

/* Returns a goroutine that is to finish the group and never goes on. NULL: all may go
 * on. */
static const struct partner *stuck_partner(const struct finder *f,
					   const struct wait_object *o)
{
	for (uint32_t i = 0; i < o->partner_count; i++) {
		const struct partner *p = &f->about.waits->partners[o->first_partner + i];
		if (p->operation == OPERATION_DONE && p->ahead &&
		    !f->told[p->goroutine] && never_goes_on(f, p->goroutine))
			return p;
	}
	return NULL;
}

/* Has another finding covered a goroutine that waits for the group, such as a ring that
 * leads through the group? */
static bool is_told(const struct finder *f, const struct wait_object *o)
{
	for (uint32_t i = 0; i < o->waiter_count; i++)
		if (f->told[f->about.waits->waiters[o->first_waiter + i].goroutine])
			return true;
	return false;
}

static uint64_t count_behind(const struct finder *f, const struct wait_object *o)
{
	uint64_t ret = o->waiter_count;

	for (uint32_t i = 0; i < o->waiter_count; i++)
		ret += f->chains.behind[f->about.waits->waiters[o->first_waiter + i]
						.goroutine];
	return ret;
}

static void tell(struct finder *f, const struct wait_object *o, const struct partner *p)
{
	const uint32_t one = f->about.waits->waiters[o->first_waiter].goroutine;
	const uint64_t behind = count_behind(f, o);
	struct finding *finding = finding_add(
		f, "group_held", SEVERITY_WARNING, behind,
		"Find out who should let it go on: a send, a close, or a context that "
		"ends.");
	struct text *text = &finding->text;

	text_add_counted(text, behind, "goroutine");
	text_add(text, behind == 1 ? " waits for " : " wait for ");
	say_object(text, o);
	say_where(f, text, one);
	text_add(text, ", which is never done: goroutine %" PRIu64 " is to finish it",
		 id_of(f, p->goroutine));
	if (p->ahead_pc)
		say_place(f, text, p->goroutine, p->ahead_pc);
	text_add(text, ", and ");
	say_state(f, text, p->goroutine);
	text_add(text, "; that never ends.");
	finding_shows_goroutine(f, finding, p->goroutine);
	finding_shows_goroutine(f, finding, one);
	for (uint32_t i = 0; i < o->waiter_count; i++)
		f->told[f->about.waits->waiters[o->first_waiter + i].goroutine] = 1;
	finding_shows_address(finding, o->addr);
}

void finding_group_held(struct finder *f)
{
	for (size_t i = 0; i < f->about.waits->object_count; i++) {
		const struct wait_object *o = &f->about.waits->objects[i];
		const struct partner *p = o->kind == WAIT_WAITGROUP && !is_told(f, o)
						  ? stuck_partner(f, o)
						  : NULL;
		if (p)
			tell(f, o, p);
	}
}
