/* SPDX-License-Identifier: Apache-2.0 */
/* target_live.h - a running process as a target: read it, stop it with ptrace,
 * release it. The main header of lib/ptrace, the only room that attaches to a
 * process.
 * Threads are seized, never attached, and no signal is sent. The kernel releases a
 * seized thread when the thread that seized it exits, so the subject runs on whatever
 * happens to us. Only one thread may stop and release (ptrace's rule): that of the
 * tracer process, see tracer.h. We only read. Knows nothing of Go. */
#ifndef GOSNAP_TARGET_LIVE_H
#define GOSNAP_TARGET_LIVE_H

#include "lib/target/target.h"

/* Reads memory and mappings without stopping anything. NULL: ERR_NOT_FOUND (no such
 * process), ERR_PERMISSION or ERR_CANNOT with a sentence that includes the remedy (see
 * refusal.h), ERR_SYS. */
struct target *target_live_open(pid_t pid, struct err *err);
/* Likewise, for reading only: the process may have another tracer. */
struct target *target_live_open_to_read(pid_t pid, struct err *err);

/* Stops all threads, until no new ones appear, reads their registers, and rereads the
 * mappings. A thread that does not stop in time (state D) is listed with stopped false
 * and the reason, and perhaps blocked. A process stopped by job control stays stopped.
 * Call it once per target. On failure nothing stays stopped: ERR_GONE (it exited, or
 * called execve), ERR_PERMISSION or ERR_CANNOT (as for open), ERR_LIMIT (threads start
 * faster than they can be stopped). Uses the signal SIGRTMAX - 1 meanwhile. */
MUST_CHECK bool target_live_stop(struct target *t, struct err *err);

/* Lists the threads as they run, without touching them: what /proc says about each, with
 * sp and pc for those that sleep in a system call. */
MUST_CHECK bool target_live_list(struct target *t, struct err *err);
/* Forgets that list. Before a stop, which lists them anew. */
void target_live_unlist(struct target *t);

/* Detaches every thread, delivering intercepted signals. Also called by target_close(). A
 * thread in state D cannot be released: when it wakes it stops, until the next call or
 * the end of our thread. So call it repeatedly, whenever convenient. */
void target_live_release(struct target *t);

struct live_pause {
	uint64_t pause_ns;    /* from the first thread stopped to the last one released */
	uint64_t stopping_ns; /* of it, until all were stopped */
	uint64_t copying_ns;  /* of it, from then until the process was read or copied */
	uint64_t busy_thread_ns; /* of it, stop time of threads that had work to do */
	uint64_t
		borrowed_ns; /* before it, time a sleeping thread was borrowed; 0: none */
	/* The instant when all were stopped: CLOCK_REALTIME and CLOCK_MONOTONIC. */
	uint64_t realtime_ns, monotonic_ns;
};
/* So far; final after release. */
struct live_pause target_live_pause(const struct target *t);

/* For tracer.c, which stops the process for us. Rereads the mappings. */
MUST_CHECK bool target_live_refresh(struct target *t, struct err *err);
/* From now on, reads that finish at *until (monotonic) or later fail: their data may not
 * be from the stop. NULL: no such limit. */
void target_live_only_until(struct target *t, const _Atomic uint64_t *until);

/* For the sandbox: opens what is needed to read it in there, and tells which descriptors are to be kept
 * open; returns how many. */
enum { TARGET_LIVE_DESCRIPTORS = 2 };
size_t target_live_for_sandbox(struct target *t, int ret[static TARGET_LIVE_DESCRIPTORS]);
/* Is it a thread of the process? */
bool target_live_has_thread(const struct target *t, pid_t tid);

/* Has each thread of the process exited, or begun to exit? */
bool target_live_gone(const struct target *t);

#endif
