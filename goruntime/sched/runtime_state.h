/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_state.h - what a Go runtime's scheduler says of itself: its queues, its Ps and its
 * Ms, as they were at the instant of the capture. Lives until runtimes_close(). Knows what
 * the runtime has written down, and judges nothing. */
#ifndef GOSNAP_RUNTIME_STATE_H
#define GOSNAP_RUNTIME_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runtime;

/* Unknown: this release does not have it, or it could not be read. */
struct state_number {
	uint64_t value;
	bool known;
};

/* Goroutines by id, in their order: at most LIMIT_QUEUE of them. */
struct goroutine_queue {
	uint64_t *ids;
	size_t count;
	uint64_t length;	/* how many the runtime counts */
	const char *unreadable; /* why it ends early; NULL: it does not */
};

struct scheduler_state {
	const char *unreadable; /* NULL: the rest is known */
	struct state_number gomaxprocs, idle_processors, machines, idle_machines,
		locked_idle_machines, spinning_machines;
	struct state_number stopping, processors_to_stop; /* a stop of the world */
	struct state_number user_disabled, monitor_sleeps, last_poll;
	struct goroutine_queue queue; /* global */
};

struct processor_state {
	const char *unreadable;
	struct state_number id, status, machine; /* machine: its id */
	struct state_number schedtick, syscalltick, preempt, mark_worker, timers;
	struct state_number next; /* runnext: a goroutine */
	struct goroutine_queue queue;
};

struct machine_state {
	const char *unreadable;
	struct state_number id;
	struct state_number thread; /* index in target_threads() */
	struct state_number processor, next_processor, goroutine, locked_goroutine;
	struct state_number spinning, blocked, in_cgo, locks;
};

struct runtime_state {
	struct scheduler_state scheduler;
	struct processor_state *processors;
	size_t processor_count;
	const char *processors_unreadable; /* why there are none, or not all */
	struct machine_state *machines;	   /* the newest first */
	size_t machine_count;
	const char *machines_unreadable;
};

/* NULL: the runtime is unusable. */
const struct runtime_state *runtime_state(const struct runtime *rt);
/* "idle", "running", "syscall", "gcstop", "dead"; NULL: unknown number. */
const char *processor_status_name(uint64_t status);
/* "dedicated", "fractional", "idle"; NULL: its goroutine is no mark worker. */
const char *mark_worker_name(uint64_t mode);

#endif
