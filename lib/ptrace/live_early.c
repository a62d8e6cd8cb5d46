/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/ptrace/live_priv.h"

enum {
	OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC, /* as live_stop() has */
	PASSES = 4, /* as long as there are new threads */
	EARLY_NS = 5 * 1000 * 1000,
	NAP_NS = 20 * 1000,
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
		if (tid <= 0 || !live_trace(PTRACE_SEIZE, tid, OPTIONS))
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

void live_stop_early(pid_t pid, pid_t thread)
{
	struct tid_list list = { .count = 0 };
	const uint64_t until = monotonic_ns() + EARLY_NS;

	GROW(list.tids, list.count, list.cap);
	list.tids[list.count++] = thread;
	for (int i = 0; i < PASSES && interrupt_new(pid, &list); i++)
		continue;
	for (size_t i = 0; i < list.count; i++)
		while (!has_stopped(list.tids[i]) && monotonic_ns() < until)
			nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	xfree(list.tids);
}
