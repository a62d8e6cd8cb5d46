/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a locked lock that no goroutine's code leads to unlock: most likely a function
 * returned without unlocking it. A goroutine that begins later, or a timer, may also
 * unlock it, so it is reported only once a goroutine has waited long for it. If nothing
 * alive refers to the lock, the goroutines that wait have leaked. If the code of some
 * goroutine leads there, and yet none is known to have the lock, the wait is noted as
 * unexplained: verdict.h. */
#include "src/findings/program/program.h"

static bool is_locked(const struct wait_lock *lock)
{
	return lock->has_state ? lock->locked
			       : lock->has_readers && (lock->readers > 0 || lock->writer);
}

static bool has_claims(const struct finder *f, const struct wait_object *o)
{
	for (uint32_t i = 0; i < o->partner_count; i++) {
		const struct partner *p = &f->about.waits->partners[o->first_partner + i];
		if (!p->waits || p->deferred || p->passed)
			return true;
	}
	return false;
}

static void tell(struct finder *f, const struct wait_object *o, uint32_t one)
{
	struct finding *finding = finding_add(
		f, "lock_abandoned", f->is_idle ? SEVERITY_WARNING : SEVERITY_INFO,
		o->waiter_count,
		"Look for a way out of a function that does not unlock it: a return, or "
		"a "
		"panic that is recovered. Unlock by defer.");
	struct text *text = &finding->text;

	say_waiters(f, text, o, one);
	text_add(text, ". It is locked, and no goroutine's code leads to its unlocking.");
	show_waiters(f, finding, o);
}

/* Notes that a long wait has no explanation, so that nobody may say that all is well. */
static void note_unexplained(struct finder *f, const struct wait_object *o, uint32_t one)
{
	struct text *text = &f->findings->unexplained;

	if (text->len)
		return;
	text_add(text, "the holder of a lock: ");
	say_waiters(f, text, o, one);
}

void finding_lock_abandoned(struct finder *f)
{
	const struct wait_graph *w = f->about.waits;

	if (!f->about.has_memory || w->is_partial)
		return;
	for (size_t i = 0; i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		if (!is_lock_kind(o->kind) || !is_locked(&o->lock) || o->holder_count)
			continue;
		const uint32_t one = longest_waiter(f, o);
		if (one == NO_GOROUTINE)
			continue;
		note_unexplained(f, o, one);
		if (!has_claims(f, o))
			tell(f, o, one);
	}
}
