/* SPDX-License-Identifier: Apache-2.0 */
/* A stack that overflowed has the same few calls a million times: all but the first round are taken
 * out of it. The other frames keep their places, as those are relative to the goroutine's sp. Rounds
 * past the last frame that was unwound are recognised by their return addresses. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "goruntime/runtime/stack_reader.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"

enum {
	FRAMES_MIN = 1000, /* shorter stacks are left alone */
	BEGIN_MAX = 64,	   /* frames before the cycle */
	CYCLE_MAX = 256,   /* frames of one round */
};

#define STACK_MAX (UINT64_C(2) << 30) /* bytes: twice runtime.maxstacksize */

/* How many frames from `from` on are as those `period` frames later. */
static uint32_t alike(struct stack stack, uint32_t from, uint32_t period)
{
	uint32_t n = 0;

	while (from + n + period < stack.count &&
	       stack.frames[from + n].pc == stack.frames[from + n + period].pc)
		n++;
	return n;
}

/* In a stack. */
struct cycle {
	uint32_t second; /* the first frame of the second round */
	uint32_t period; /* frames of a round */
	uint32_t
		repeated; /* frames from the second round on, whole rounds; 0: there is none */
};

/* The shortest cycle that makes up most of the stack. */
static struct cycle find_cycle(struct stack stack)
{
	for (uint32_t period = 1; period <= CYCLE_MAX; period++) {
		for (uint32_t from = 0; from < BEGIN_MAX; from++) {
			const uint32_t n = alike(stack, from, period);
			if (n >= stack.count / 2)
				return (struct cycle){ from + period, period,
						       n - n % period };
		}
	}
	return (struct cycle){ 0 };
}

/* A round, as it is on the stack: the pc of each frame, and where its caller's begins. */
struct round {
	const struct raw_frame *frames;
	uint32_t count, start; /* start: offset from g->sp, as argp */
};

static uint64_t return_address(struct stack_reader *reader, uint64_t below)
{
	struct err ignored;
	uint64_t ret = 0;
	const uint8_t *bytes = stack_reader_bytes(reader, below - WORD, WORD, &ignored);

	if (bytes)
		memcpy(&ret, bytes, WORD);
	return ret;
}

/* Is one at sp, which is where the frame before it ends? */
static bool is_round(struct stack_reader *reader, uint64_t sp, const struct round *round)
{
	uint64_t end = sp;

	for (uint32_t i = 0; i < round->count; i++) {
		if (return_address(reader, end) != round->frames[i].pc)
			return false;
		end = sp + (round->frames[i].argp - round->start);
	}
	return true;
}

/* How many rounds begin at *sp, which becomes the end of the last one. */
static uint64_t count_rounds(struct runtimes *all, const struct goroutine *g,
			     uint64_t *sp, const struct round *round)
{
	const uint64_t size = round->frames[round->count - 1].argp - round->start;
	/* What is between the ends of such a stack is not for a core file. */
	const struct target_record before =
		target_record(all->target, (struct target_record){ .read = NULL });
	struct stack_reader reader;
	uint64_t n = 0;

	stack_reader_init(&reader, all->target, g->stack_low, g->stack_high);
	target_budget_unit(all->target);
	for (; size && *sp - g->sp < STACK_MAX && is_round(&reader, *sp, round); n++)
		*sp += size;
	target_record(all->target, before);
	return n;
}

/* The frames past LIMIT_FRAMES. Returns how many rounds more there are. */
static uint64_t go_on(struct runtimes *all, const struct fault *fault,
		      struct goroutine *g, struct stack stack, struct cycle cycle)
{
	const uint32_t end = stack.frames[cycle.second + cycle.repeated - 1].argp;
	const struct round round = { stack.frames + cycle.second, cycle.period,
				     stack.frames[cycle.second - 1].argp };
	struct stack_reader reader;
	uint64_t sp = g->sp + end;

	if (round.start == NO_ARGP || end == NO_ARGP)
		return 0;
	const uint64_t more = count_rounds(all, g, &sp, &round);
	stack_reader_init(&reader, all->target, g->stack_low, g->stack_high);
	const uint64_t pc = return_address(&reader, sp);
	memcpy(all->scratch, stack.frames, cycle.second * sizeof(*all->scratch));
	unwind_goroutine_on(fault->runtime, g, &fault->runtime->machines[fault->thread],
			    cycle.second, pc, sp);
	return more;
}

static void take_out(struct runtimes *all, struct goroutine *g, struct stack stack,
		     struct cycle cycle)
{
	const uint32_t left = stack.count - cycle.repeated, first = cycle.second;
	AUTO(xfree) struct raw_frame *frames = xcalloc(left, sizeof(*frames));

	memcpy(frames, stack.frames, first * sizeof(*frames));
	memcpy(frames + first, stack.frames + first + cycle.repeated,
	       (left - first) * sizeof(*frames));
	g->stack = stacks_intern(all->stacks, frames, left);
}

void fault_fold(struct runtimes *all, struct fault *fault)
{
	struct goroutine *g = fault->goroutine ? goroutine_by_addr(fault->runtime,
								   fault->goroutine->addr)
					       : NULL;
	if (!g)
		return;
	const struct stack stack = runtimes_stack(all, g->stack);
	const struct cycle cycle =
		stack.count < FRAMES_MIN ? (struct cycle){ 0 } : find_cycle(stack);
	if (cycle.repeated == 0)
		return;
	uint64_t times = cycle.repeated / cycle.period;
	if (stack.count == LIMIT_FRAMES)
		times += go_on(all, fault, g, stack, cycle);
	else
		take_out(all, g, stack, cycle);
	all->fold = (struct stack_fold){
		.stack = g->stack,
		.first = cycle.second - cycle.period,
		.last = cycle.second - 1,
		.times = times,
	};
}
