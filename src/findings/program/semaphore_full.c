/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that wait for a place in a channel that limits how many goroutines may
 * work. It is full of elements that carry no data, as that of an errgroup is. In a busy
 * program, some goroutines always wait for it, so it is reported once half of them have
 * waited long. It is a warning in two cases:
 * - All goroutines that have a place have waited long for something, too.
 * - No goroutine has a place, as all goroutines whose code leads to a receive wait for a
 *   place first: places were not given back. */
#include <inttypes.h>
#include <string.h>

#include "lib/base/search.h"
#include "src/findings/program/program.h"

enum {
	MANY = 10,
	MANY_OF_LOST = 2, /* if places are lost, no wait is short */
	HOLDERS_TOLD = 2,
};

struct crowd_at {
	uint64_t count, count_long;
	uint32_t longest;
};

static bool says_nothing(const char *type)
{
	static const char *const types[] = { "struct {}", "bool", "errgroup.token",
					     "golang.org/x/sync/errgroup.token" };

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

static bool is_full(const struct wait_object *o)
{
	const struct wait_channel *c = &o->channel;

	return o->kind == WAIT_CHANNEL && c->known && c->has_len && !c->closed &&
	       c->cap > 0 && c->len == c->cap && says_nothing(c->element_type);
}

static struct crowd_at senders(const struct finder *f, const struct wait_object *o)
{
	struct crowd_at ret = { .longest = NO_GOROUTINE };

	for (uint32_t i = 0, last = NO_GOROUTINE; i < o->waiter_count; i++) {
		const struct waiter *w = &f->about.waits->waiters[o->first_waiter + i];
		/* A select may send in several cases. */
		if (w->operation != WAIT_SEND || w->goroutine == last)
			continue;
		last = w->goroutine;
		ret.count++;
		ret.count_long += finder_waits_long(f, w->goroutine);
		if (ret.longest == NO_GOROUTINE ||
		    finder_age(f, w->goroutine) > finder_age(f, ret.longest))
			ret.longest = w->goroutine;
	}
	return ret;
}

/* The waiters of an object are sorted by goroutine. */
static bool waits_to_send(const struct finder *f, const struct wait_object *o,
			  uint32_t goroutine)
{
	const struct waiter *waiters = &f->about.waits->waiters[o->first_waiter];
	const size_t i =
		LOWER_BOUND(k, o->waiter_count, waiters[k].goroutine < goroutine);

	return i < o->waiter_count && waiters[i].goroutine == goroutine;
}

/* Returns the goroutine of the i-th partner if its code will receive, and it so has a
 * place; NO_GOROUTINE: not known. */
static uint32_t holder(const struct finder *f, const struct wait_object *o, uint32_t i)
{
	const struct partner *p = &f->about.waits->partners[o->first_partner + i];

	return p->operation == OPERATION_RECEIVE && !waits_to_send(f, o, p->goroutine)
		       ? p->goroutine
		       : NO_GOROUTINE;
}

static bool is_stuck(const struct finder *f, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct wait wait;

	return finder_waits_long(f, goroutine) &&
	       runtime_wait(it.runtime, it.goroutine, &wait) && wait.kind != WAIT_TIMER;
}

static bool are_stuck(const struct finder *f, const struct wait_object *o)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < o->partner_count; i++) {
		uint32_t one = holder(f, o, i);
		if (one != NO_GOROUTINE && !is_stuck(f, one))
			return false;
		known += one != NO_GOROUTINE;
	}
	return known >= o->channel.cap;
}

bool are_places_lost(const struct finder *f, const struct wait_object *o)
{
	bool any = false;

	if (!is_full(o) || !f->about.has_memory || f->about.waits->is_partial)
		return false;
	for (uint32_t i = 0; i < o->partner_count; i++) {
		const struct partner *p = &f->about.waits->partners[o->first_partner + i];
		if (!waits_to_send(f, o, p->goroutine))
			return false;
		any |= p->operation == OPERATION_RECEIVE;
	}
	return any;
}

static void say_holders(const struct finder *f, struct text *text,
			const struct wait_object *o)
{
	for (uint32_t i = 0, told = 0; i < o->partner_count && told < HOLDERS_TOLD; i++) {
		uint32_t one = holder(f, o, i);
		if (one == NO_GOROUTINE)
			continue;
		text_add(text, " Goroutine %" PRIu64 " has a place and ", id_of(f, one));
		say_state(f, text, one);
		text_add(text, ".");
		told++;
	}
}

static void tell(struct finder *f, const struct wait_object *o,
		 const struct crowd_at *crowd, bool lost)
{
	struct finding *finding = finding_add(
		f, "semaphore_full",
		lost || are_stuck(f, o) ? SEVERITY_WARNING : SEVERITY_INFO, crowd->count,
		"Find out why the goroutines that have a place keep it, and whether each "
		"way out gives it back.");
	struct text *text = &finding->text;

	text_add_counted(text, crowd->count, "goroutine");
	text_add(text, " wait");
	say_where(f, text, crowd->longest);
	text_add(text, " for a place in channel 0x%" PRIx64 " (full, ", o->addr);
	text_add_count(text, o->channel.cap);
	text_add(text, "), for at least ");
	text_add_duration(text, (int64_t)finder_age(f, crowd->longest));
	text_add(text, ".");
	if (lost)
		text_add(text, " No goroutine has one: most likely some were not given "
			       "back.");
	say_holders(f, text, o);
	show_waiters(f, finding, o);
}

void finding_semaphore_full(struct finder *f)
{
	const struct wait_graph *w = f->about.waits;

	for (size_t i = 0; i < w->object_count; i++) {
		if (!is_full(&w->objects[i]))
			continue;
		const struct crowd_at crowd = senders(f, &w->objects[i]);
		const bool lost = are_places_lost(f, &w->objects[i]);
		if (crowd.count >= (lost ? MANY_OF_LOST : MANY) &&
		    crowd.count_long * 2 >= crowd.count)
			tell(f, &w->objects[i], &crowd, lost);
	}
}
