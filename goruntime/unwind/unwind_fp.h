/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_fp.h - a goroutine's stack by its frame pointers: the second unwinder. It needs no
 * tables, and it skips the callers of functions that have no frame. Private to goruntime. */
#ifndef GOSNAP_UNWIND_FP_H
#define GOSNAP_UNWIND_FP_H

#include "goruntime/runtime/window.h"

/* Bytes from where a frame pointer points to the end of the frame, which is its CFA. */
enum { FRAME_POINTER_TO_CFA = 16 };

struct frame_link {
	uint64_t pc;		/* the return address of that frame */
	uint64_t frame_pointer; /* of its caller; 0: the outermost */
};

/* False: that is no place on the stack that a frame pointer could point to. */
bool frame_pointer_follow(struct window *w, uint64_t frame_pointer,
			  struct frame_link *ret);

#endif
