/* SPDX-License-Identifier: Apache-2.0 */
/* target_live.h - a running process: read it, stop it by ptrace, let it go.
 * Threads are seized, never attached, and no signal is sent. The kernel releases a seized
 * thread when the thread that seized it ends, so whatever happens to us, the subject runs
 * on. Stopping and letting go are one thread's (ptrace's rule): that of the tracer's process,
 * see tracer.h; we read. */
#ifndef GOSNAP_TARGET_LIVE_H
#define GOSNAP_TARGET_LIVE_H

#include "lib/target/target.h"

/* Reads memory and mappings without stopping anything. NULL: ERR_NOT_FOUND (no such
 * process), ERR_PERMISSION or ERR_CANNOT with one sentence that names the remedy (see
 * refusal.h), ERR_SYS. */
struct target *target_live_open(pid_t pid, struct err *err);
/* The same for one that is to be read only: somebody else may be tracing it. */
struct target *target_live_open_to_read(pid_t pid, struct err *err);

/* Stops every thread, until the list no longer grows, and reads their registers; then
 * reads the mappings anew. A thread that does not stop in time (state D) is listed with
 * stopped false and why. A process that is stopped by job control stays so. Once for each
 * target. On failure nothing is held: ERR_GONE (it ended, or began another program),
 * ERR_PERMISSION or ERR_CANNOT (as in open), ERR_LIMIT (threads start faster than they can
 * be stopped). While it runs it uses the signal SIGRTMAX - 1. */
MUST_CHECK bool target_live_stop(struct target *t, struct err *err);

/* Lists the threads as they run, none of them touched: what /proc tells of each, of those
 * that sleep in a system call also sp and pc. */
MUST_CHECK bool target_live_list(struct target *t, struct err *err);

/* Detaches every thread, handing over signals that were on their way. Called by
 * target_close() too. A thread in state D cannot be let go: it stops when it wakes, until
 * the next call or the end of our thread. So call it again, as often as convenient. */
void target_live_release(struct target *t);

struct live_pause {
	uint64_t pause_ns; /* first thread stopped to last thread released */
	uint64_t seize_ns; /* of it, until all of them stood */
	uint64_t copy_ns;  /* of it, from then until the process was read or copied */
	uint64_t felt_ns;  /* of it, what a thread with work to do was held */
	uint64_t first_ns; /* before it, one thread that slept was borrowed; 0: none */
	/* The instant that all stood: CLOCK_REALTIME and CLOCK_MONOTONIC. */
	uint64_t realtime_ns, monotonic_ns;
};
/* So far; final after release. */
struct live_pause target_live_pause(const struct target *t);

/* For tracer.c, which holds the process for us. Reads the mappings anew. */
MUST_CHECK bool target_live_refresh(struct target *t, struct err *err);
/* From here on reads that end at *until (monotonic) or later fail: what they bring is not
 * of the hold. NULL: no longer so. */
void target_live_only_until(struct target *t, const _Atomic uint64_t *until);

/* Has the process ended (or become a zombie)? */
bool target_live_gone(const struct target *t);

#endif
