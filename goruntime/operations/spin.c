/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/spin.h"

#include "goruntime/goroutines/defers.h"
#include "goruntime/operations/loop.h"
#include "goruntime/operations/operations_priv.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/value.h"

enum {
	CLOSED_MAX = 8, /* calls of a function that receive from a closed channel */
	PASSES = 8,	/* over a function, to find its loop and to judge it */
};

struct closed_call {
	uint64_t pc, channel;
};

struct spin_search {
	struct operations *a;
	const struct goroutine *g;
	struct stack stack;
	struct closed_call closed[CLOSED_MAX]; /* of the function that it is in */
	size_t closed_count;
	struct spin found;
};

static bool is_closed(struct spin_search *s, uint64_t addr)
{
	struct err ignored;
	uint64_t closed, count, size;

	return addr &&
	       value_by_layout(s->a->rt, L_hchan_closed, addr, &closed, &ignored) &&
	       value_by_layout(s->a->rt, L_hchan_qcount, addr, &count, &ignored) &&
	       value_by_layout(s->a->rt, L_hchan_dataqsiz, addr, &size, &ignored) &&
	       closed == 1 && count == 0 && size <= UINT32_MAX;
}

static struct routine *called(struct spin_search *s, const struct instruction *in)
{
	return in->kind == INSTRUCTION_CALL && in->target
		       ? routine_at(s->a->routines, in->target)
		       : NULL;
}

/* Notes a call if the channel that it will receive from the next time is closed. No
 * register keeps its value across the call, so only the code behind it has to be
 * followed. */
static void note_closed(struct spin_search *s, const struct walk_of *frame, size_t call)
{
	struct event_list *events = &s->a->events;
	const struct instruction *in = &frame->routine->list[call];
	struct walk_of of = *frame;

	of.begin = in->pc + in->len;
	events->count = 0;
	walk_code(s->a->walker, &of, events);
	for (size_t i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];
		if (e->pc != in->pc || e->operation != OPERATION_RECEIVE ||
		    !is_closed(s, e->addr))
			continue;
		s->closed[s->closed_count++] = (struct closed_call){ in->pc, e->addr };
		return;
	}
}

/* Finds the calls that receive from a closed channel. A select that may wait is left out:
 * it goes on with any case, and the program may not select from the closed channel
 * again. */
static void find_closed(struct spin_search *s, const struct walk_of *frame)
{
	s->closed_count = 0;
	for (size_t i = 0; i < frame->routine->count; i++) {
		const struct routine *to = called(s, &frame->routine->list[i]);
		if (s->closed_count < CLOSED_MAX && to &&
		    (to->operation == OPERATION_RECEIVE ||
		     to->operation == OPERATION_RECEIVE_SECOND))
			note_closed(s, frame, i);
	}
}

static const struct closed_call *closed_at(const struct spin_search *s, uint64_t pc)
{
	for (size_t i = 0; i < s->closed_count; i++)
		if (s->closed[i].pc == pc)
			return &s->closed[i];
	return NULL;
}

/* Is it a function of the runtime that returns at once, or once other goroutines have had
 * their turn? */
static bool never_waits(const struct routine *to)
{
	static const char *const names[] = { "runtime.selectnb", "runtime.gcWriteBarrier",
					     "runtime.Gosched" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (routine_is_named(to, names[i]))
			return true;
	return false;
}

static bool may_call(void *arg, const struct instruction *call)
{
	struct spin_search *s = arg;
	const struct routine *to = called(s, call);

	return to && (closed_at(s, call->pc) || never_waits(to));
}

/* Does the loop try to send or to receive? A receive that may wait does not count: in a
 * loop, it is from a closed channel. */
static bool tries(struct spin_search *s, const struct loop *loop)
{
	for (size_t i = 0; i < loop->routine->count; i++) {
		const struct routine *to = called(s, &loop->routine->list[i]);
		if (loop->inside[i] && to && to->operation &&
		    to->operation != OPERATION_RECEIVE)
			return true;
	}
	return false;
}

/* Does the call receive from that channel in each turn? */
static bool is_of_all_turns(struct spin_search *s, const struct loop *loop, size_t call)
{
	const struct arch *arch = target_arch(s->a->rt->target);
	const bool in_register = layout_has(&s->a->rt->layout, L_funcdata_arg_info);
	const struct operand argument = {
		.kind = in_register ? OPERAND_REGISTER : OPERAND_MEMORY,
		.reg = in_register ? arch->go_arguments[0] : (int)arch->sp,
		.index = -1,
		.bytes = WORD,
	};

	return loop_keeps(loop, arch, call, argument);
}

/* Returns SPIN_CLOSED with the first channel, if each call of the loop that receives has
 * the same closed channel in all turns. */
static struct spin judge_closed(struct spin_search *s, const struct loop *loop)
{
	struct spin ret = { SPIN_NONE, 0 };

	for (size_t i = 0; i < s->closed_count; i++) {
		const size_t call = routine_index(loop->routine, s->closed[i].pc);
		if (!loop->inside[call])
			continue;
		if (!is_of_all_turns(s, loop, call))
			return (struct spin){ SPIN_NONE, 0 };
		if (!ret.kind)
			ret = (struct spin){ SPIN_CLOSED, s->closed[i].channel };
	}
	return ret;
}

static bool has_closed(const struct spin_search *s, const struct loop *loop)
{
	for (size_t i = 0; i < s->closed_count; i++)
		if (loop->inside[routine_index(loop->routine, s->closed[i].pc)])
			return true;
	return false;
}

/* Looks only at the zero that a closed channel gives: the code for other values does not
 * matter. */
static struct spin judge_zero(struct spin_search *s, const struct loop *loop)
{
	const struct arch *arch = target_arch(s->a->rt->target);

	for (size_t i = 0; i < s->closed_count; i++) {
		const size_t call = routine_index(loop->routine, s->closed[i].pc);
		const struct routine *to = called(s, &loop->routine->list[call]);
		if (loop->inside[call] && is_of_all_turns(s, loop, call) &&
		    loop_comes_back(loop, arch, call,
				    to && to->operation == OPERATION_RECEIVE_SECOND))
			return (struct spin){ SPIN_ZERO, s->closed[i].channel };
	}
	return (struct spin){ SPIN_NONE, 0 };
}

static struct spin judge(struct spin_search *s, const struct loop *loop)
{
	/* If there is a way out, the closed channel is likely to lead there. */
	if (loop_changes(loop, target_arch(s->a->rt->target)) ||
	    (loop->leaves && has_closed(s, loop)))
		return judge_zero(s, loop);
	if (tries(s, loop))
		return (struct spin){ SPIN_TRIES, 0 };
	if (has_closed(s, loop))
		return judge_closed(s, loop);
	return (struct spin){ loop->leaves ? SPIN_LOOKS : SPIN_EMPTY, 0 };
}

/* Looks at the innermost function of the program only: a loop in a function further out
 * calls it. */
static bool look_at_frame(void *arg, const struct physical_frame *f)
{
	struct spin_search *s = arg;
	const struct raw_frame *raw = &s->stack.frames[f->frame];
	struct routine *r = routine_of(s->a->routines, raw);
	struct loop loop;

	if (!r || !routine_decode(s->a->routines, r))
		return false;
	if (r->foreign || r->operation)
		return true;
	const struct walk_of of = { .routine = r,
				    .cfa = s->g->sp + raw->argp,
				    .stack_low = s->g->stack_low,
				    .stack_valid = s->g->sp + f->sp };
	find_closed(s, &of);
	if (loop_find(s->a->routines, r, routine_index(r, routine_call(r, raw)), may_call,
		      s, &loop))
		s->found = judge(s, &loop);
	loop_done(&loop);
	*walker_budget(s->a->walker) -= PASSES * (int64_t)r->count;
	return false;
}

struct spin operations_spin(struct operations *a, const struct goroutine *g)
{
	struct spin_search s = { .a = a, .g = g };
	int64_t *budget = walker_budget(a->walker);

	if (a->left <= 0 || g->stack == NO_STACK || !goroutine_has_stack(g))
		return s.found;
	target_budget_unit(a->rt->target);
	*budget = a->left < GOROUTINE_INSTRUCTIONS ? a->left : GOROUTINE_INSTRUCTIONS;
	const int64_t before = *budget;
	s.stack = runtimes_stack(a->rt->shared, g->stack);
	physical_frames_each(a->rt, s.stack, look_at_frame, &s);
	a->left -= before - *budget;
	return s.found;
}
