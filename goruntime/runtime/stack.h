/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - a stack as it was unwound: a frame for each pc, inlined calls not expanded. */
#ifndef GOSNAP_STACK_H
#define GOSNAP_STACK_H

#include <stddef.h>
#include <stdint.h>

enum stack_state {
	STACK_NONE, /* there is none: a dead goroutine, a thread on its goroutine's stack */
	STACK_COMPLETE,
	STACK_TRUNCATED,
	STACK_LOST,
};

/* Distinct stacks, each kept once: the same pcs, and frames of the same sizes. */
enum raw_frame_flags {
	FRAME_EXACT = 1,	/* pc is about to run, not a return address */
	FRAME_SYSTEM_STACK = 2, /* a goroutine's, on its thread's own stack: C calls */
	FRAME_SIGNAL = 4,	/* a signal trampoline: the next frame was interrupted */
	FRAME_BY_POINTER = 8, /* found by frame pointer: the one before it has no table */
	FRAME_SYSCALL = 16,   /* called since the runtime was told of a system call */
};

enum { NO_ARGP = UINT32_MAX };

struct raw_frame {
	uint64_t pc;
	uint32_t flags;
	/* Where its arguments are, in bytes from the goroutine's sp (on amd64 that is the
	 * CFA: its own words are below, what the caller pushed begins here). NO_ARGP: not on
	 * the goroutine's stack, or of no known size. */
	uint32_t argp;
};

struct stack {
	const struct raw_frame *frames; /* innermost first */
	uint32_t count;
};

#endif
