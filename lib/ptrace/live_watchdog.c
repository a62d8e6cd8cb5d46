/* SPDX-License-Identifier: Apache-2.0 */
/* PTRACE_SEIZE blocks while the process is in execve, and execve blocks until the tracer,
 * which is us, has reaped the threads that it killed. A timer breaks this deadlock: its
 * handler reaps them, and the kernel restarts PTRACE_SEIZE. A wait for a stop
 * (tracee_wait) is not restarted, so that the timer also serves as its timeout. */
#include "lib/ptrace/live_priv.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST_NS = 20 * 1000 * 1000, /* seizing takes microseconds: rarely expires */
	THEN_NS = 5 * 1000 * 1000,
	AGAIN_NS = 1 * 1000 * 1000, /* in case a tick came just before the wait */
	NAP_NS = 50 * 1000,
};

static int watchdog_signal(void)
{
	return SIGRTMAX - 1;
}

static void on_timer(int sig, siginfo_t *info, void *context)
{
	struct live *l = info->si_value.sival_ptr;
	int saved = errno;

	(void)sig, (void)context;
	/* Checking thousands of threads takes longer than a tick: do it only if the same
	 * call was already in progress at the last tick. */
	if (l->seizing && l->seizing == l->waited_for)
		live_reap_dead(l);
	l->waited_for = l->seizing;
	errno = saved;
}

void live_watchdog_start(struct live *l)
{
	struct sigaction action = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = watchdog_signal(),
		.sigev_value.sival_ptr = l,
		._sigev_un._tid = gettid(),
	};
	struct itimerspec when = { { 0, THEN_NS }, { 0, FIRST_NS } };
	sigset_t ticks;

	l->watched = timer_create(CLOCK_MONOTONIC, &event, &l->watchdog) == 0;
	if (!l->watched)
		return;
	sigemptyset(&action.sa_mask);
	/* If our parent blocked it, nothing would ever wake us. */
	sigemptyset(&ticks);
	sigaddset(&ticks, watchdog_signal());
	pthread_sigmask(SIG_UNBLOCK, &ticks, &l->mask_before);
	sigaction(watchdog_signal(), &action, &l->action_before);
	timer_settime(l->watchdog, 0, &when, NULL);
}

bool live_watchdog_tick(struct live *l, uint64_t ns)
{
	/* 0 would disarm the timer. */
	struct itimerspec when = { { 0, AGAIN_NS }, { 0, ns ? (long)ns : 1 } };

	if (l->watched)
		timer_settime(l->watchdog, 0, &when, NULL);
	else
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	return l->watched;
}

void live_watchdog_end(struct live *l)
{
	if (!l->watched)
		return;
	timer_delete(l->watchdog); /* also drops a pending signal */
	pthread_sigmask(SIG_SETMASK, &l->mask_before, NULL);
	sigaction(watchdog_signal(), &l->action_before, NULL);
	l->watched = false;
}
