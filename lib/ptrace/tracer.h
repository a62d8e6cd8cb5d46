/* SPDX-License-Identifier: Apache-2.0 */
/* tracer.h - the tracer process: a child of ours that only stops the subject, has it
 * copied, and releases it. We do the reading and writing. However it ends, the kernel
 * releases every thread and kills the copy. When we exit, it releases the subject, has
 * the copy reaped, and exits too. A kernel timer kills it when a stop exceeds the
 * promised limit, whatever it or we are doing then, even if stopped by SIGSTOP. Without a
 * limit, the timer kills it when it makes no progress itself, and it releases the subject
 * when we make none. After an error the tracer is gone: start another. ERR_LIMIT: the
 * promised time was exceeded, or someone killed it. */
#ifndef GOSNAP_TRACER_H
#define GOSNAP_TRACER_H

#include "lib/ptrace/target_live.h"

struct tracer;
struct tracer_service;

struct tracer_options {
	uint64_t max_hold_ns; /* the promised limit; 0: none, but LIMIT_HOLD_NS */
	uint64_t estimate_ns; /* expected length of a stop */
	uint64_t max_copy_ns; /* maximum age of a copy */
	int keep; /* in the sandbox: a descriptor that the tracer is to keep open; -1: none */
	bool once; /* it stops the process for one purpose only */
	/* An earlier one was starved: this one may go longer without a processor. In the sandbox, the parent knows. */
	bool patient;
};

/* live is the opened subject; it stays the caller's, who must not trace it. */
struct tracer *tracer_start(struct target *live, const struct tracer_options *options,
			    struct err *err);
/* In the sandbox, the parent starts it, with tracer_host.h. */

/* Releases the subject, ends the copy and removes its zombies. NULL is allowed. */
void tracer_end(struct tracer *t);
DEFINE_AUTO(struct tracer, tracer_end)
/* Instead of a tracer of our own: a process that traces the subject already, and stops it for us,
 * see watch.h. After an error that is ERR_CANNOT it may be joined again. */
struct tracer *tracer_join(struct target *live, const struct tracer_service *service);
/* What is to stay open in the sandbox, for tracer_join() in there. */
int tracer_service_descriptor(const struct tracer_service *service);
/* Or it copies, too. */
bool tracer_service_copies(const struct tracer_service *service);
/* It has done so, and let the process go. */
bool tracer_service_has_copied(const struct tracer_service *service);

/* Stops every thread: live then has the threads with registers, and current mappings.
 * Once the stop ends, for whatever reason, reads of live fail. */
MUST_CHECK bool tracer_hold(struct tracer *t, struct err *err);
/* Ends the stop. False: it ended earlier, so what was read may be incomplete. */
bool tracer_release(struct tracer *t);

/* Stops every thread, has the process copied, and releases it: *ret is the copy. live has
 * the threads as above. ERR_CANNOT: not possible this way; the process is unharmed. */
MUST_CHECK bool tracer_copy(struct tracer *t, pid_t *ret, struct err *err);
/* To be called in a fork of ours that only reads, so that the tracer sees when it
 * ends. */
void tracer_forked(struct tracer *t);
/* Why the copy is gone; NULL: it exists. */
const char *tracer_copy_ended(struct tracer *t);
/* After ERR_LIMIT: was it ended because it had no processor for long? Another may do better. */
bool tracer_was_starved(const struct tracer *t);
/* Starts what tracer_end() waits for: nothing more is needed. */
void tracer_finish(struct tracer *t);
/* Waits for that. False: it did not get to remove what remains of a copy. */
MUST_CHECK bool tracer_settle(struct tracer *t);
/* Has the process reap what a killed run left of its copies: see conditions_leftovers().
 * Borrows one of its threads for some 0.2 ms. */
MUST_CHECK bool tracer_reap(struct tracer *t, struct err *err);

/* For the last stop, once it has ended. */
struct live_pause tracer_pause(const struct tracer *t);

#endif
