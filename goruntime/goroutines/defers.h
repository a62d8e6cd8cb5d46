/* SPDX-License-Identifier: Apache-2.0 */
/* defers.h - shared by defers.c (records of deferred calls) and open_defers.c (open-coded
 * ones, which a function keeps in its own frame). Private to goruntime. */
#ifndef GOSNAP_DEFERS_H
#define GOSNAP_DEFERS_H

#include "goruntime/runtime/runtime_priv.h"

/* A frame as laid out by the Go compiler. sp and varp are offsets from the goroutine's
 * sp, in bytes. */
struct physical_frame {
	const struct code *code;
	uint64_t sp;   /* what the runtime calls the frame's sp */
	uint64_t varp; /* where its variables end */
	int32_t frame; /* index among the unwound frames */
};

/* Calls fn for each frame on the goroutine's own stack, innermost first, until it returns
 * false. */
typedef bool physical_frame_fn(void *arg, const struct physical_frame *frame);
void physical_frames_each(struct runtime *rt, struct stack stack, physical_frame_fn *fn,
			  void *arg);

/* Open-coded deferred calls: up to 8 in a frame, with a bit and a slot for each. */
enum { OPEN_DEFERS_MAX = 8 };

struct open_frame {
	uint64_t sp, varp;
	int32_t frame;
	uint32_t bits; /* bytes below varp; so are the slots */
	uint32_t slots[OPEN_DEFERS_MAX];
	uint32_t count; /* number of slots */
};

struct open_frames {
	const struct open_frame *list; /* innermost first */
	size_t count;
};

struct open_defers; /* the open-coded defers of each distinct stack */

void open_defers_free(struct open_defers *open);
/* The frames of that stack that can have open-coded defers. Borrowed until the next
 * call. */
struct open_frames open_frames_of(struct runtime *rt, uint32_t stack);
/* What FUNCDATA_OpenCodedDeferInfo says about a function's frames: bits, slots, count. */
bool open_defers_parse(const struct layout *l, struct bytes info, struct open_frame *ret);
/* The closures of the pending calls of a frame of g, by address, next to run first, and
 * the slots that they are in. Returns how many; -1: err. */
struct open_closure {
	uint64_t closure, slot;
};
int open_frame_closures(struct runtime *rt, const struct goroutine *g,
			const struct open_frame *frame,
			struct open_closure ret[OPEN_DEFERS_MAX], struct err *err);
/* Copies closures that are on the heap. Call while the process is stopped. */
void open_defers_capture(struct runtime *rt, struct bulk_read *g);

#endif
