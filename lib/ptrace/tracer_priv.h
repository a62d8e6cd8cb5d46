/* SPDX-License-Identifier: Apache-2.0 */
/* tracer_priv.h - the protocol between us (tracer.c) and the tracer process
 * (tracer_child.c). */
#ifndef GOSNAP_TRACER_PRIV_H
#define GOSNAP_TRACER_PRIV_H

#include "lib/ptrace/live_copy.h"
#include "lib/ptrace/live_priv.h"
#include "lib/ptrace/tracer.h"
#include "lib/ptrace/watch.h"

/* Each is answered with one byte, TRACER_DONE or TRACER_LATE, or by exiting, which is how
 * every error ends, with shared->err. A service that cannot copy answers TRACER_LATE, with the same. */
enum tracer_command {
	TRACER_HOLD = 'h',
	TRACER_RELEASE = 'r',
	TRACER_COPY = 'c',
	TRACER_REAP = 'z',
	TRACER_END = 'e', /* not answered */
};
enum tracer_answer { TRACER_DONE = '.', TRACER_LATE = '!' };

enum { TRACER_READERS = 32 };

struct tracer_thread {
	struct target_thread info; /* without kernel_stack */
	size_t stack; /* its kernel stack: place in the text, and 1; 0: none */
};

/* How much of what follows the threads there is. Each side has its own: the other may be in the
 * sandbox, where it was taken over. */
struct tracer_room {
	size_t threads, text;
};

/* The tracer writes it, and believes nothing that it reads from it. */
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
	size_t thread_count;
	struct tracer_thread threads[]; /* then the text */
};

static inline size_t tracer_shared_size(const struct tracer_room *room)
{
	return sizeof(struct tracer_shared) +
	       room->threads * sizeof(struct tracer_thread) + room->text;
}

static inline char *tracer_text(struct tracer_shared *shared,
				const struct tracer_room *room)
{
	return (char *)&shared->threads[room->threads];
}

/* For a process in the sandbox, which gets the socket and the memory. tracer_end() then waits until the
 * tracer has finished: that process, or its end, has told it to. */
struct tracer *tracer_start_for_another(struct target *live,
					const struct tracer_options *options,
					struct err *err);
pid_t tracer_pid(const struct tracer *t); /* 0: has exited */
struct tracer_exit {
	int status; /* as from waitpid() */
	bool starved;
};
/* now: it is killed. False: it runs on. */
bool tracer_has_exited(struct tracer *t, bool now, struct tracer_exit *ret);
int tracer_take_socket(struct tracer *t); /* the caller's then */
int tracer_memory(const struct tracer *t, struct tracer_room *ret_room); /* borrowed */

/* A stop of the subject by a process that traces it anyway: its end has the other descriptor. */
struct tracer_service {
	struct tracer_shared *shared;
	struct tracer_room room;
	int fd; /* for struct tracer */
	pid_t tracer;
	bool copies;
};

/* watch_copy.c: has a process copied of which all threads are ours already. */
struct watch_copy {
	struct watch_copying how;
	uint64_t stopped_at; /* monotonic: since when all stand still */
	struct live_copy live_copy;
	struct live_pause pause;
	bool stands;	      /* it failed, and all threads stand still as before */
	uint64_t released_at; /* monotonic; 0: not yet */
	uint64_t over_at, look_at_memory;
};
bool watch_copy_is_permitted(const struct watch_copy *c);
/* Tells it in the service's memory. */
MUST_CHECK bool watch_copy_make(struct watch_copy *c, pid_t pid,
				const struct tracer_service *service, struct err *err);
/* Ends it if it is too old, say. */
void watch_copy_look(struct watch_copy *c, const struct tracer_service *service);
/* Until when whoever reads may take, monotonic; limit: if the process still stands for it. */
uint64_t watch_copy_limit(const struct watch_copy *c, uint64_t limit);
/* It has been read, if there is one. */
void watch_copy_end(struct watch_copy *c);

/* For the threads that live has, and more. NULL: err. */
struct tracer_shared *tracer_share(const struct live *live, struct tracer_room *ret_room,
				   struct err *err);
/* Puts the threads of live there. */
void tracer_publish(struct tracer_shared *shared, const struct tracer_room *room,
		    const struct live *live);

/* Runs the child until it exits; commands come from fd. */
void tracer_child(struct target *live, const struct tracer_options *options,
		  struct tracer_shared *shared, const struct tracer_room *room, int fd)
	__attribute__((noreturn));

#endif
