/* SPDX-License-Identifier: Apache-2.0 */
/* tracer.h - the process that traces. A child of ours that does nothing but hold the
 * subject, have it copied and let it go; reading and writing are ours. Whatever ends it, the
 * kernel releases every thread and kills the copy. When we end, it lets go, has the copy
 * reaped and ends, too. A timer of the kernel's kills it when a hold lasts longer than
 * promised, whatever it or we are doing then, stopped by SIGSTOP included. Without a promise
 * the timer kills it when it stands still itself, and it lets go when we do.
 * After a failure there is no tracer any more: start another. ERR_LIMIT: the promised time
 * was over, or somebody killed it. */
#ifndef GOSNAP_TRACER_H
#define GOSNAP_TRACER_H

#include "lib/ptrace/target_live.h"

struct tracer;

struct tracer_options {
	uint64_t max_hold_ns; /* the promise; 0: none, but LIMIT_HOLD_NS */
	uint64_t estimate_ns; /* how long a hold should be */
	uint64_t max_copy_ns; /* how long a copy may live */
};

/* live is the subject, opened; it stays the caller's. It must not be traced by the caller. */
struct tracer *tracer_start(struct target *live, const struct tracer_options *options,
			    struct err *err);
/* Releases what is held, ends the copy, takes its zombies away. NULL is fine. */
void tracer_end(struct tracer *t);
DEFINE_AUTO(struct tracer, tracer_end)

/* Holds every thread: then live has the threads with their registers, and mappings read
 * anew. Reads of live fail from the moment when the hold is over, for whatever reason. */
MUST_CHECK bool tracer_hold(struct tracer *t, struct err *err);
/* Ends the hold. False: it was over before, so what was read may not be all. */
bool tracer_release(struct tracer *t);

/* Holds every thread, has the process copied, and lets it go: *ret is the copy. live has the
 * threads as above. ERR_CANNOT: not possible this way, the process is unharmed. */
MUST_CHECK bool tracer_copy(struct tracer *t, pid_t *ret, struct err *err);
/* In a fork of ours, which is to read and no more: the tracer is to see when we end. */
void tracer_forked(struct tracer *t);
/* Why the copy is no more; NULL: it is there. */
const char *tracer_copy_ended(struct tracer *t);
/* Begins what tracer_end() waits for: nothing is wanted any more. */
void tracer_finish(struct tracer *t);
/* Waits for it. False: it did not come to take away what is left of a copy. */
MUST_CHECK bool tracer_settle(struct tracer *t);
/* Has the process take note of what a killed run left of its copies: see
 * conditions_leftovers(). A thread of it is borrowed for some 0.2 ms. */
MUST_CHECK bool tracer_reap(struct tracer *t, struct err *err);

/* Of the last hold, after its end. */
struct live_pause tracer_pause(const struct tracer *t);

#endif
