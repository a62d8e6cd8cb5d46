/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "lib/ptrace/live_priv.h"

/* At most: until a thread that is kept is let go; and until one has taken its signal, which the
 * program's handler would see otherwise. */
#define PATIENCE_NS (UINT64_C(2) * 1000 * 1000 * 1000)

enum {
	PASSES = 4, /* as long as there are new threads */
	EARLY_NS = 5 * 1000 * 1000,
	STOP_NS = 300 * 1000 * 1000, /* of one thread, which needs a CPU for it */
	NAP_NS = 20 * 1000,
	SOON_NS = 200 * 1000 *
		  1000, /* by then a copy is made, if the machine is not busy */
	LATER_NAP_NS = 100 * 1000,
	LOOK_NS = 10 * 1000 * 1000,
	STOPS = 6, /* until a signal was delivered: traps come before it */
	HEX = 16,
};

struct tid_list {
	pid_t *tids;
	size_t count, cap;
};

/* Those that are not ours yet. Returns how many there were. */
static size_t interrupt_new(pid_t pid, struct tid_list *ret)
{
	char path[64];
	const size_t before = ret->count;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid <= 0 || !live_trace(PTRACE_SEIZE, tid, LIVE_OPTIONS))
			continue;
		live_trace(PTRACE_INTERRUPT, tid, 0);
		GROW(ret->tids, ret->count, ret->cap);
		ret->tids[ret->count++] = tid;
	}
	if (folder)
		closedir(folder);
	return ret->count - before;
}

/* Stopped, or gone. */
static bool has_stopped(pid_t tid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)tid, &info,
		      WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL) != 0 ||
	       info.si_pid != 0;
}

static struct tid_list interrupt_all(pid_t pid, pid_t thread)
{
	struct tid_list list = { .count = 0 };

	GROW(list.tids, list.count, list.cap);
	list.tids[list.count++] = thread;
	for (int i = 0; i < PASSES && interrupt_new(pid, &list); i++)
		continue;
	return list;
}

static void await_all(const struct tid_list *list)
{
	const uint64_t until = monotonic_ns() + EARLY_NS;

	for (size_t i = 0; i < list->count; i++)
		while (!has_stopped(list->tids[i]) && monotonic_ns() < until)
			nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

void live_stop_early(pid_t pid, pid_t thread)
{
	struct tid_list list = interrupt_all(pid, thread);

	await_all(&list);
	xfree(list.tids);
}

static bool has_signal(pid_t pid, pid_t tid, const char *set)
{
	AUTO(xfree) char *name = xasprintf("task/%d/status", tid);
	AUTO(xfree) char *status = proc_file(pid, name);

	return status && proc_number(status, set, HEX) >> (SIGCONT - 1) & 1;
}

/* It stands in no delivery of a signal, which it would lose. */
static bool is_plain_stop(pid_t tid)
{
	int status;

	return tracee_poll(tid, &status) == LIVE_STOP &&
	       status >> 16 == PTRACE_EVENT_STOP;
}

/* 0: none; then the program's handler sees it. */
static pid_t taker_of(pid_t pid, const struct tid_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_plain_stop(list->tids[i]) &&
		    !has_signal(pid, list->tids[i], "SigBlk"))
			return list->tids[i];
	return 0;
}

/* Goes on from this stop, without its signal, to the next one: no instruction is run. */
static void drop_signal(pid_t tid)
{
	live_trace(PTRACE_INTERRUPT, tid, 0);
	live_trace(PTRACE_CONT, tid, 0);
}

/* Until it is there, signals that are pending keep it from running. */
static void take_signal(pid_t tid)
{
	for (int i = 0; i < STOPS; i++) {
		const int status = live_wait_stop(tid, PATIENCE_NS);
		const int signal = status > 0 ? live_signal_of(status) : 0;
		if (status <= 0 || (signal && signal != SIGCONT && signal != SIGSTOP))
			return; /* gone, or it has another signal, which it keeps */
		if (signal)
			drop_signal(tid);
		else
			live_trace(PTRACE_CONT, tid, 0);
		if (signal == SIGCONT)
			return;
	}
}

/* If the thread was ours before. */
static void take_stop_signal(pid_t tid)
{
	const int status = live_wait_stop(tid, STOP_NS);

	if (status > 0 && live_signal_of(status) == SIGSTOP)
		drop_signal(tid);
}

/* A tracer that waits for a process that was continued takes that from the parent, but is told of the stop
 * first, which therefore has to come again. */
static bool hide_continued(const struct tid_list *list)
{
	siginfo_t info = { .si_pid = 0 };
	size_t n = 0;

	while (n < list->count && !is_plain_stop(list->tids[n]))
		n++;
	if (n == list->count)
		return false;
	for (int i = 0; i < 2 && info.si_code != CLD_CONTINUED; i++)
		waitid(P_PID, (id_t)list->tids[n], &info, WCONTINUED | WNOHANG | __WALL);
	drop_signal(list->tids[n]);
	return info.si_code == CLD_CONTINUED;
}

/* At once, unless it matters which thread has the signal. */
uint64_t live_stop_early_stopped(const struct watch_stopped *stopped)
{
	const pid_t pid = stopped->pid, thread = stopped->thread;
	struct tid_list list = interrupt_all(pid, thread);
	const bool is_handled = has_signal(pid, thread, "SigCgt");
	bool is_hidden = stopped->goes_on;

	/* The parent is told when the first of them goes on, and may be quick. */
	if (!is_handled && tgkill(pid, thread, SIGCONT) == 0)
		is_hidden = is_hidden || hide_continued(&list);
	await_all(&list);
	const uint64_t at = monotonic_ns();
	const pid_t taker = is_handled ? taker_of(pid, &list) : 0;
	if (is_handled)
		tgkill(pid, taker ? taker : thread, SIGCONT);
	stopped->continued(stopped->arg);
	take_stop_signal(thread);
	if (taker)
		take_signal(taker);
	if (!is_hidden)
		hide_continued(&list);
	xfree(list.tids);
	return at;
}

static bool is_traced(pid_t thread)
{
	AUTO(xfree) char *status = proc_file(thread, "status");

	return proc_number(status, "TracerPid", 10) != 0;
}

bool live_seize_next(pid_t thread, uint64_t options, struct err *err)
{
	const uint64_t begun = monotonic_ns();
	uint64_t looked = 0;
	bool kept = true;

	/* It may have been let go since we were refused, or since we looked. */
	while (!live_trace(PTRACE_SEIZE, thread, options)) {
		const int why = errno;
		const uint64_t now = monotonic_ns();
		if (why == ESRCH)
			return err_set(err, ERR_GONE, "process %d has exited", thread);
		if (why != EPERM || !kept)
			return false;
		if (now - begun > PATIENCE_NS)
			return err_set(err, ERR_CANNOT,
				       "thread %d is still traced by another process",
				       thread);
		if (now - looked > LOOK_NS) {
			kept = is_traced(thread);
			looked = now;
			continue;
		}
		nanosleep(&(struct timespec){ .tv_nsec = now - begun < SOON_NS
								 ? NAP_NS
								 : LATER_NAP_NS },
			  NULL);
	}
	return live_trace(PTRACE_INTERRUPT, thread, 0);
}
