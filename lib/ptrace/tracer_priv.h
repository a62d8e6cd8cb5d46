/* SPDX-License-Identifier: Apache-2.0 */
/* tracer_priv.h - between us (tracer.c) and the process that traces (tracer_child.c). */
#ifndef GOSNAP_TRACER_PRIV_H
#define GOSNAP_TRACER_PRIV_H

#include "lib/ptrace/live_copy.h"
#include "lib/ptrace/live_priv.h"
#include "lib/ptrace/tracer.h"

/* Each is answered by one byte, TRACER_DONE or TRACER_LATE; or by the end of the process,
 * which is how every failure ends, with shared->err. */
enum tracer_command {
	TRACER_HOLD = 'h',
	TRACER_RELEASE = 'r',
	TRACER_COPY = 'c',
	TRACER_REAP = 'z',
	TRACER_END = 'e', /* without an answer */
};
enum tracer_answer { TRACER_DONE = '.', TRACER_LATE = '!' };

enum { TRACER_READERS = 32 };

/* Mapped before the fork, so that its addresses mean the same on both sides. */
struct tracer_shared {
	/* Monotonic. What was read by then was read while everything stood still. */
	_Atomic uint64_t hold_over;
	_Atomic uint64_t watchdog_at;	 /* when it bites; 0: it sleeps */
	_Atomic uint64_t stopping_since; /* monotonic; 0: nothing was stopped yet */
	_Atomic bool copy_over;
	/* Those who read what is held; no more than TRACER_READERS are looked at. */
	_Atomic size_t reader_count;
	_Atomic pid_t readers[TRACER_READERS];
	char copy_ended[128]; /* why; before copy_over is set */
	struct live_pause pause;
	struct err err;
	pid_t copy;
	size_t thread_count, thread_room;
	size_t text_used, text_room;
	char *text; /* kernel stacks; behind the threads */
	struct target_thread threads[];
};

/* The child's whole life; commands come from fd. */
void tracer_child(struct target *live, const struct tracer_options *options,
		  struct tracer_shared *shared, int fd) __attribute__((noreturn));

#endif
