/* SPDX-License-Identifier: Apache-2.0 */
/* live_priv.h - a live process, for those who read it (target_live.c, target_copy.c) and for
 * those who trace it (live_*.c, tracer*.c); nobody else's. */
#ifndef GOSNAP_LIVE_PRIV_H
#define GOSNAP_LIVE_PRIV_H

#include <signal.h>
#include <time.h>

#include "lib/ptrace/target_live.h"

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
	bool interrupted; /* or born seized: its stop is on its way */
	int status;	  /* of waitpid, when stopped */
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
	bool releasing; /* the list stays as it is, though its threads go */
	const _Atomic uint64_t *only_until; /* see target_live_only_until() */
	uint64_t patience_ns;		    /* with a thread in state D */
	uint64_t give_up_at; /* monotonic; 0: a stop takes as long as it takes */
	/* live_watchdog.c */
	volatile sig_atomic_t seizing; /* the number of the PTRACE_SEIZE; 0: in none */
	sig_atomic_t seized,
		waited_for; /* numbers of the last one, and at the last tick */
	bool watched;
	timer_t watchdog;
	struct sigaction action_before;
	sigset_t mask_before;
	uint64_t first_stop, all_stopped, running_stop, running_release,
		last_release; /* monotonic; 0: not yet */
	uint64_t all_stopped_realtime;
};

extern const struct target_ops live_ops;

/* live_ptrace.c: the road of every ptrace call. */
enum {
	SYSCALL_STOP = 0x80, /* PTRACE_O_TRACESYSGOOD */
	LIVE_WAIT_GONE = -1, /* there is no such thread any more */
	LIVE_WAIT_LATE = -2,
};
long live_ptrace(int request, pid_t tid, uint64_t addr, void *data);
bool live_trace(int request, pid_t tid, uint64_t data);
/* The signal that a thread was stopped on its way to receive; 0: none. */
int live_signal_of(int status);
bool live_is_event(int status, int event);
/* Looks at what a tracee has to tell: its end, of which it takes note; or a stop, as waitpid
 * would tell it, which goes on being told until the tracee runs again. A stop is not taken
 * note of: the kernel would forget the signal that it is about, and should we die before we
 * hand that over, it would be lost. */
enum live_event { LIVE_NOTHING, LIVE_STOP, LIVE_ENDED };
enum live_event live_look(pid_t tid, int *ret_status);
/* The same, but waits for it, until a signal handler has run. */
enum live_event live_await(pid_t tid, int *ret_status);
/* The next stop of one tracee, or one of the two above. */
int live_wait_stop(pid_t tid, uint64_t limit_ns);
/* Waits *ns, which begins with 0 and grows. */
void live_nap(uint64_t *ns);
/* Before all ordinary threads, while somebody waits for us. */
void live_hurry(bool on);

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
/* Fills tid, tid_inside, name, state, cpu_ns, filtered; with_wait: wchan and kernel stack too.
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

/* target_live.c: live_stop() that lets go when it fails, and knows an end from an execve. */
MUST_CHECK bool live_hold(struct live *l, struct err *err);

/* live_stop.c */
MUST_CHECK bool live_stop(struct live *l, struct err *err);
void live_release(struct live *l);
/* Sets err to say so, returns false. */
bool live_execed(const struct live *l, struct err *err);

/* live_watchdog.c: while it runs, PTRACE_SEIZE does not wait for ever. */
void live_watchdog_start(struct live *l);
/* It ticks in so many nanoseconds, of less than a second, and then every millisecond. False:
 * there is no watchdog; a short while has gone by. */
MUST_CHECK bool live_watchdog_tick(struct live *l, uint64_t ns);
void live_watchdog_end(struct live *l);

#endif
