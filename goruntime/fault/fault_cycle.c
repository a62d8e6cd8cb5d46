/* SPDX-License-Identifier: Apache-2.0 */
/* A stack that overflowed has the same few calls a hundred thousand times: all but the first round
 * are taken out of it. The other frames keep their places, as those are relative to the
 * goroutine's sp. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"

enum {
	FRAMES_MIN = 1000, /* shorter stacks are left alone */
	BEGIN_MAX = 64,	   /* frames before the cycle */
	CYCLE_MAX = 256,   /* frames of one round */
};

/* How many frames from `from` on are as those `period` frames later. */
static uint32_t alike(struct stack stack, uint32_t from, uint32_t period)
{
	uint32_t n = 0;

	while (from + n + period < stack.count &&
	       stack.frames[from + n].pc == stack.frames[from + n + period].pc)
		n++;
	return n;
}

/* The shortest cycle that makes up most of the stack. *ret_from: its first frame. Returns the
 * frames after the first round that repeat it; 0: none. */
static uint32_t find_cycle(struct stack stack, uint32_t *ret_from, uint32_t *ret_period)
{
	for (uint32_t period = 1; period <= CYCLE_MAX; period++) {
		for (uint32_t from = 0; from < BEGIN_MAX; from++) {
			uint32_t n = alike(stack, from, period);
			if (n < stack.count / 2)
				continue;
			*ret_from = from;
			*ret_period = period;
			return n - n % period;
		}
	}
	return 0;
}

void fault_fold(struct runtimes *all, struct fault *fault)
{
	struct goroutine *g = fault->goroutine ? goroutine_by_addr(fault->runtime,
								   fault->goroutine->addr)
					       : NULL;
	uint32_t from, period;

	if (!g)
		return;
	struct stack stack = runtimes_stack(all, g->stack);
	uint32_t repeated =
		stack.count < FRAMES_MIN ? 0 : find_cycle(stack, &from, &period);
	if (repeated == 0)
		return;
	uint32_t left = stack.count - repeated, first = from + period;
	AUTO(xfree) struct raw_frame *frames = xcalloc(left, sizeof(*frames));
	memcpy(frames, stack.frames, first * sizeof(*frames));
	memcpy(frames + first, stack.frames + first + repeated,
	       (left - first) * sizeof(*frames));
	g->stack = stacks_intern(all->stacks, frames, left);
	all->fold = (struct stack_fold){
		.stack = g->stack,
		.first = from,
		.last = first - 1,
		.times = repeated / period,
	};
}
