/* SPDX-License-Identifier: Apache-2.0 */
/* tracer_priv.h - the protocol between us (tracer.c) and the tracer process
 * (tracer_child.c). */
#ifndef GOSNAP_TRACER_PRIV_H
#define GOSNAP_TRACER_PRIV_H

#include "lib/ptrace/live_copy.h"
#include "lib/ptrace/live_priv.h"
#include "lib/ptrace/tracer.h"

/* Each is answered with one byte, TRACER_DONE or TRACER_LATE, or by exiting, which is how
 * every error ends, with shared->err. */
enum tracer_command {
	TRACER_HOLD = 'h',
	TRACER_RELEASE = 'r',
	TRACER_COPY = 'c',
	TRACER_REAP = 'z',
	TRACER_END = 'e', /* not answered */
};
enum tracer_answer { TRACER_DONE = '.', TRACER_LATE = '!' };

enum { TRACER_READERS = 32 };

/* Mapped before the fork, so that addresses are the same on both sides. */
struct tracer_shared {
	/* Monotonic. What was read before was read while everything was stopped. */
	_Atomic uint64_t hold_over;
	_Atomic uint64_t watchdog_at;	 /* when it kills; 0: inactive */
	_Atomic uint64_t stopping_since; /* monotonic; 0: nothing stopped yet */
	_Atomic bool copy_over;
	/* Processes that read the stopped subject; at most TRACER_READERS are watched. */
	_Atomic size_t reader_count;
	_Atomic pid_t readers[TRACER_READERS];
	char copy_ended[128]; /* why; set before copy_over */
	struct live_pause pause;
	struct err err;
	pid_t copy;
	size_t thread_count, thread_room;
	size_t text_used, text_room;
	char *text; /* kernel stacks; stored after the threads */
	struct target_thread threads[];
};

/* A stop of the subject by a process that traces it anyway: its end has the other descriptor. */
struct tracer_service {
	struct tracer_shared *shared;
	size_t shared_size;
	int fd; /* for struct tracer; -1: taken */
};

/* For the threads that live has, and more. NULL: err. */
struct tracer_shared *tracer_share(const struct live *live, size_t *ret_size,
				   struct err *err);
/* Puts the threads of live there. */
void tracer_publish(struct tracer_shared *shared, const struct live *live);

/* Runs the child until it exits; commands come from fd. */
void tracer_child(struct target *live, const struct tracer_options *options,
		  struct tracer_shared *shared, int fd) __attribute__((noreturn));

#endif
