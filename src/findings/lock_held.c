/* SPDX-License-Identifier: Apache-2.0 */
/* A lock whose holder does not go on, and who waits for it.
 * That a holder waits is normal for an instant. It is told if the holder waits for what
 * never comes, if it has waited long, or, where the runtime does not say how long (it
 * notes that at collections only), if many wait for it while the whole program stands
 * still, and no goroutine's code leads to what it waits for. */
#include <string.h>

#include "src/findings/holder.h"

enum prospect {
	GOES_ON,     /* or may */
	LONG_SINCE,  /* it has waited long */
	LONG_BEHIND, /* who waits for the lock has */
	BY_NOBODY,   /* nobody is seen who lets it go on */
	NEVER,
};

/* Does any goroutine have ahead of it what this wait is for? */
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

/* Up to 1.22 a channel does not say that it is a timer's. Of one that does not run, somebody else has to set the timer. */
static bool is_timed(const struct wait *wait)
{
	const char *type = wait->channel.element_type;

	return !wait->channel.is_stopped &&
	       (wait->channel.when != 0 || (type && strcmp(type, "time.Time") == 0));
}

/* One of several goroutines may have the lock while it waits for the next customer. */
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

/* Does it wait for what comes by itself, sooner or later? */
static bool may_wait(const struct finder *f, uint32_t goroutine, const struct wait *wait)
{
	return wait->kind == WAIT_TIMER || is_timed(wait) ||
	       (wait->kind == WAIT_NETWORK && listens(f, goroutine));
}

/* How long the first has waited of those who wait for what it has. */
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

/* The holder's own time is better evidence, and so is a second look. */
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

/* Of a select it is not known who may wake it. */
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
	/* Else it may be told of a pool, too. */
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
