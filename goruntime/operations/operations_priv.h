/* SPDX-License-Identifier: Apache-2.0 */
/* operations_priv.h - the functions that were looked at, and how much work is left.
 * Private to goruntime/operations. */
#ifndef GOSNAP_OPERATIONS_PRIV_H
#define GOSNAP_OPERATIONS_PRIV_H

#include "goruntime/goroutines/defers.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/operations/walk.h"

enum {
	GOROUTINE_INSTRUCTIONS = 1 << 16,
	SPILLED_WORDS = 16, /* above a frame, where the function saves its arguments */
};

struct operations {
	struct runtime *rt;
	struct routines *routines;
	struct walker *walker;
	struct effects *effects;
	int64_t left; /* instructions */
	struct event_list events;
};

/* Returns the walk of a function from where its frame goes on. */
struct walk_of operations_frame(const struct goroutine *g, struct routine *r,
				const struct raw_frame *raw,
				const struct physical_frame *f);
/* Returns the walk of a deferred call of a closure. */
struct walk_of operations_deferred(const struct goroutine *g, struct routine *to,
				   const struct deferred *d);
/* Will the frame go on? It does not come to the code behind a call that never returns. */
bool operations_go_on(struct operations *a, const struct routine *r,
		      const struct raw_frame *raw);
/* Does the function end its callers, so that only their deferred calls are run? */
bool operations_end_others(const struct routine *r);
/* Returns the unwound frame that a deferred call belongs to. */
uint32_t operations_frame_of(struct operations *a, const struct goroutine *g,
			     struct stack stack, const struct deferred *d);
/* Returns the operation that undoes it; OPERATION_NONE: none does. */
enum operation operation_opposite(enum operation operation);

#endif
