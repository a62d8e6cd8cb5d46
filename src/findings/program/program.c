/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/program/program.h"

#include <string.h>

bool sends(const struct finder *f, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct wait wait;

	return runtime_wait(it.runtime, it.goroutine, &wait) &&
	       wait.operation == WAIT_SEND;
}

bool is_opposite(const struct finder *f, uint32_t goroutine, enum operation operation)
{
	return operation == OPERATION_CLOSE ||
	       operation == (sends(f, goroutine) ? OPERATION_RECEIVE : OPERATION_SEND);
}

bool is_timed_channel(const struct wait_channel *channel)
{
	return channel->when != 0 ||
	       (channel->element_type && strcmp(channel->element_type, "time.Time") == 0);
}

uint32_t longest_waiter(const struct finder *f, const struct wait_object *o)
{
	uint32_t ret = NO_GOROUTINE;

	for (uint32_t i = 0; i < o->waiter_count; i++) {
		uint32_t at = f->about.waits->waiters[o->first_waiter + i].goroutine;
		if (f->about.leaks && f->about.leaks->leaked[at])
			return NO_GOROUTINE;
		if (finder_waits_long(f, at) &&
		    (ret == NO_GOROUTINE || finder_age(f, at) > finder_age(f, ret)))
			ret = at;
	}
	return ret;
}

void show_waiters(const struct finder *f, struct finding *to, const struct wait_object *o)
{
	const struct waiter *waiters = &f->about.waits->waiters[o->first_waiter];

	/* They are sorted by goroutine; a select may wait in several cases. */
	for (uint32_t i = 0; i < o->waiter_count; i++)
		if (i == 0 || waiters[i].goroutine != waiters[i - 1].goroutine)
			finding_shows_goroutine(f, to, waiters[i].goroutine);
	finding_shows_address(to, o->addr);
}

void say_waiters(const struct finder *f, struct text *text, const struct wait_object *o,
		 uint32_t longest)
{
	text_add_counted(text, o->goroutine_count, "goroutine");
	text_add(text, o->goroutine_count == 1 ? " waits for " : " wait for ");
	say_object(text, o);
	say_where(f, text, longest);
	text_add(text, ", for at least ");
	text_add_duration(text, (int64_t)finder_age(f, longest));
}
