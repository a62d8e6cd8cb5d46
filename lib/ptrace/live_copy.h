/* SPDX-License-Identifier: Apache-2.0 */
/* live_copy.h - a copy-on-write image of a live process, made by the process itself.
 *
 * A thread T0 of the subject that waits in runtime.futex or runtime.usleep is borrowed
 * for one clone(CLONE_VM|CLONE_FILES). This creates the helper I, which shares the memory
 * and executes no code of its own. It leaves the file table by close_range().
 *
 * While all threads are stopped, I makes one clone(CLONE_FILES|CLONE_PARENT). This
 * creates the copy G, a child of the subject that never runs either. Then the subject
 * resumes; G is read and killed, and a thread of the subject is borrowed again to reap
 * both with wait4.
 *
 * One rule holds throughout: the caller may die at any instant, and what the kernel then
 * does (detach every tracee; kill I and G by PTRACE_O_EXITKILL) must leave the subject
 * intact. So nothing is ever rolled back: after an error the calling process must exit.
 * Both children have stack pointer 8: should one ever run, it crashes before it can
 * write.
 *
 * All calls for one copy must come from one thread, the tracer's. */
#ifndef GOSNAP_LIVE_COPY_H
#define GOSNAP_LIVE_COPY_H

#include "lib/ptrace/target_live.h"

struct live_copy {
	struct target *subject;
	pid_t helper, copy;		 /* 0: does not exist */
	uint64_t first_stop_ns, copy_ns; /* T0 was borrowed; creating G took */
	bool broken; /* after an error: T0 is as only our exit may leave it */
};

/* Creates I and leaves it about to enter its clone. Stops only T0, for some 0.2 ms, and
 * before it, on a busy machine, threads that might be it.
 * ERR_CANNOT: not possible this way (no thread to borrow, no room for two more tasks,
 * ...). */
MUST_CHECK bool live_copy_prepare(struct live_copy *c, struct err *err);
/* Creates G; call it while all threads are stopped. ERR_CANNOT: the kernel refused. */
MUST_CHECK bool live_copy_make(struct live_copy *c, struct err *err);
/* After the release: kills I, and makes G the OOM killer's first choice. */
void live_copy_settle(struct live_copy *c);
/* Why G is to end, or was killed by someone else; it is reaped then, which an exiting container needs. NULL: it
 * stays. over_at: monotonic. *look_at is for the next look at what memory there is; start with 0. */
const char *live_copy_over(struct live_copy *c, uint64_t over_at, uint64_t *look_at);
/* Kills I and G if they exist, and has the subject reap them and what a killed run left
 * behind. False: harmless zombies remain, which the next run removes. */
bool live_copy_end(struct live_copy *c, struct err *err);

#endif
