/* SPDX-License-Identifier: Apache-2.0 */
/* Finds locks whose holder does not go on. A holder may wait for an instant, so it is
 * reported only in one of these cases:
 * - The holder waits for an event that never comes.
 * - It has waited long, or another goroutine has waited long for the lock and the
 *   holder's own time is not known.
 * - Many goroutines wait for the lock while no goroutine of the program runs, and no
 *   goroutine's code leads to the channel that the holder waits at. */
#include <string.h>

#include "src/findings/holder.h"

enum prospect {
	GOES_ON,     /* or may go on */
	LONG_SINCE,  /* it has waited long */
	LONG_BEHIND, /* a goroutine that waits for the lock has */
	BY_NOBODY,   /* no goroutine is seen that lets it go on */
	NEVER,
};

/* Does the code of any goroutine lead to an operation that ends this wait? */
static bool has_partner(const struct finder *f, const struct wait *wait)
{
	const enum operation wanted =
		wait->operation == WAIT_SEND ? OPERATION_RECEIVE : OPERATION_SEND;
	const struct wait_object *o =
		wait_graph_object(f->about.waits, wait->channel.addr);

	for (uint32_t i = 0; o && i < o->partner_count; i++) {
		enum operation is =
			f->about.waits->partners[o->first_partner + i].operation;
		if (is == wanted || is == OPERATION_CLOSE)
			return true;
	}
	return false;
}

/* Will a timer end the wait? Up to Go 1.22 a channel does not show that it belongs to a
 * timer, so the type of its elements decides. A timer that does not run ends the wait
 * only if another goroutine sets it. */
static bool is_timed(const struct wait *wait)
{
	const char *type = wait->channel.element_type;

	return !wait->channel.is_stopped &&
	       (wait->channel.when != 0 || (type && strcmp(type, "time.Time") == 0));
}

/* Goroutines of a server may share a lock: one of them has it while it waits for the next
 * client. */
static void note_listener(void *arg, const struct code_frame *frame)
{
	static const char *const functions[] = { ".Accept", ".accept", ".ReadFrom",
						 ".readFrom", ".ReadMsg" };
	bool *listens = arg;

	for (size_t i = 0; frame->function && i < ARRAY_SIZE(functions); i++)
		*listens |= strstr(frame->function, functions[i]) != NULL;
}

static bool listens(const struct finder *f, uint32_t goroutine)
{
	bool ret = false;

	runtimes_each_frame(f->about.all, finder_goroutine(f, goroutine).goroutine->stack,
			    note_listener, &ret);
	return ret;
}

/* Does it wait for an event that comes by itself, sooner or later? */
static bool may_wait(const struct finder *f, uint32_t goroutine, const struct wait *wait)
{
	return wait->kind == WAIT_TIMER || is_timed(wait) ||
	       (wait->kind == WAIT_NETWORK && listens(f, goroutine));
}

/* Returns the longest wait of the goroutines that wait for the holder's lock; 0: not
 * known. */
static uint64_t longest_behind(const struct finder *f, uint32_t holder)
{
	const struct partner *as = NULL;
	const struct wait_object *o = holder_lock(f, holder, &as);
	uint64_t ret = 0;

	for (uint32_t i = 0; o && i < o->waiter_count; i++) {
		const uint64_t age = finder_age(
			f, f->about.waits->waiters[o->first_waiter + i].goroutine);
		ret = age > ret ? age : ret;
	}
	return ret;
}

/* Decides only if the holder's own time is not known and there was no second look: both
 * are better evidence. */
static bool is_long_behind(const struct finder *f, uint32_t holder)
{
	return !f->about.stayed_ns && finder_age(f, holder) == 0 &&
	       longest_behind(f, holder) >= FINDER_LONG_NS;
}

static enum prospect prospect_of(const struct finder *f, uint32_t goroutine,
				 uint64_t behind)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct wait wait;

	if (!runtime_wait(it.runtime, it.goroutine, &wait))
		return GOES_ON;
	if ((wait.kind == WAIT_CHANNEL && wait.channel.addr == 0 && !wait.unreadable) ||
	    (wait.kind == WAIT_SELECT && wait.case_count == 0 && !wait.unreadable))
		return NEVER;
	if (f->about.leaks && f->about.leaks->leaked[goroutine])
		return NEVER;
	if (may_wait(f, goroutine, &wait))
		return GOES_ON;
	if (finder_waits_long(f, goroutine))
		return LONG_SINCE;
	if (is_long_behind(f, goroutine))
		return LONG_BEHIND;
	if (wait.kind == WAIT_CHANNEL && f->is_idle && f->about.has_memory &&
	    !f->about.waits->is_partial && behind >= MANY && !has_partner(f, &wait))
		return BY_NOBODY;
	return GOES_ON;
}

/* A holder that waits in a select gets no more than a warning for a long wait: nothing
 * tells which goroutine may end a select. */
static enum severity severity_of(const struct finder *f, enum prospect prospect,
				 uint32_t root, uint64_t behind,
				 const struct partner *holder)
{
	struct goroutine_of it = finder_goroutine(f, root);
	struct wait wait;

	if (holder->certainty != CERTAINTY_CERTAIN)
		return SEVERITY_WARNING;
	if (prospect == NEVER)
		return SEVERITY_CRITICAL;
	return prospect == LONG_SINCE && behind >= MANY &&
			       finder_age(f, root) >= FINDER_LONG_NS &&
			       runtime_wait(it.runtime, it.goroutine, &wait) &&
			       wait.kind != WAIT_SELECT
		       ? SEVERITY_CRITICAL
		       : SEVERITY_WARNING;
}

static void tell(struct finder *f, uint32_t root, uint64_t behind, enum prospect prospect)
{
	const struct partner *holder = NULL;
	const struct wait_object *o = holder_lock(f, root, &holder);

	if (!o)
		return;
	struct finding *finding = finding_add(
		f, "lock_held", severity_of(f, prospect, root, behind, holder), behind,
		"Find out what should wake it. Do not wait while holding a lock.");
	struct text *text = &finding->text;
	say_holder(f, text, root, o, holder);
	text_add(text, ". It ");
	say_state(f, text, root);
	if (prospect == BY_NOBODY)
		text_add(text, "; no other goroutine's code leads there");
	if (prospect == NEVER)
		text_add(text, "; that never ends");
	if (prospect == LONG_BEHIND) {
		text_add(text, "; one of them has waited for at least ");
		text_add_duration(text, (int64_t)longest_behind(f, root));
	}
	text_add(text, ".");
	finding_shows_goroutine(f, finding, root);
	finding_shows_address(finding, o->addr);
	/* In the other cases, a finding about a pool may also be about this goroutine. */
	if (prospect == NEVER)
		f->told[root] = 1;
}

void finding_lock_held(struct finder *f)
{
	const struct chains *c = &f->chains;

	for (size_t i = 0; i < c->count; i++) {
		enum prospect prospect =
			c->behind[i] && !c->in_cycle[i] && !f->told[i]
				? prospect_of(f, (uint32_t)i, c->behind[i])
				: GOES_ON;
		if (prospect != GOES_ON)
			tell(f, (uint32_t)i, c->behind[i], prospect);
	}
}
