/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_state.h - what a Go runtime's scheduler says of itself: its queues, its Ps and its
 * Ms, as they were at the instant of the capture. Lives until runtimes_close(). Knows what
 * the runtime has written down, and judges nothing. */
#ifndef GOSNAP_RUNTIME_STATE_H
#define GOSNAP_RUNTIME_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/limit.h"

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
	struct state_number most_machines;		  /* debug.SetMaxThreads() */
	struct state_number stopping, processors_to_stop; /* a stop of the world */
	struct state_number user_disabled, monitor_sleeps, last_poll;
	/* Nanoseconds that the processors have had since the program began, up to the last start of
	 * the world. */
	struct state_number processor_time;
	struct goroutine_queue queue; /* global */
};

struct processor_state {
	const char *unreadable;
	struct state_number id, status, machine; /* machine: its id */
	struct state_number schedtick, syscalltick, preempt, mark_worker, timers;
	/* CLOCK_MONOTONIC. seen: it has not changed from one goroutine to another since then,
	 * as far as the runtime's monitor saw. stopped: itself, for a stop of the world. */
	struct state_number seen, stopped;
	struct state_number
		looked_at; /* when the monitor saw a change; since then it may have changed */
	struct state_number asked; /* the goroutine on it, to let others run */
	struct state_number next;  /* runnext: a goroutine */
	struct goroutine_queue queue;
};

struct machine_state {
	const char *unreadable;
	struct state_number id;
	struct state_number thread; /* index in target_threads() */
	struct state_number processor, next_processor, goroutine, locked_goroutine;
	struct state_number spinning, blocked, in_cgo, locks;
};

enum { GC_PAUSES = 256 }; /* that the runtime keeps, in a ring (runtime/mstats.go) */

struct gc_pause {
	uint64_t ns;	/* how long the world was stopped in one cycle */
	uint64_t ended; /* CLOCK_REALTIME */
};

/* Bytes and nanoseconds. */
struct gc_state {
	const char *unreadable;
	struct state_number phase; /* of gc_phase_name() */
	struct state_number cycles, forced_cycles, forced;
	struct state_number percent; /* int32_t; -1: off */
	struct state_number limit;   /* INT64_MAX: none */
	struct state_number goal;    /* UINT64_MAX: none */
	struct state_number live, marked;
	struct state_number triggered; /* UINT64_MAX: no cycle is going on */
	struct state_number ended;     /* CLOCK_REALTIME; 0: no cycle has ended */
	struct state_number paused;
	/* Of all processor time since the program began, in millionths. Stops of the world are
	 * in it, and how long the runtime waited for them. */
	struct state_number processor_share;
	struct state_number mapped; /* what counts for the limit */
	struct state_number
		limited; /* has it used so much time that it is kept from more? */
	struct state_number budget_used, budget; /* ns until then; since 1.19 */
	/* Of what is out of reach, to be called; those that run included; at least. */
	struct state_number finalizers, cleanups;
	struct gc_pause
		pauses[GC_PAUSES]; /* all that the runtime keeps, the last first */
	size_t pause_count;
	bool has_assists;
	struct goroutine_queue assists;
};

/* How many of the last pauses a document has, and tell what the collector does. */
static inline size_t gc_recent_pauses(const struct gc_state *gc)
{
	return gc->pause_count < LIMIT_PAUSES ? gc->pause_count : LIMIT_PAUSES;
}

/* Bytes, as runtime.MemStats counts them. */
struct memory_state {
	const char *unreadable;
	struct state_number heap_in_use, heap_idle, heap_released, heap_sys;
	struct state_number stacks_in_use, stacks_sys;
	struct state_number spans_in_use, spans_sys, caches_in_use, caches_sys;
	struct state_number profile_sys, gc_sys, other_sys, sys;
};

struct timer_state {
	uint64_t when;	   /* CLOCK_MONOTONIC */
	uint64_t period;   /* ns; 0: once */
	uint64_t function; /* its entry; 0: not known */
	uint64_t argument; /* a pointer */
	uint64_t called;   /* entry of the function that the argument is; 0: it is none */
	struct state_number goroutine; /* that the argument is */
	size_t processor;
};

/* Timers evenly spread over the heaps, if there are many: what kinds there are. Those with the
 * same function, and what it calls, are of one kind. */
struct timer_kind {
	uint64_t function, called; /* as of a timer */
	uint32_t count, periodic;
};
struct timer_sample {
	uint32_t read, stopped; /* stopped: about to be removed */
	struct timer_kind kinds[LIMIT_TIMER_KINDS];
	size_t kind_count; /* further kinds are left out */
};

/* A sync.Pool that keeps something, or did since the last collection. */
struct pool_state {
	uint64_t addr;
	uint64_t creator; /* entry of its New; 0: none, or not known */
	uint64_t objects; /* that it keeps */
	uint64_t victims; /* that it keeps until the next collection */
};

struct runtime_state {
	struct scheduler_state scheduler;
	struct processor_state *processors;
	size_t processor_count;
	const char *processors_unreadable; /* why there are none, or not all */
	struct machine_state *machines;	   /* the newest first */
	size_t machine_count;
	const char *machines_unreadable;
	struct gc_state gc;
	struct memory_state memory;
	struct timer_state timers[LIMIT_TIMERS]; /* the next ones */
	size_t timer_count;
	uint64_t timers_all; /* in the heaps of all Ps */
	bool timers_partial; /* some could not be read */
	struct timer_sample timer_sample;
	struct pool_state pools[LIMIT_POOLS]; /* those with most objects first */
	size_t pool_count;
	bool pools_partial; /* there are more, or some could not be read */
};

/* NULL: the runtime is unusable. */
const struct runtime_state *runtime_state(const struct runtime *rt);
/* "idle", "running", "syscall", "gcstop", "dead"; NULL: unknown number. */
const char *processor_status_name(uint64_t status);
/* "dedicated", "fractional", "idle"; NULL: its goroutine is no mark worker. */
const char *mark_worker_name(uint64_t mode);
/* "off", "mark", "mark termination"; NULL: unknown number. */
const char *gc_phase_name(uint64_t phase);

#endif
