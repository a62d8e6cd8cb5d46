/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - a stack as unwound: one frame for each pc, inlined calls not expanded. */
#ifndef GOSNAP_STACK_H
#define GOSNAP_STACK_H

#include <stddef.h>
#include <stdint.h>

enum stack_state {
	STACK_NONE, /* no stack: a dead goroutine, or a thread on its goroutine's stack */
	STACK_COMPLETE,
	STACK_TRUNCATED,
	STACK_LOST,
};

enum raw_frame_flags {
	FRAME_AT_INSTRUCTION = 1, /* pc is about to run; it is not a return address */
	FRAME_SYSTEM_STACK = 2,	  /* of a goroutine, on its thread's own stack: C calls */
	FRAME_SIGNAL = 4,     /* a signal trampoline: the next frame was interrupted */
	FRAME_BY_POINTER = 8, /* found by frame pointer: the frame before has no table */
	FRAME_SYSCALL = 16,   /* called after the runtime was told of a system call */
};

enum { NO_ARGP = UINT32_MAX };

struct raw_frame {
	uint64_t pc;
	uint32_t flags;
	/* Offset of the arguments from the goroutine's sp, in bytes. On amd64 that
	 * address is the CFA: the frame's own words are below it, what the caller pushed
	 * starts there. NO_ARGP: not on the goroutine's stack, or frame size not
	 * known. */
	uint32_t argp;
};

struct stack {
	const struct raw_frame *frames; /* innermost first */
	uint32_t count;
};

#endif
