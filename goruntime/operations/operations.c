/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/operations.h"

#include "goruntime/operations/effects.h"
#include "goruntime/operations/operations_priv.h"
#include "goruntime/operations/symbolic.h"
#include "goruntime/runtime/runtime_priv.h"

enum {
	SOUGHT_MAX = 16,      /* of a goroutine */
	FRAMES_FOLLOWED = 64, /* of a goroutine, innermost first */
};
/* Instructions, in all: less than a second. */
#define RUN_INSTRUCTIONS (INT64_C(1) << 24)

struct operations *operations_new(struct runtime *rt)
{
	struct operations *a = xcalloc(1, sizeof(*a));

	a->rt = rt;
	a->routines = routines_new(rt);
	a->walker = walker_new(rt, a->routines);
	a->effects = effects_new(rt, a->routines);
	a->left = RUN_INSTRUCTIONS;
	return a;
}

void operations_free(struct operations *a)
{
	if (!a)
		return;
	walker_free(a->walker);
	effects_free(a->effects);
	routines_free(a->routines);
	xfree(a->events.list);
	xfree(a);
}

/* An operation whose opposite the frame must have passed: a lock that it surely unlocks
 * ahead was locked, and the other way round. A lock that was locked and is not unlocked
 * ahead is sought, too. That a function has locked it may be inferred from the stack,
 * which is not safe, as a place there may have been used again. */
struct sought {
	enum operation operation;
	uint64_t addr;
	uint32_t frame;
	bool ahead; /* it was reported */
	bool found;
};

struct asking {
	struct operations *a;
	const struct goroutine *g;
	const struct operation_question *question;
	struct stack stack;
	const struct defer_list *defers; /* NULL: none */
	uint32_t frames;
	/* The frames from here on have ended in a panic, or in Goexit: their deferred
	 * calls have been run, except those that are still listed. */
	bool have_ended;
	bool any;
	struct sought sought[SOUGHT_MAX];
	size_t sought_count;
};

enum operation operation_opposite(enum operation operation)
{
	switch (operation) {
	case OPERATION_LOCK:
	case OPERATION_TRY_LOCK:
		return OPERATION_UNLOCK;
	case OPERATION_UNLOCK:
		return OPERATION_LOCK;
	case OPERATION_READ_LOCK:
	case OPERATION_TRY_READ_LOCK:
		return OPERATION_READ_UNLOCK;
	case OPERATION_READ_UNLOCK:
		return OPERATION_READ_LOCK;
	default:
		return OPERATION_NONE;
	}
}

static bool is_opposite(void *arg, const struct event *e)
{
	const struct event *of = arg;

	return e->addr == of->addr &&
	       (e->operation == operation_opposite(of->operation) ||
		of->operation == operation_opposite(e->operation));
}

static bool is_told(const struct event_list *events, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (events->list[j].operation == events->list[i].operation &&
		    events->list[j].addr == events->list[i].addr)
			return true;
	return false;
}

static struct sought *sought_of(struct asking *q, enum operation operation, uint64_t addr,
				uint32_t frame)
{
	for (size_t i = 0; i < q->sought_count; i++) {
		struct sought *s = &q->sought[i];
		if (s->operation == operation && s->addr == addr && s->frame == frame)
			return s;
	}
	return NULL;
}

static struct sought *seek(struct asking *q, enum operation operation, uint64_t addr,
			   uint32_t frame)
{
	struct sought *s = sought_of(q, operation, addr, frame);

	if (s || q->sought_count == SOUGHT_MAX)
		return s;
	q->sought[q->sought_count] =
		(struct sought){ .operation = operation, .addr = addr, .frame = frame };
	return &q->sought[q->sought_count++];
}

static void note_sought(struct asking *q, const struct operation_at *at)
{
	const bool passed = at->when == PASSED || at->when == PASSED_SURELY;
	struct sought *s = passed ? sought_of(q, operation_opposite(at->operation),
					      at->addr, at->frame)
			   : operation_opposite(at->operation)
				   ? seek(q, at->operation, at->addr, at->frame)
				   : NULL;
	/* The frame does not have a lock that it has surely unlocked since, wherever that
	 * was locked. */
	struct sought *given = at->when == PASSED_SURELY && is_unlock(at->operation)
				       ? seek(q, at->operation, at->addr, at->frame)
				       : NULL;

	if (given)
		given->found = true;
	if (!s)
		return;
	s->ahead |= !passed;
	s->found |= passed || at->when == AHEAD_MAYBE;
}

static void tell(struct asking *q, const struct event *e, enum operation_when when,
		 uint32_t frame, bool is_of_others)
{
	const struct operation_at at = { e->operation, when,  e->addr,
					 e->pc,	       frame, is_of_others };

	note_sought(q, &at);
	q->question->fn(q->question->arg, &at);
}

static bool is_wanted(const struct asking *q, const struct event *e)
{
	return q->question->wanted(q->question->arg, e->addr);
}

/* Does a deferred call explain the event? Up to Go 1.16 open-coded calls have their
 * arguments in the frame: the code at the function's end shows where. */
static bool is_deferred_there(const struct asking *q, const struct physical_frame *f,
			      const struct event *e)
{
	for (size_t i = 0; q->defers && i < q->defers->count; i++) {
		const struct deferred *d = &q->defers->list[i];
		struct routine *to =
			d->function ? routine_at(q->a->routines, d->function) : NULL;
		if (to && d->open_coded && to->operation == e->operation &&
		    d->sp == q->g->sp + f->sp)
			return true;
	}
	return false;
}

/* Reports operations ahead. f NULL: those of a deferred call. */
static void tell_ahead(struct asking *q, const struct walk_of *of,
		       const struct physical_frame *f, uint32_t frame)
{
	struct event_list *events = &q->a->events;

	for (size_t i = 0; i < events->count; i++) {
		struct event *e = &events->list[i];
		if (!e->addr || !is_wanted(q, e) || is_told(events, i))
			continue;
		bool surely = walk_always(q->a->walker, of, events, event_is_same,
					  is_opposite, e);
		if (!surely && operation_opposite(e->operation) &&
		    !walk_finds(q->a->walker, of, events, event_is_same, is_opposite, e))
			continue;
		bool deferred = f ? is_deferred_there(q, f, e) : surely;
		tell(q, e,
		     deferred ? AHEAD_DEFERRED
		     : surely ? AHEAD_SURELY
			      : AHEAD_MAYBE,
		     frame, false);
	}
}

static void walk(struct asking *q, const struct walk_of *of)
{
	q->a->events.count = 0;
	walk_code(q->a->walker, of, &q->a->events);
	q->any |= q->a->events.count > 0;
}

/* Is it part of an inlined call of RLock that is under way? RLock counts itself as a
 * reader before it waits. */
static bool is_under_way(const struct asking *q, const struct walk_of *of,
			 const struct raw_frame *raw, const struct event *e)
{
	const struct code *c = code_with_calls(q->a->rt->code, raw->pc,
					       raw->flags & FRAME_AT_INSTRUCTION);

	if (e->operation != OPERATION_READ_LOCK || !c || !c->call_count ||
	    !c->calls[0].inlined ||
	    operation_named(c->calls[0].name) != OPERATION_READ_LOCK)
		return false;
	for (size_t i = 0; i < q->a->events.count; i++) {
		const struct event *other = &q->a->events.list[i];
		if (other->operation == e->operation && other->pc > e->pc &&
		    other->pc < of->end)
			return false;
	}
	return e->pc < of->end;
}

static bool is_passed(const struct asking *q, const struct walk_of *of,
		      const struct physical_frame *f, struct event *e)
{
	if (is_lock(e->operation)
		    ? e->if_free || is_under_way(q, of, &q->stack.frames[f->frame], e)
		    : !is_unlock(e->operation))
		return false;
	return walk_reaches(q->a->walker, of, &q->a->events, e->pc, is_opposite, e) &&
	       *walker_budget(q->a->walker) > 0;
}

/* May the event have locked the lock that another event unlocks? */
static bool may_explain(void *arg, const struct event *e)
{
	return is_opposite(arg, e) || (is_lock(e->operation) && !e->addr);
}

static bool is_of_others(const struct asking *q, const struct walk_of *of,
			 struct event *e)
{
	struct walk_of to = *of;

	to.end = e->pc;
	return walk_reaches(q->a->walker, &to, &q->a->events, 0, may_explain, e);
}

static void tell_passed(struct asking *q, const struct walk_of *of,
			const struct physical_frame *f)
{
	struct event_list *events = &q->a->events;
	const uint32_t frame = (uint32_t)f->frame;

	for (size_t i = 0; i < events->count; i++) {
		struct event *e = &events->list[i];
		struct event known = *e;
		if (of->symbolic &&
		    (!symbolic_true(of->symbolic, e->addr, &known.addr) ||
		     !sought_of(q, operation_opposite(e->operation), known.addr, frame)))
			continue;
		if (!known.addr || !is_wanted(q, &known) || !is_passed(q, of, f, e))
			continue;
		const struct sought *s =
			seek(q, operation_opposite(e->operation), known.addr, frame);
		if ((of->infer || q->have_ended) && is_lock(e->operation) &&
		    !(s && s->ahead))
			continue;
		bool surely =
			!walk_reaches(q->a->walker, of, events, 0, event_is_same, e);
		tell(q, &known, surely ? PASSED_SURELY : PASSED, frame,
		     is_unlock(e->operation) && is_of_others(q, of, e));
	}
}

static void tell_unknown(struct asking *q, const struct walk_of *of,
			 const struct physical_frame *f)
{
	struct event_list *events = &q->a->events;

	const struct event may = { .operation = OPERATION_UNLOCK, .pc = of->end };

	if (of->routine->opaque)
		tell(q, &may, PASSED, (uint32_t)f->frame, false);
	for (size_t i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];
		if (!e->addr && is_unlock(e->operation) &&
		    walk_unlocks_unknown(q->a->walker, of, events, e, false))
			tell(q, e, PASSED, (uint32_t)f->frame, false);
	}
}

static bool misses_operation(const struct asking *q, const struct physical_frame *f)
{
	for (size_t i = 0; i < q->sought_count; i++)
		if (q->sought[i].frame == (uint32_t)f->frame && !q->sought[i].found)
			return true;
	return false;
}

/* The function may have kept the address of a lock that is not known otherwise, as in a
 * closure that it deferred. So its code is followed once more with stand-ins. */
static void look_with_stand_ins(struct asking *q, const struct walk_of *of,
				const struct physical_frame *f)
{
	struct symbolic symbolic;
	struct walk_of with = *of;

	if (!misses_operation(q, f))
		return;
	symbolic_init(&symbolic, of->stack_valid, of->cfa + SPILLED_WORDS * WORD);
	with.symbolic = &symbolic;
	with.infer = false;
	walk(q, &with);
	walk_resolve(q->a->walker, &with);
	tell_passed(q, &with, f);
}

bool operations_go_on(struct operations *a, const struct routine *r,
		      const struct raw_frame *raw)
{
	const size_t i = routine_index(r, routine_call(r, raw));

	return i == r->count || r->list[i].kind != INSTRUCTION_CALL ||
	       call_returns(a->routines, &r->list[i]);
}

bool operations_end_others(const struct routine *r)
{
	return routine_is_named(r, "runtime.gopanic") ||
	       routine_is_named(r, "runtime.Goexit");
}

struct walk_of operations_frame(const struct goroutine *g, struct routine *r,
				const struct raw_frame *raw,
				const struct physical_frame *f)
{
	return (struct walk_of){ .routine = r,
				 .begin = raw->pc,
				 .cfa = g->sp + raw->argp,
				 .stack_low = g->stack_low,
				 .stack_valid = g->sp + f->sp,
				 .goes_on = true };
}

static bool look_at_frame(void *arg, const struct physical_frame *f)
{
	struct asking *q = arg;
	struct operations *a = q->a;
	const struct raw_frame *raw = &q->stack.frames[f->frame];
	struct routine *r = routine_of(a->routines, raw);

	q->have_ended |= r && operations_end_others(r);
	if (!r || r->operation || r->foreign ||
	    !routine_leads(a->routines, r, ROUTINE_DEPTH))
		return true;
	struct walk_of of = operations_frame(q->g, r, raw, f);
	if (!q->have_ended && operations_go_on(a, r, raw)) {
		walk(q, &of);
		tell_ahead(q, &of, f, (uint32_t)f->frame);
	}
	of.goes_on = false;
	of.begin = r->entry;
	of.end = routine_call(r, raw);
	of.infer = true;
	walk(q, &of);
	tell_passed(q, &of, f);
	tell_unknown(q, &of, f);
	look_with_stand_ins(q, &of, f);
	q->frames++;
	return q->frames<FRAMES_FOLLOWED && * walker_budget(a->walker)> 0;
}

struct frame_search {
	uint64_t sp;
	uint32_t frame;
};

static bool is_frame(void *arg, const struct physical_frame *f)
{
	struct frame_search *s = arg;

	if (f->sp != s->sp)
		return true;
	s->frame = (uint32_t)f->frame;
	return false;
}

uint32_t operations_frame_of(struct operations *a, const struct goroutine *g,
			     struct stack stack, const struct deferred *d)
{
	struct frame_search s = { .sp = d->sp - g->sp };

	physical_frames_each(a->rt, stack, is_frame, &s);
	return s.frame;
}

static uint32_t frame_of(const struct asking *q, const struct deferred *d)
{
	return operations_frame_of(q->a, q->g, q->stack, d);
}

/* The call will run on the stack below, where the present content means nothing. */
struct walk_of operations_deferred(const struct goroutine *g, struct routine *to,
				   const struct deferred *d)
{
	return (struct walk_of){ .routine = to,
				 .begin = to->entry,
				 .cfa = g->sp - WORD * WORD,
				 .stack_low = g->stack_low,
				 .stack_valid = g->sp,
				 .context = d->closure };
}

/* Reports the operation of a deferred call whose record has its arguments: up to Go
 * 1.16. */
static void look_at_arguments(struct asking *q, const struct deferred *d,
			      const struct routine *to)
{
	struct event e = { .operation = to->operation,
			   .surely = true,
			   .pc = d->function };
	struct err ignored;

	if (d->arguments &&
	    target_read_uint(q->a->rt->target, d->arguments, WORD, &e.addr, &ignored) &&
	    is_wanted(q, &e))
		tell(q, &e, AHEAD_DEFERRED, frame_of(q, d), false);
}

static void look_at_deferred(struct asking *q, const struct deferred *d)
{
	struct routine *to = d->function ? routine_at(q->a->routines, d->function) : NULL;

	if (!to)
		return;
	if (to->operation) {
		q->any = true;
		look_at_arguments(q, d, to);
		return;
	}
	const struct walk_of of = operations_deferred(q->g, to, d);
	if (to->foreign || !routine_leads(q->a->routines, to, ROUTINE_DEPTH))
		return;
	walk(q, &of);
	tell_ahead(q, &of, NULL, frame_of(q, d));
}

bool operations_of(struct operations *a, const struct goroutine *g,
		   const struct operation_question *question, bool *ret_any)
{
	struct asking q = { .a = a, .g = g, .question = question };
	int64_t *budget = walker_budget(a->walker);

	if (a->left <= 0)
		return false;
	if (g->stack == NO_STACK || !goroutine_has_stack(g))
		return true;
	target_budget_unit(a->rt->target);
	*budget = a->left < GOROUTINE_INSTRUCTIONS ? a->left : GOROUTINE_INSTRUCTIONS;
	const int64_t before = *budget;
	q.stack = runtimes_stack(a->rt->shared, g->stack);
	q.defers = runtime_defers(a->rt, g);
	for (size_t i = 0; q.defers && i < q.defers->count; i++)
		look_at_deferred(&q, &q.defers->list[i]);
	physical_frames_each(a->rt, q.stack, look_at_frame, &q);
	a->left -= before - *budget;
	if (ret_any)
		*ret_any = q.any;
	return true;
}
