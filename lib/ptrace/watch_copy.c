/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a process of which all threads are ours already, and stand still until it is made: the one that is
 * borrowed is one of them. */
#include <stdatomic.h>
#include <stdio.h>

#include "lib/ptrace/tracer_priv.h"

/* To finish a document once its copy is too old. */
#define READ_NS (UINT64_C(60) * 1000 * 1000 * 1000)
#define END_NS (UINT64_C(10) * 1000 * 1000 * 1000)

static struct live *live_of(const struct watch_copy *c)
{
	return target_self(c->live_copy.subject, &live_ops);
}

/* They stand still; a thread that was created meanwhile is ours from its birth. */
static bool list_threads(struct live *l, struct err *err)
{
	live_forget(l);
	return live_stop(l, err);
}

/* What was before the copy's own stop counts, too. */
static struct live_pause pause_of(const struct watch_copy *c)
{
	struct live_pause ret = target_live_pause(c->live_copy.subject);
	const uint64_t before = ret.monotonic_ns - ret.stopping_ns - c->stopped_at;

	ret.pause_ns += before;
	ret.stopping_ns += before;
	ret.busy_thread_ns += before;
	ret.copying_ns = c->live_copy.copy_ns;
	return ret;
}

static bool make(struct watch_copy *c, struct err *err)
{
	struct live *l = live_of(c);

	if (!live_copy_prepare(&c->live_copy, err) || !list_threads(l, err) ||
	    !live_copy_make(&c->live_copy, err))
		return false;
	live_release(l);
	c->pause = pause_of(c);
	c->released_at = monotonic_ns();
	live_copy_settle(&c->live_copy);
	return true;
}

/* As before. False: the process runs on, if it still exists, once we exit. */
static bool take_back(struct watch_copy *c, struct err *err)
{
	struct err ignored;

	if (c->live_copy.broken)
		return false;
	live_copy_end(&c->live_copy, &ignored);
	return list_threads(live_of(c), err);
}

static bool try(struct watch_copy *c, pid_t pid, struct err *err)
{
	struct err lost = { .code = ERR_NONE };

	c->live_copy =
		(struct live_copy){ .subject = target_live_open_to_read(pid, err) };
	if (!c->live_copy.subject)
		return false;
	live_set_realtime(true);
	const bool made = make(c, err);
	c->stands = !made && take_back(c, &lost);
	live_set_realtime(false);
	if (!made && !c->stands && !err_is(&lost, ERR_NONE))
		*err = lost;
	return made;
}

bool watch_copy_is_permitted(const struct watch_copy *c)
{
	return c->how.wanted && !c->live_copy.subject && !c->released_at;
}

bool watch_copy_make(struct watch_copy *c, pid_t pid,
		     const struct tracer_service *service, struct err *err)
{
	struct tracer_shared *s = service->shared;

	if (!try(c, pid, err))
		return false;
	tracer_publish(s, &service->room, live_of(c));
	s->pause = c->pause;
	s->copy = c->live_copy.copy;
	c->over_at = c->released_at + c->how.max_ns;
	c->how.put_off(c->how.arg, c->how.max_ns + READ_NS);
	return true;
}

void watch_copy_look(struct watch_copy *c, const struct tracer_service *service)
{
	struct tracer_shared *s = service->shared;

	if (!c->released_at || !c->live_copy.subject)
		return;
	live_release(live_of(c)); /* threads that were in state D and woke up */
	const char *why = live_copy_over(&c->live_copy, c->over_at, &c->look_at_memory);
	if (!why)
		return;
	snprintf(s->copy_ended, sizeof(s->copy_ended), "%s", why);
	atomic_store(&s->copy_over, true);
	watch_copy_end(c);
	c->how.put_off(c->how.arg, READ_NS);
}

uint64_t watch_copy_limit(const struct watch_copy *c, uint64_t limit)
{
	return c->released_at ? c->over_at + READ_NS : limit;
}

void watch_copy_end(struct watch_copy *c)
{
	struct err ignored; /* what remains is harmless, and the next one removes it */

	if (!c->live_copy.subject)
		return;
	if (c->released_at) {
		c->how.put_off(c->how.arg, END_NS); /* a thread is borrowed */
		live_set_realtime(true);
		live_copy_end(&c->live_copy, &ignored);
		live_set_realtime(false);
	}
	live_forget(live_of(c));
	target_close(TAKE(c->live_copy.subject));
}
