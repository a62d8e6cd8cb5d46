/* SPDX-License-Identifier: Apache-2.0 */
#include "src/guard/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/guard/stops.h"

enum {
	LOOK_MS =
		100, /* as long as nothing is stopped, too: not to be woken costs less than a wakeup */
	NAP_NS = 1000 * 1000,
};

#define PARENTS_NS (UINT64_C(3000) * 1000 * 1000) /* until they have stopped themselves */

struct guard {
	const struct fault_probes *probes;
	pid_t child;
};

/* Nobody stops anything any more, but one may be about to be stopped. */
static void let_all_go(struct fault_stops *stops)
{
	stops_forbid(stops);
	while (stops_let_go_before(stops, UINT64_MAX))
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

/* What is not let go in the time for which a thread would be kept. */
static void look(const struct fault_probes *probes)
{
	struct fault_stops *stops = fault_probes_stops(probes);

	stops_let_go_before(stops, monotonic_ns() - fault_probes_hold_ns(probes));
	stops_let_parents_go(stops, monotonic_ns() - PARENTS_NS);
}

static void await_parents(const struct fault_stops *stops)
{
	while (stops_let_parents_go(stops, monotonic_ns() - PARENTS_NS))
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * NAP_NS }, NULL);
}

/* Whoever waits for the end of what we print does not wait for us; and whoever ends us all, as systemd
 * does, ends this one last. */
static void be_alone(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	sigset_t all;

	prctl(PR_SET_NAME, "gosnap-guard");
	close_range(0, ~0U, 0);
	for (int fd = 0; fd >= 0 && fd < STDERR_FILENO;)
		fd = open("/dev/null", O_RDWR);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sched_setscheduler(0, SCHED_FIFO, &first); /* optional */
}

static void guard(const struct fault_probes *probes, pid_t parent)
{
	be_alone();
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, parent, 0),
			      .events = POLLIN };
	while (getppid() == parent && poll(&end, 1, LOOK_MS) <= 0)
		look(probes);
	let_all_go(fault_probes_stops(probes));
	await_parents(fault_probes_stops(probes));
	_exit(EXIT_SUCCESS);
}

static bool start(struct guard *g)
{
	const pid_t us = getpid();

	g->child = fork();
	if (g->child == 0)
		guard(g->probes, us);
	return g->child > 0;
}

struct guard *guard_new(const struct fault_probes *probes, struct err *err)
{
	AUTO(guard_free) struct guard *g = xcalloc(1, sizeof(*g));

	g->probes = probes;
	if (start(g))
		return TAKE(g);
	err_sys(err, "cannot start a process that guards others");
	return NULL;
}

static void end(struct guard *g)
{
	if (g->child <= 0)
		return;
	kill(g->child, SIGKILL);
	waitpid(g->child, NULL, 0);
	g->child = 0;
}

bool guard_check(struct guard *g)
{
	siginfo_t info = { .si_pid = 0 };

	if (g->child > 0 &&
	    waitid(P_PID, (id_t)g->child, &info,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == 0)
		return true;
	end(g);
	/* Without one, nothing is stopped. */
	if (!start(g))
		stops_forbid(fault_probes_stops(g->probes));
	return false;
}

void guard_heard(struct guard *g, const struct fault_event *event)
{
	if (g && (g->child > 0 || start(g)))
		stops_heard(fault_probes_stops(g->probes), event->number);
}

void guard_free(struct guard *g)
{
	if (!g)
		return;
	let_all_go(fault_probes_stops(g->probes));
	xfree(g);
}

void guard_let_go(struct fault_probes *probes, const struct fault_event *event)
{
	struct fault_stops *stops = fault_probes_stops(probes);

	if (stops)
		stops_let_go(stops, event->number);
	else
		fault_probes_release(probes, event);
}
