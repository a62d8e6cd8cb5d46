/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_fp.h - unwinds a goroutine's stack by frame pointers: the second unwinder. It
 * needs no tables, but skips the callers of functions without a frame. Private to
 * goruntime. */
#ifndef GOSNAP_UNWIND_FP_H
#define GOSNAP_UNWIND_FP_H

#include "goruntime/runtime/stack_reader.h"

/* Bytes from where a frame pointer points to the frame's CFA. */
enum { FRAME_POINTER_TO_CFA = 16 };

struct frame_link {
	uint64_t pc;		/* the frame's return address */
	uint64_t frame_pointer; /* the caller's; 0: outermost */
};

/* False: not a place on the stack that a frame pointer can point to. */
bool frame_pointer_follow(struct stack_reader *w, uint64_t frame_pointer,
			  struct frame_link *ret);

#endif
