/* SPDX-License-Identifier: Apache-2.0 */
/* The process that traces. Every failure is an exit: the kernel then detaches every thread
 * and kills what is ours, so there is one way back, the tested one. */
#include "tracer_priv.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "conditions.h"
#include "limit.h"

enum {
	TICK_MS = 20, /* threads in state D, the age of the copy: looked at so often */
	COPY_PATIENCE_NS = 2 * 1000 * 1000,
};
#define LOOK_AT_MEMORY_NS (UINT64_C(100) * 1000 * 1000)
#define MEMORY_RESERVE (UINT64_C(8) << 20)
/* What nobody is held for may take, and how far we may be behind. */
#define WORK_NS (UINT64_C(2) * 1000 * 1000 * 1000)

struct child {
	struct target *target;
	struct live *live;
	const struct tracer_options *options;
	struct tracer_shared *shared;
	int fd;
	timer_t watchdog;
	bool watched;
	bool holding;
	uint64_t release_at, copy_over_at, look_at_memory; /* monotonic */
	struct live_copy copy;
};

static void __attribute__((noreturn)) fail(void)
{
	_exit(EXIT_FAILURE);
}

static uint64_t max_hold_ns(const struct child *c)
{
	return c->options->max_hold_ns ? c->options->max_hold_ns : LIMIT_HOLD_NS;
}

/* What of the promised time is for letting go. */
static uint64_t reserve_ns(const struct child *c)
{
	return max_hold_ns(c) / 4;
}

/* A SIGKILL out of the kernel's own timer: it needs nobody to run, not even us. */
static void watchdog_open(struct child *c)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };

	c->watched = timer_create(CLOCK_MONOTONIC, &event, &c->watchdog) == 0;
	/* Without a promise the one who waits for us will do: tracer.c limit_patience(). */
	if (c->watched || !c->options->max_hold_ns)
		return;
	err_set(&c->shared->err, ERR_PERMISSION,
		"--max-pause cannot be promised: no timer can be had to guard the "
		"process "
		"with (%s)",
		strerror(errno));
	fail();
}

static void watchdog_set(struct child *c, uint64_t ns)
{
	struct itimerspec when = { .it_value = { (time_t)(ns / 1000000000),
						 (long)(ns % 1000000000) } };

	atomic_store(&c->shared->watchdog_at, ns ? monotonic_ns() + ns : 0);
	if (c->watched)
		timer_settime(c->watchdog, 0, &when, NULL);
}

static char *keep_text(struct tracer_shared *s, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;

	if (!size || size > s->text_room - s->text_used)
		return NULL;
	char *kept = memcpy(s->text + s->text_used, text, size);
	s->text_used += size;
	return kept;
}

static void publish(struct child *c)
{
	struct tracer_shared *s = c->shared;

	s->thread_count = s->text_used = 0;
	for (size_t i = 0; i < c->live->thread_count; i++) {
		if (s->thread_count == s->thread_room)
			break;
		struct target_thread *th = &s->threads[s->thread_count++];
		*th = c->live->threads[i].info;
		th->kernel_stack = keep_text(s, th->kernel_stack);
	}
}

/* What was refused in good order is cleared away in good order; the watchdog watches. */
static void __attribute__((noreturn)) give_up(struct child *c)
{
	struct err ignored;

	if (target_live_gone(c->target))
		err_set(&c->shared->err, ERR_GONE, "process %d has ended",
			(int)target_pid(c->target));
	live_release(c->live);
	if (c->copy.helper || c->copy.copy)
		live_copy_end(&c->copy, &ignored);
	_exit(EXIT_FAILURE);
}

/* One that sleeps in the kernel must not use up the time promised for all: then there would be
 * no stack of any. */
static void limit_patience(struct child *c)
{
	uint64_t most = (max_hold_ns(c) - reserve_ns(c)) / 4;

	if (c->live->patience_ns > most)
		c->live->patience_ns = most;
}

static void begin_hold(struct child *c)
{
	uint64_t now = monotonic_ns();

	limit_patience(c);
	watchdog_set(c, max_hold_ns(c));
	atomic_store(&c->shared->hold_over, now + max_hold_ns(c));
	c->release_at = now + max_hold_ns(c) - reserve_ns(c);
	c->live->give_up_at = c->release_at;
	atomic_store(&c->shared->stopping_since, now);
	if (!live_hold(c->live, &c->shared->err)) {
		c->shared->pause = target_live_pause(c->target);
		give_up(c);
	}
	c->holding = true;
	c->shared->pause = target_live_pause(c->target);
}

static void end_hold(struct child *c)
{
	atomic_store(&c->shared->hold_over, monotonic_ns());
	live_release(c->live);
	watchdog_set(c, 0);
	c->holding = false;
	c->shared->pause = target_live_pause(c->target);
	if (c->copy.copy) {
		c->shared->pause.first_ns = c->copy.first_stop_ns;
		c->shared->pause.copy_ns = c->copy.copy_ns;
	}
}

/* There is nobody any more who wants what we hold. */
static void __attribute__((noreturn)) leave(struct child *c)
{
	struct err ignored;

	if (c->holding)
		end_hold(c);
	watchdog_set(c, max_hold_ns(c));
	if (c->copy.helper || c->copy.copy)
		live_copy_end(&c->copy, &ignored);
	_exit(EXIT_SUCCESS);
}

static void answer(struct child *c, enum tracer_answer answer)
{
	char byte = (char)answer;

	if (send(c->fd, &byte, 1, MSG_NOSIGNAL) != 1)
		leave(c);
}

static void hold(struct child *c)
{
	begin_hold(c);
	publish(c);
	answer(c, TRACER_DONE);
}

static void copy(struct child *c)
{
	struct err *err = &c->shared->err;

	watchdog_set(c, max_hold_ns(c));
	if (!live_copy_prepare(&c->copy, err))
		give_up(c);
	/* A thread in state D meets our trap before it runs again. */
	c->live->patience_ns = COPY_PATIENCE_NS;
	begin_hold(c);
	if (!live_copy_make(&c->copy, err))
		give_up(c);
	end_hold(c);
	live_copy_settle(&c->copy);
	watchdog_set(c, c->options->max_copy_ns + WORK_NS);
	c->copy_over_at = monotonic_ns() + c->options->max_copy_ns;
	c->shared->copy = c->copy.copy;
	publish(c);
	answer(c, TRACER_DONE);
}

static void copy_over(struct child *c, const char *why)
{
	struct err ignored;

	snprintf(c->shared->copy_ended, sizeof(c->shared->copy_ended), "%s", why);
	atomic_store(&c->shared->copy_over, true);
	watchdog_set(c, max_hold_ns(c)); /* a thread is borrowed */
	if (!live_copy_end(&c->copy, &ignored))
		fail();
	watchdog_set(c, 0);
	c->copy_over_at = 0;
}

static void obey(struct child *c, char command)
{
	live_hurry(true);
	switch (command) {
	case TRACER_HOLD:
		hold(c);
		break;
	case TRACER_COPY:
		copy(c);
		break;
	case TRACER_RELEASE: {
		bool late = !c->holding;
		if (!late)
			end_hold(c);
		answer(c, late ? TRACER_LATE : TRACER_DONE);
		break;
	}
	case TRACER_END:
		if (c->copy_over_at)
			copy_over(c, "it was read");
		leave(c);
	case TRACER_REAP:
		watchdog_set(c, max_hold_ns(c));
		if (!live_copy_end(&c->copy, &c->shared->err))
			fail();
		watchdog_set(c, 0);
		answer(c, TRACER_DONE);
		break;
	default:
		fail();
	}
	live_hurry(false);
}

/* Each page that the process writes now costs one more. */
static bool memory_left(struct child *c)
{
	struct cgroup group;
	struct machine machine;

	c->look_at_memory = monotonic_ns() + LOOK_AT_MEMORY_NS;
	cgroup_read(target_pid(c->target), &group);
	machine_read(&machine);
	return cgroup_room(&group.memory) >= MEMORY_RESERVE &&
	       (!machine.memory_available || machine.memory_available >= MEMORY_RESERVE);
}

static void look_around(struct child *c)
{
	uint64_t now = monotonic_ns();

	if (c->holding && now >= c->release_at)
		end_hold(c);
	if (!c->holding)
		live_release(c->live); /* of state D, now awake */
	if (!c->copy_over_at)
		return;
	if (live_copy_lost(&c->copy))
		copy_over(c, "it was killed");
	else if (now >= c->copy_over_at)
		copy_over(c, "it reached the age that --max-copy-age allows");
	else if (now >= c->look_at_memory && !memory_left(c))
		copy_over(
			c,
			"its memory came near the limit of the control group, or of the "
			"machine");
}

static int patience_ms(const struct child *c)
{
	uint64_t now = monotonic_ns(), at = now + TICK_MS * UINT64_C(1000000);

	if (c->holding)
		at = c->release_at;
	else if (c->copy_over_at && c->copy_over_at < at)
		at = c->copy_over_at;
	return now >= at ? 0 : (int)((at - now) / 1000000);
}

void tracer_child(struct target *live, const struct tracer_options *options,
		  struct tracer_shared *shared, int fd)
{
	struct child c = {
		.target = live,
		.live = target_self(live, &live_ops),
		.options = options,
		.shared = shared,
		.fd = fd,
		.copy = { .subject = live },
	};
	char command;

	watchdog_open(&c);
	for (;;) {
		struct pollfd waiting = { .fd = fd, .events = POLLIN };
		int n = poll(&waiting, 1, patience_ms(&c));
		if (n > 0) {
			if (recv(fd, &command, 1, 0) != 1)
				leave(&c);
			obey(&c, command);
		}
		look_around(&c);
	}
}
