/* SPDX-License-Identifier: Apache-2.0 */
/* operations_priv.h - what is known of functions, and how much work is left. Private to
 * goruntime/operations. */
#ifndef GOSNAP_OPERATIONS_PRIV_H
#define GOSNAP_OPERATIONS_PRIV_H

#include "goruntime/goroutines/defers.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/operations/walk.h"

enum {
	GOROUTINE_INSTRUCTIONS = 1 << 16,
	SPILLED_WORDS = 16, /* above a frame: what the function saves of its arguments */
};

struct operations {
	struct runtime *rt;
	struct routines *routines;
	struct walker *walker;
	struct effects *effects;
	int64_t left; /* instructions */
	struct event_list events;
};

/* Of a call that goes on in its frame, from there. */
struct walk_of operations_frame(const struct goroutine *g, struct routine *r,
				const struct raw_frame *raw,
				const struct physical_frame *f);
/* Of a deferred call that is a function's closure. */
struct walk_of operations_deferred(const struct goroutine *g, struct routine *to,
				   const struct deferred *d);
/* Behind a call that never returns is code that the frame does not come to. */
bool operations_go_on(struct operations *a, const struct routine *r,
		      const struct raw_frame *raw);
/* The callers of such a function do not go on: only their deferred calls are run. */
bool operations_end_others(const struct routine *r);
/* The unwound frame that a deferred call belongs to. */
uint32_t operations_frame_of(struct operations *a, const struct goroutine *g,
			     struct stack stack, const struct deferred *d);
/* What undoes it. */
enum operation operation_opposite(enum operation operation);

#endif
