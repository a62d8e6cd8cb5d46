/* SPDX-License-Identifier: Apache-2.0 */
/* defers.h - what defers.c (records of deferred calls) and open_defers.c (those that a
 * function keeps in its own frame) share. Private to goruntime. */
#ifndef GOSNAP_DEFERS_H
#define GOSNAP_DEFERS_H

#include "goruntime/runtime/runtime_priv.h"

/* A frame of a stack as the go compiler laid it out. All but frame are bytes, from the
 * goroutine's sp on. */
struct physical_frame {
	const struct code *code;
	uint64_t sp;   /* what the runtime calls the frame's sp */
	uint64_t varp; /* where its variables end */
	int32_t frame; /* of those that were unwound */
};

/* Calls fn for each frame that lies on the goroutine's own stack, innermost first; false
 * from fn ends it. */
typedef bool physical_frame_fn(void *arg, const struct physical_frame *frame);
void physical_frames_each(struct runtime *rt, struct stack stack, physical_frame_fn *fn,
			  void *arg);

/* Open-coded deferred calls: up to 8 in a frame, a bit and a slot for each. */
enum { OPEN_DEFERS_MAX = 8 };

struct open_frame {
	uint64_t sp, varp;
	int32_t frame;
	uint32_t bits; /* bytes below varp, as are the slots */
	uint32_t slots[OPEN_DEFERS_MAX];
	uint32_t count; /* of slots */
};

struct open_frames {
	const struct open_frame *list; /* innermost first */
	size_t count;
};

struct open_defers; /* what is known of the frames of each distinct stack */

void open_defers_free(struct open_defers *open);
/* The frames of that stack that can have some. Borrowed until the next call. */
struct open_frames open_frames_of(struct runtime *rt, uint32_t stack);
/* What FUNCDATA_OpenCodedDeferInfo says of a function's frames: bits, slots, count. */
bool open_defers_parse(const struct layout *l, struct bytes info, struct open_frame *ret);
/* The pending ones of a frame of g, next first: the addresses of their closures. Returns
 * how many, -1: err. */
int open_frame_closures(struct runtime *rt, const struct goroutine *g,
			const struct open_frame *frame, uint64_t ret[OPEN_DEFERS_MAX],
			struct err *err);
/* Copies the closures that lie on the heap, while the process is held. */
void open_defers_capture(struct runtime *rt, struct gather *g);

#endif
