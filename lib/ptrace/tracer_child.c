/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer process. Every failure is an exit: the kernel then detaches every thread and
 * kills what is ours, so there is only one way back, and it is tested. */
#include "lib/ptrace/tracer_priv.h"

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

#include "lib/base/limit.h"
#include "lib/procfs/proc_file.h"

enum {
	BEATS = 8,	   /* heartbeats per allowed time without progress */
	WORKS_PART = 2000, /* fraction of that time: using less CPU means no progress */
	TICK_MS = 20,	   /* for threads in state D and the age of the copy */
	COPY_PATIENCE_NS = 2 * 1000 * 1000,
};

/* Checks that the processes that read the stopped subject, or its copy, make progress. */
struct reading {
	uint64_t seen[TRACER_READERS]; /* CPU time of each, in nanoseconds */
	uint64_t worked;	       /* by all, since still_since */
	uint64_t still_since;
	uint64_t looked_at; /* monotonic */
};

struct child {
	struct target *target;
	struct live *live;
	const struct tracer_options *options;
	struct tracer_shared *shared;
	struct tracer_room room;
	struct err err;
	bool used; /* something was stopped, or borrowed */
	int fd;
	timer_t watchdog, heartbeat;
	bool watched, beats;
	/* Used by the heartbeat handler, which interrupts us: */
	volatile sig_atomic_t armed, holding, nothing_held;
	uint64_t guarded_until; /* the watchdog is not extended beyond this */
	uint64_t beat_at, longest_beat_ns;
	uint64_t release_at, copy_over_at, look_at_memory; /* monotonic */
	uint64_t copy_ends_at;				   /* at the latest */
	bool stands; /* it is stopped anyway, as long as we see */
	struct reading reading;
	struct live_copy copy;
};

static void __attribute__((noreturn)) fail(void)
{
	_exit(EXIT_FAILURE);
}

/* Before we exit. */
static void say_why(struct child *c)
{
	c->shared->err = c->err;
}

/* A pause costs a process nothing that is stopped anyway: only who lets it go on begins one, which takes us a tick to
 * see, and the kernel's timer no longer than this. */
static uint64_t max_hold_ns(const struct child *c)
{
	const uint64_t ns =
		c->options->max_hold_ns ? c->options->max_hold_ns : LIMIT_HOLD_NS;

	return c->stands && ns < LIMIT_STILL_NS ? LIMIT_STILL_NS : ns;
}

/* The part of the promised time that is reserved for releasing. */
static uint64_t reserve_ns(const struct child *c)
{
	return max_hold_ns(c) / 4;
}

/* How long the readers may go without progress. */
static uint64_t still_ns(const struct child *c)
{
	uint64_t most = LIMIT_HOLD_NS / LIMIT_STILL_TIMES;
	uint64_t estimate =
		c->options->estimate_ns < most ? c->options->estimate_ns : most;
	uint64_t ns = estimate * LIMIT_STILL_TIMES;

	return ns > LIMIT_STILL_NS ? ns : LIMIT_STILL_NS;
}

/* How long we may. Where others have the processors, our heart beats late; on one that does not beat the kernel's timer
 * ends us, whether we hang or wait for a processor. */
static uint64_t beatless_ns(const struct child *c)
{
	const uint64_t least = c->options->patient && still_ns(c) < LIMIT_STARVED_NS
				       ? LIMIT_STARVED_NS
				       : still_ns(c);

	return c->longest_beat_ns * BEATS > least ? c->longest_beat_ns * BEATS : least;
}

static int heartbeat_signal(void)
{
	return SIGRTMAX - 2;
}

/* Extends the watchdog. Async-signal-safe. */
static void arm(struct child *c)
{
	uint64_t now = monotonic_ns(), ns = c->guarded_until - now;

	if (now >= c->guarded_until)
		return;
	if (c->beats && !c->nothing_held && ns > beatless_ns(c))
		ns = beatless_ns(c);
	struct itimerspec when = { .it_value = { (time_t)(ns / 1000000000),
						 (long)(ns % 1000000000) } };
	if (c->watched)
		timer_settime(c->watchdog, 0, &when, NULL);
	atomic_store(&c->shared->watchdog_at, now + ns);
	if (c->holding)
		atomic_store(&c->shared->hold_over, now + ns);
}

/* While we are stopped, or hang in the kernel, no handler runs. */
static void on_heartbeat(int sig, siginfo_t *info, void *context)
{
	struct child *c = info->si_value.sival_ptr;
	const uint64_t now = monotonic_ns();
	int saved = errno;

	(void)sig, (void)context;
	if (now - c->beat_at > c->longest_beat_ns)
		c->longest_beat_ns = now - c->beat_at;
	c->beat_at = now;
	if (c->armed)
		arm(c);
	errno = saved;
}

static void heartbeat_open(struct child *c)
{
	struct sigaction action = { .sa_sigaction = on_heartbeat,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = heartbeat_signal(),
		.sigev_value.sival_ptr = c,
		._sigev_un._tid = gettid(),
	};
	uint64_t ns = still_ns(c) / BEATS;
	struct timespec every = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	struct itimerspec when = { every, every };
	sigset_t beats;

	sigemptyset(&action.sa_mask);
	sigaction(heartbeat_signal(), &action, NULL);
	sigemptyset(&beats);
	sigaddset(&beats, heartbeat_signal());
	sigprocmask(SIG_UNBLOCK, &beats, NULL);
	c->beat_at = monotonic_ns();
	c->beats = timer_create(CLOCK_MONOTONIC, &event, &c->heartbeat) == 0 &&
		   timer_settime(c->heartbeat, 0, &when, NULL) == 0;
}

/* A SIGKILL from the kernel's own timer: it works even if no process runs, including us.
 * With a promised limit it is set once; without, it is extended as long as we run. */
static void watchdog_open(struct child *c)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };

	c->watched = timer_create(CLOCK_MONOTONIC, &event, &c->watchdog) == 0;
	if (c->watched && !c->options->max_hold_ns)
		heartbeat_open(c);
	/* Without a promised limit, our parent's timeout suffices: tracer.c
	 * limit_patience(). */
	if (c->watched || !c->options->max_hold_ns)
		return;
	err_set(&c->err, ERR_PERMISSION,
		"--max-pause cannot be guaranteed: cannot create a watchdog timer (%s)",
		strerror(errno));
	say_why(c);
	fail();
}

static void watchdog_set(struct child *c, uint64_t ns)
{
	static const struct itimerspec never;

	c->armed = false;
	c->nothing_held = false;
	c->guarded_until = monotonic_ns() + ns;
	if (ns) {
		c->armed = true;
		arm(c);
		return;
	}
	atomic_store(&c->shared->watchdog_at, 0);
	if (c->watched)
		timer_settime(c->watchdog, 0, &never, NULL);
}

/* Returns its place, and 1; 0: there is none, or no room. */
static size_t keep_text(struct tracer_shared *s, const struct tracer_room *room,
			size_t *used, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0, at = *used;

	if (!size || size > room->text - at)
		return 0;
	memcpy(tracer_text(s, room) + at, text, size);
	*used += size;
	return at + 1;
}

void tracer_publish(struct tracer_shared *s, const struct tracer_room *room,
		    const struct live *l)
{
	size_t n = l->thread_count, used = 0;

	if (n > room->threads)
		n = room->threads;
	for (size_t i = 0; i < n; i++) {
		const struct target_thread *th = &l->threads[i].info;
		s->threads[i].info = *th;
		s->threads[i].info.kernel_stack = NULL;
		s->threads[i].stack = keep_text(s, room, &used, th->kernel_stack);
	}
	s->thread_count = n;
}

/* An orderly refusal is cleaned up in an orderly way; the watchdog stays active. */
static void __attribute__((noreturn)) give_up(struct child *c)
{
	struct err ignored;

	if (target_live_gone(c->target))
		err_set(&c->err, ERR_GONE, "process %d has exited",
			(int)target_pid(c->target));
	say_why(c);
	live_release(c->live);
	if (c->copy.helper || c->copy.copy)
		live_copy_end(&c->copy, &ignored);
	_exit(EXIT_FAILURE);
}

/* A thread that sleeps in the kernel must not use up the promised time of all: then there
 * would be no stacks at all. */
static void limit_patience(struct child *c)
{
	uint64_t most = (max_hold_ns(c) - reserve_ns(c)) / 4;

	if (c->live->patience_ns > most)
		c->live->patience_ns = most;
}

static void begin_hold(struct child *c)
{
	uint64_t now = monotonic_ns();

	c->stands = live_stands_anyway(c->live, false);
	limit_patience(c);
	watchdog_set(c, max_hold_ns(c));
	atomic_store(&c->shared->hold_over, atomic_load(&c->shared->watchdog_at));
	c->release_at = now + max_hold_ns(c) - reserve_ns(c);
	c->live->give_up_at = c->release_at;
	atomic_store(&c->shared->stopping_since, now);
	if (!live_hold(c->live, &c->err)) {
		c->shared->pause = target_live_pause(c->target);
		give_up(c);
	}
	/* Somebody may have let it go on before the stop. */
	c->stands = c->stands && live_stands_anyway(c->live, true);
	c->holding = true;
	arm(c);
	c->reading.still_since = monotonic_ns();
	c->reading.worked = 0;
	c->shared->pause = target_live_pause(c->target);
}

static void end_hold(struct child *c)
{
	c->holding = false;
	atomic_store(&c->shared->hold_over, monotonic_ns());
	live_release(c->live);
	watchdog_set(c, 0);
	c->shared->pause = target_live_pause(c->target);
	if (c->copy.copy) {
		c->shared->pause.borrowed_ns = c->copy.first_stop_ns;
		c->shared->pause.copying_ns = c->copy.copy_ns;
	}
}

/* CPU time: a reader that is stopped, or blocked on its output, uses none. */
static uint64_t reader_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static size_t reader_count(const struct child *c)
{
	const size_t n = atomic_load(&c->shared->reader_count);

	return n < TRACER_READERS ? n : TRACER_READERS;
}

/* All of them, since the last call. */
static uint64_t readers_worked(struct child *c)
{
	struct reading *r = &c->reading;
	uint64_t ret = 0;

	for (size_t i = 0; i < reader_count(c); i++) {
		const uint64_t ns = reader_ns(atomic_load(&c->shared->readers[i]));
		ret += ns > r->seen[i] ? ns - r->seen[i] : 0;
		r->seen[i] = ns;
	}
	return ret;
}

/* Does one of them wait for a processor, or have one? */
static bool readers_want_processor(const struct child *c)
{
	for (size_t i = 0; i < reader_count(c); i++) {
		AUTO(xfree)
		char *stat = proc_file(atomic_load(&c->shared->readers[i]), "stat");
		const char *state = proc_stat_field(stat, PROC_STAT_STATE);
		if (state && *state == 'R')
			return true;
	}
	return false;
}

/* Our parent is gone, so nothing that we hold is needed. */
static void __attribute__((noreturn)) leave(struct child *c)
{
	struct err ignored;

	if (c->holding)
		end_hold(c);
	watchdog_set(c, max_hold_ns(c));
	bool all = !(c->copy.helper || c->copy.copy) || live_copy_end(&c->copy, &ignored);
	_exit(all ? EXIT_SUCCESS : EXIT_FAILURE);
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
	tracer_publish(c->shared, &c->room, c->live);
	answer(c, TRACER_DONE);
}

/* While it is read, slow readers do not delay the process. */
static void guard_copy(struct child *c)
{
	watchdog_set(c, c->copy_over_at - monotonic_ns() + LIMIT_STARVED_NS);
	c->nothing_held = true;
	arm(c);
}

static void copy(struct child *c)
{
	struct err *err = &c->err;

	watchdog_set(c, max_hold_ns(c));
	if (!live_copy_prepare(&c->copy, err))
		give_up(c);
	/* A thread in state D hits our trap before it runs again. */
	c->live->patience_ns = COPY_PATIENCE_NS;
	begin_hold(c);
	if (!live_copy_make(&c->copy, err))
		give_up(c);
	end_hold(c);
	live_copy_settle(&c->copy);
	c->reading.looked_at = monotonic_ns();
	c->copy_over_at = c->reading.looked_at + c->options->max_copy_ns;
	c->copy_ends_at =
		c->reading.looked_at + LIMIT_COPY_TIMES * c->options->max_copy_ns;
	readers_worked(c);
	guard_copy(c);
	c->shared->copy = c->copy.copy;
	tracer_publish(c->shared, &c->room, c->live);
	answer(c, TRACER_DONE);
}

static void copy_over(struct child *c, const char *why)
{
	struct err ignored;

	snprintf(c->shared->copy_ended, sizeof(c->shared->copy_ended), "%s", why);
	atomic_store(&c->shared->copy_over, true);
	watchdog_set(c, max_hold_ns(c)); /* because a thread is borrowed */
	if (!live_copy_end(&c->copy, &ignored))
		fail();
	watchdog_set(c, 0);
	c->copy_over_at = 0;
}

/* A second stop, or one while something is borrowed, is nothing that gosnap asks for. */
static void use_once(struct child *c, char command)
{
	if (command == TRACER_RELEASE || command == TRACER_END)
		return;
	if (c->used && c->options->once)
		fail();
	c->used = true;
}

static void obey(struct child *c, char command)
{
	use_once(c, command);
	live_set_realtime(true);
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
		if (!live_copy_end(&c->copy, &c->err)) {
			say_why(c);
			fail();
		}
		watchdog_set(c, 0);
		answer(c, TRACER_DONE);
		break;
	default:
		fail();
	}
	live_set_realtime(false);
}

/* As a whole: a single reader may stall, when the others wait for it. */
static bool readers_stand_still(struct child *c, uint64_t now)
{
	struct reading *r = &c->reading;

	if (c->options->max_hold_ns)
		return false;
	r->worked += readers_worked(c);
	if (r->worked > still_ns(c) / WORKS_PART || readers_want_processor(c)) {
		r->worked = 0;
		r->still_since = now;
	}
	return now - r->still_since > still_ns(c) - still_ns(c) / 4;
}

/* Time in which they wait for a processor is none of the copy's age. */
static void look_at_age(struct child *c, uint64_t now)
{
	const uint64_t passed = now - c->reading.looked_at, worked = readers_worked(c);

	c->reading.looked_at = now;
	if (worked >= passed || !readers_want_processor(c))
		return;
	c->copy_over_at += passed - worked;
	if (c->copy_over_at > c->copy_ends_at)
		c->copy_over_at = c->copy_ends_at;
	if (now < c->copy_over_at)
		guard_copy(c);
}

/* Whoever stopped it may let it go on at any time: limits count from then. */
static void look_whether_it_stands(struct child *c, uint64_t now)
{
	if (!c->stands)
		return;
	c->stands = live_stands_anyway(c->live, true);
	c->release_at = now + max_hold_ns(c) - reserve_ns(c);
	c->reading.still_since = now;
	watchdog_set(c, max_hold_ns(c));
}

static void look_around(struct child *c)
{
	uint64_t now = monotonic_ns();

	if (c->holding)
		look_whether_it_stands(c, now);
	if (c->holding && (now >= c->release_at || readers_stand_still(c, now)))
		end_hold(c);
	if (!c->holding)
		live_release(c->live); /* threads that were in state D and woke up */
	if (!c->copy_over_at)
		return;
	look_at_age(c, now);
	const char *why = live_copy_over(&c->copy, c->copy_over_at, &c->look_at_memory);
	if (why)
		copy_over(c, why);
}

static int patience_ms(const struct child *c)
{
	uint64_t now = monotonic_ns(), at = now + TICK_MS * UINT64_C(1000000);

	if (c->holding && c->stands)
		at = now + TICK_MS * UINT64_C(1000000);
	else if (c->holding && !c->options->max_hold_ns)
		at = now + still_ns(c) / BEATS;
	else if (c->holding)
		at = c->release_at;
	else if (c->copy_over_at && c->copy_over_at < at)
		at = c->copy_over_at;
	return now >= at ? 0 : (int)((at - now) / 1000000);
}

void tracer_child(struct target *live, const struct tracer_options *options,
		  struct tracer_shared *shared, const struct tracer_room *room, int fd)
{
	struct child c = {
		.target = live,
		.live = target_self(live, &live_ops),
		.options = options,
		.shared = shared,
		.room = *room,
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
