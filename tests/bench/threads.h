/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - stopping a process, as both floors of the bench do it. No care is taken of
 * threads that are born meanwhile. */
#ifndef GOSNAP_BENCH_THREADS_H
#define GOSNAP_BENCH_THREADS_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

enum { THREADS_MAX = 4096 };

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline size_t seize_threads(pid_t pid, long options, pid_t *tids)
{
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && n < THREADS_MAX && (e = readdir(dir));) {
		pid_t tid = atoi(e->d_name);
		if (tid > 0 && ptrace(PTRACE_SEIZE, tid, 0, options) == 0)
			tids[n++] = tid;
	}
	if (dir)
		closedir(dir);
	return n;
}

static inline void stop_threads(const pid_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ptrace(PTRACE_INTERRUPT, tids[i], 0, 0);
	for (size_t i = 0; i < n; i++)
		waitpid(tids[i], NULL, __WALL);
}

/* How long it was, and when it began (since 1970), in nanoseconds. */
static inline void print_hold(uint64_t begin, uint64_t end)
{
	printf("%llu %llu\n", (unsigned long long)(end - begin),
	       (unsigned long long)(clock_ns(CLOCK_REALTIME) - (now_ns() - begin)));
}

#endif
