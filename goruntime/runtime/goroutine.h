/* SPDX-License-Identifier: Apache-2.0 */
/* goroutine.h - the record kept for each goroutine, and how to find it. Records live
 * until runtimes_close(); they are final after runtimes_decode(). */
#ifndef GOSNAP_GOROUTINE_H
#define GOSNAP_GOROUTINE_H

#include <stdbool.h>
#include "goruntime/runtime/stack.h"

struct runtime;

enum { NO_STACK = UINT32_MAX };

/* The runtime's numbers without the scan bit: runtime/runtime2.go. */
enum goroutine_status {
	GOROUTINE_IDLE,
	GOROUTINE_RUNNABLE,
	GOROUTINE_RUNNING,
	GOROUTINE_SYSCALL,
	GOROUTINE_WAITING,
	GOROUTINE_DEAD = 6,
	GOROUTINE_COPYSTACK = 8,
	GOROUTINE_PREEMPTED,
	GOROUTINE_LEAKED,
	GOROUTINE_DEAD_EXTRA,
};

/* The frame pointer at pc and sp, as goroutine_frame_pointer() returns it. */
enum {
	FRAME_POINTER_UNKNOWN,
	FRAME_POINTER_NEAR, /* words from FRAME_POINTER_BELOW bytes below sp */
	FRAME_POINTER_ZERO,
	FRAME_POINTER_OUTSIDE, /* a value that is not a valid place on the stack */
};

/* At most 128 bytes, without strings or allocations: there can be millions. */
struct goroutine {
	uint64_t addr, id;
	uint64_t pc, sp; /* where unwinding starts */
	uint64_t stack_low, stack_high;
	uint64_t created_pc, start_pc, parent; /* 0: not known */
	uint64_t waiting_since;		       /* CLOCK_MONOTONIC, 0: not known */
	uint64_t runnable_since; /* likewise; the runtime notes it of one in eight */
	uint64_t machine, locked_machine; /* addresses of Ms; 0: none */
	uint32_t stack;			  /* for runtimes_stack(); or NO_STACK */
	uint16_t reason;	      /* for runtimes_reason() when truncated or lost */
	uint16_t frame_pointer_words; /* of FRAME_POINTER_NEAR */
	int32_t thread : 24;	      /* index in target_threads(); -1: on none */
	uint32_t run_count : 8;	      /* see stays.h */
	uint8_t status, wait_reason;
	uint8_t state : 4 /* enum stack_state */, frame_pointer : 2;
	bool system : 1;
	bool at_instruction : 1; /* pc is an instruction about to run */
	bool syscall : 1;	 /* pc and sp come from syscallpc, syscallsp */
	bool unwound : 1;
	bool bad_context : 1; /* there is no pc to start from; reason says why */
	bool same_id : 1;     /* another goroutine that is not dead has the same id */
	bool changed : 1;     /* or may have changed: the process ran while it was read */
	bool stack_moves : 1; /* perhaps: pointers to its variables may lead to the old one */
};

/* In document order: user goroutines by id, then system goroutines by id. */
const struct goroutine *runtime_goroutine(const struct runtime *rt, size_t i);
const char *runtime_status_name(unsigned status); /* NULL: unknown number */

/* Is waiting_since perhaps older than the wait? A coroutine switch (iter.Pull, 1.23 on) resumes
 * a goroutine without resetting it, as the scheduler does (runtime/coro.go coroswitch_m). */
bool runtime_has_coroutines(const struct runtime *rt);

/* Where the goroutine stack ends that addr is in; 0: it is in none. */
uint64_t runtime_stack_end(struct runtime *rt, uint64_t addr);

/* Unless it is dead or idle. */
static inline bool goroutine_has_stack(const struct goroutine *g)
{
	return g->status != GOROUTINE_DEAD && g->status != GOROUTINE_DEAD_EXTRA &&
	       g->status != GOROUTINE_IDLE;
}

/* The address of the arguments of one of g's frames; 0: not known. */
static inline uint64_t goroutine_argp(const struct goroutine *g,
				      const struct raw_frame *frame)
{
	return frame->argp == NO_ARGP ? 0 : g->sp + frame->argp;
}

#endif
