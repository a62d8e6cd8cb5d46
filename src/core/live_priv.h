/* SPDX-License-Identifier: Apache-2.0 */
/* live_priv.h - shared by target_live.c, live_stop.c and live_proc.c; nobody else's. */
#ifndef GOSNAP_LIVE_PRIV_H
#define GOSNAP_LIVE_PRIV_H

#include <signal.h>
#include <time.h>

#include "target_live.h"

enum live_at {
	LIVE_FOUND,  /* listed, not touched */
	LIVE_SEIZED, /* ours, on its way to a stop */
	LIVE_STOPPED,
	LIVE_LATE,   /* ours, did not stop in time */
	LIVE_BARRED, /* not to be had: a zombie leader, ... */
	LIVE_GONE,
};

struct live_thread {
	struct target_thread info;
	enum live_at at;
	int status; /* of waitpid, when stopped */
};

struct live {
	pid_t pid;
	int proc_fd; /* /proc/PID: stays this process's when the pid is used again */
	pid_t reader; /* a thread whose memory can be read: not the leader when that has ended */
	int mem_fd; /* /proc/PID/task/TID/mem when process_vm_readv is forbidden, else -1 */
	struct live_thread *threads; /* sorted by tid; from the stop to the end */
	size_t thread_count, thread_cap;
	pid_t *born; /* seized by being started by a seized thread; not in the list yet */
	size_t born_count, born_cap;
	bool execed;
	bool disturbed; /* the stop failed: threads may be ours that are not listed */
	/* live_watchdog.c */
	volatile sig_atomic_t seizing; /* the number of the PTRACE_SEIZE; 0: in none */
	sig_atomic_t seized,
		waited_for; /* numbers of the last one, and at the last tick */
	bool watched;
	timer_t watchdog;
	struct sigaction action_before;
	uint64_t first_stop, all_stopped, last_release; /* monotonic; 0: not yet */
	uint64_t first_stop_realtime;
};

extern const struct target_ops live_ops;

/* live_proc.c: what /proc tells. Paths are below /proc/PID. */
char *live_slurp(const struct live *l, size_t limit, size_t *ret_len, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));
/* Sorted; free with xfree. NULL: the process is gone, or (rarely) err says more. */
pid_t *live_tasks(const struct live *l, size_t *ret_n, struct err *err);
/* How many threads the kernel counts; a zombie leader is among them. */
size_t live_task_count(const struct live *l);
/* R, S, D, Z, ...; 0: no such thread any more. */
char live_state(const struct live *l, pid_t tid);
/* The tracer of a thread, 0 when there is none. */
pid_t live_tracer(const struct live *l, pid_t tid);
/* Fills tid, tid_inside, name, state and cpu_ns; with_wait: wchan and kernel stack too.
 * False: the thread is gone. */
bool live_thread_facts(const struct live *l, pid_t tid, bool with_wait,
		       struct target_thread *ret);
/* Where a thread that cannot be stopped entered the kernel: sp, pc, system call. */
void live_thread_syscall(const struct live *l, struct target_thread *thread);
MUST_CHECK bool live_mappings(const struct live *l, struct target_mapping **ret,
			      size_t *ret_n, struct err *err);

/* live_list.c */
enum live_depth { LIVE_FULL, LIVE_STATE, LIVE_BARE };
/* Adds the threads that are new, as LIVE_FOUND; drops those that are gone. */
MUST_CHECK bool live_scan(struct live *l, enum live_depth depth, size_t *ret_new,
			  struct err *err);
/* Those of l->born, as LIVE_SEIZED. */
void live_adopt_born(struct live *l);
/* Whatever else of the process is traced by us; true when there was something. */
bool live_adopt_ours(struct live *l);
/* Takes note of the death of threads that are ours, listed or not: an execve waits for it.
 * May be called in a signal handler. */
void live_reap_dead(const struct live *l);

/* live_stop.c */
MUST_CHECK bool live_stop(struct live *l, struct err *err);
void live_release(struct live *l);
/* Sets err to say so, returns false. */
bool live_execed(const struct live *l, struct err *err);

/* live_watchdog.c: while it runs, PTRACE_SEIZE does not wait for ever. */
void live_watchdog_start(struct live *l);
void live_watchdog_end(struct live *l);

#endif
