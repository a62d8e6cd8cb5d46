/* SPDX-License-Identifier: Apache-2.0 */
/* live_copy.h - a copy-on-write image of a live process, made by the process itself.
 *
 * A thread T0 of the subject that waits in runtime.futex or runtime.usleep is borrowed for
 * one clone(CLONE_VM|CLONE_FILES): the helper I, which shares the memory and runs nothing.
 * It leaves the table of files by close_range().
 * While all threads are held, I makes one clone(CLONE_FILES|CLONE_PARENT): the copy G, a
 * child of the subject that never runs either. Then the subject goes on; G is read, killed,
 * and a thread of the subject is borrowed again to take note of both deaths by wait4.
 *
 * One rule holds throughout: the caller may die at any instant, and what the kernel then
 * does of itself (detach every tracee; kill I and G by PTRACE_O_EXITKILL) must leave the
 * subject well. So there is no undoing: after a failure the calling process is to exit.
 * Both children have stack pointer 8: should one ever run, it dies before it writes.
 *
 * All calls on one copy are made by one thread, the tracer's. */
#ifndef GOSNAP_LIVE_COPY_H
#define GOSNAP_LIVE_COPY_H

#include "lib/ptrace/target_live.h"

struct live_copy {
	struct target *subject;
	pid_t helper, copy;		 /* 0: not there */
	uint64_t first_stop_ns, copy_ns; /* how long T0 was borrowed; how long G took */
};

/* Makes I and parks it at the door of its clone. Stops nobody but T0, for some 0.2 ms.
 * ERR_CANNOT: not this way (no thread can be borrowed, no room for two more tasks, ...). */
MUST_CHECK bool live_copy_prepare(struct live_copy *c, struct err *err);
/* Makes G: to be called while every thread is held. ERR_CANNOT: the kernel refused. */
MUST_CHECK bool live_copy_make(struct live_copy *c, struct err *err);
/* After the release: I is killed, G is the first that the OOM killer takes. */
void live_copy_settle(struct live_copy *c);
/* Has G been killed by somebody else? Takes note of its death, as an ending container
 * needs. */
bool live_copy_lost(struct live_copy *c);
/* Kills what there is of I and G, and has the subject take note of them and of those that a
 * killed run left. False: zombies stay, harmless; the next run takes them away. */
bool live_copy_end(struct live_copy *c, struct err *err);

#endif
