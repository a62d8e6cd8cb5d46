/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a locked lock that no goroutine's code leads to unlock: most likely a function
 * returned without unlocking it. A goroutine that begins later, or a timer, may also
 * unlock it, so it is reported only once a goroutine has waited long for it. If nothing
 * alive refers to the lock, the goroutines that wait have leaked. */
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

void finding_lock_abandoned(struct finder *f)
{
	const struct wait_graph *w = f->about.waits;

	if (!f->about.has_memory || w->is_partial)
		return;
	for (size_t i = 0; i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		if (!is_lock_kind(o->kind) || !is_locked(&o->lock) || has_claims(f, o))
			continue;
		uint32_t one = longest_waiter(f, o);
		if (one != NO_GOROUTINE)
			tell(f, o, one);
	}
}
