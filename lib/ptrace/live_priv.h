/* SPDX-License-Identifier: Apache-2.0 */
/* live_priv.h - internals of a live process, shared by its readers (target_live.c,
 * target_copy.c) and tracers (live_*.c, tracer*.c). */
#ifndef GOSNAP_LIVE_PRIV_H
#define GOSNAP_LIVE_PRIV_H

#include <signal.h>
#include <sys/ptrace.h>
#include <time.h>

#include "lib/ptrace/target_live.h"
#include "lib/ptrace/watch.h"

enum live_at {
	LIVE_FOUND,  /* listed, untouched */
	LIVE_SEIZED, /* seized, not stopped yet */
	LIVE_STOPPED,
	LIVE_LATE,   /* seized, did not stop in time */
	LIVE_BARRED, /* cannot be traced: a zombie leader, ... */
	LIVE_GONE,
};

struct live_thread {
	struct target_thread info;
	enum live_at at;
	bool interrupted; /* or born seized: will stop without further action */
	int status;	  /* from waitpid, when stopped */
};

struct live {
	pid_t pid;
	int proc_fd; /* /proc/PID: keeps referring to this process if the pid is reused */
	pid_t reader;	     /* a thread with readable memory: not an exited leader */
	uint64_t dead_until; /* monotonic; no thread was alive at the last look */
	int mem_fd; /* /proc/PID/task/TID/mem if process_vm_readv is forbidden, or -1 */
	uint8_t *window;	     /* for mem_fd; NULL: not used yet */
	struct live_thread *threads; /* sorted by tid; kept from the stop to the end */
	size_t thread_count, thread_cap;
	pid_t *born; /* automatically seized new threads that are not listed yet */
	size_t born_count, born_cap;
	bool execed;
	bool disturbed; /* the stop failed: unlisted threads may be seized */
	bool releasing; /* keep the list although its threads go */
	const _Atomic uint64_t *only_until; /* see target_live_only_until() */
	uint64_t patience_ns;		    /* to wait for a thread in state D */
	uint64_t give_up_at;		    /* monotonic; 0: no time limit on a stop */
	/* live_watchdog.c */
	volatile sig_atomic_t seizing;	 /* number of the current PTRACE_SEIZE; 0: none */
	sig_atomic_t seized, waited_for; /* of the latest, and at the last tick */
	bool watched;
	timer_t watchdog;
	struct sigaction action_before;
	sigset_t mask_before;
	uint64_t first_stop, all_stopped, running_stop, running_release,
		last_release; /* monotonic; 0: not yet */
	uint64_t all_stopped_realtime;
	bool clock_known; /* live_set_clock() */
	int64_t clock_ahead;
};

extern const struct target_ops live_ops;

/* live_ptrace.c: every ptrace call goes through here. */
enum {
	SYSCALL_STOP = 0x80, /* PTRACE_O_TRACESYSGOOD */
	LIVE_WAIT_GONE = -1, /* no such thread any more */
	LIVE_WAIT_LATE = -2,
};
long live_ptrace(int request, pid_t tid, uint64_t addr, void *data);
bool live_trace(int request, pid_t tid, uint64_t data);
/* Of each thread of the process that is held. */
enum { LIVE_OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC };
/* The signal of a signal-delivery stop; 0: none. */
int live_signal_of(int status);
bool live_is_event(int status, int event);
/* Checks a tracee for an event. An exit is reaped; a stop is reported with its wait
 * status, and again on every call until the tracee resumes. A stop is not consumed: that
 * would make the kernel forget its signal, which would be lost if we died before
 * delivering it. */
enum live_event { LIVE_NOTHING, LIVE_STOP, LIVE_ENDED };
enum live_event tracee_poll(pid_t tid, int *ret_status);
/* Likewise, but waits, until a signal handler runs. */
enum live_event tracee_wait(pid_t tid, int *ret_status);
/* The next stop of one tracee, or LIVE_WAIT_GONE or LIVE_WAIT_LATE. One that waits for a processor to stop on may
 * take longer, up to LIMIT_STARVED_NS. */
int live_wait_stop(pid_t tid, uint64_t limit_ns);
/* Sleeps *ns, and increases it; start with 0. */
void live_backoff(uint64_t *ns);
/* Runs us before all ordinary threads, while something waits for us. */
void live_set_realtime(bool on);

/* target_live.c: the kernel charges for each call and each page rather than each byte, and stacks of
 * parked goroutines are 2 KB apart. How many of the first spans are close enough to be read at once,
 * from *ret_start to *ret_end; and takes them from what was read. */
enum { LIVE_WINDOW = 64 << 10 };
size_t live_count_near(const struct target_span *spans, size_t n, uint64_t *ret_start,
		       uint64_t *ret_end);
void live_take_near(struct target_span *spans, size_t n, const uint8_t *window,
		    uint64_t start);

/* live_proc.c: /proc parsing. Paths are relative to /proc/PID. */
char *live_slurp(const struct live *l, size_t limit, size_t *ret_len, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));
/* Sorted; free with xfree. NULL: the process is gone, or (rarely) err says why. */
pid_t *live_tasks(const struct live *l, size_t *ret_n, struct err *err);
/* The kernel's thread count; includes a zombie leader. */
size_t live_task_count(const struct live *l);
/* R, S, D, Z, ...; 0: no such thread. */
char live_state(const struct live *l, pid_t tid);
/* Processor time that it has used: target_thread.cpu_ns as it is now. */
uint64_t live_ran_ns(const struct live *l, pid_t tid);
/* False: there is no such thread, or it has exited or begun to exit. */
bool live_is_alive(const struct live *l, pid_t tid);
/* live_stop.c: before a thread that was only interrupted, and stopped with that status, is
 * let go: a call that waits without a limit begins again. Not for threads with a filter. */
void live_begin_again(pid_t tid, int status);
/* The thread's tracer; 0: none. */
pid_t live_tracer(const struct live *l, pid_t tid);
/* Does it stand still whatever we do: stopped by a signal, or frozen with its control group? held: between live_hold()
 * and live_release(). */
bool live_stands_anyway(const struct live *l, bool held);
/* For target_thread.ran_ns: how far CLOCK_MONOTONIC is ahead of the scheduler's clock. */
void live_set_clock(struct live *l);
/* Fills tid, tid_inside, name, state, cpu_ns, filtered; with_wait: also wchan and kernel
 * stack. False: the thread is gone. */
bool live_thread_facts(const struct live *l, pid_t tid, bool with_wait,
		       struct target_thread *ret);
/* sp, pc and system call with which a thread that cannot be stopped entered the
 * kernel. False: these are not known. */
bool live_thread_syscall(const struct live *l, struct target_thread *thread);
MUST_CHECK bool live_mappings(const struct live *l, struct target_mapping **ret,
			      size_t *ret_n, struct err *err);

/* live_list.c */
enum live_depth { LIVE_FULL, LIVE_STATE, LIVE_BARE };
/* Adds new threads as LIVE_FOUND; drops those that are gone. */
MUST_CHECK bool live_scan(struct live *l, enum live_depth depth, size_t *ret_new,
			  struct err *err);
/* Adds the threads of l->born as LIVE_SEIZED. */
void live_adopt_born(struct live *l);
/* Adds all other threads of the process that we trace; true if there were any. */
bool live_adopt_ours(struct live *l);
/* Forgets the list. The threads stay as they are, tracees of ours. */
void live_forget(struct live *l);
/* Reaps our dead tracees, listed or not: an execve waits for that. Async-signal-safe. */
void live_reap_dead(const struct live *l);
/* Which of the threads that keep us waiting will never stop? Those are given up, after so many
 * nanoseconds: whoever may stay in state D for longer is not in it all the time. */
extern const char live_why_leader[];
uint64_t live_late_ns(const struct live *l);
void live_inspect(struct live *l, uint64_t waited);

/* target_live.c: live_stop(), but releases on failure and tells exit from execve. */
MUST_CHECK bool live_hold(struct live *l, struct err *err);

/* live_early.c: stops a process of which this thread is ours already, before anything else is looked at, as
 * others run on meanwhile. Some may need longer, which live_stop() knows to deal with, that is called next. */
void live_stop_early(pid_t pid, pid_t thread);
/* The same of a process that a SIGSTOP has stopped, or is about to. It is continued once its threads are ours, so
 * that it runs on if we die. Returns when they stood still (monotonic). */
uint64_t live_stop_early_stopped(const struct watch_stopped *stopped);
/* Of a thread that was refused. If another catcher keeps it, for a snapshot of something else, it is our turn as soon
 * as that one has its copy, or has read all, whatever the thread has done meanwhile. False, without a change of err:
 * nobody keeps it. */
MUST_CHECK bool live_seize_next(pid_t thread, uint64_t options, struct err *err);

/* live_stop.c */
MUST_CHECK bool live_stop(struct live *l, struct err *err);
void live_release(struct live *l);
/* Sets err to that effect, returns false. */
bool live_execed(const struct live *l, struct err *err);

/* live_watchdog.c: while it runs, no PTRACE_SEIZE can block forever. */
void live_watchdog_start(struct live *l);
/* Sets the first tick in ns nanoseconds (under a second), then one every millisecond.
 * False: there is no watchdog; slept for a short while instead. */
MUST_CHECK bool live_watchdog_tick(struct live *l, uint64_t ns);
void live_watchdog_end(struct live *l);

#endif
