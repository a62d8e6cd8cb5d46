/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/walk.h"

#include <string.h>

#include "goruntime/operations/effects.h"
#include "goruntime/operations/symbolic.h"
#include "goruntime/operations/walk_priv.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/module.h"

enum {
	ADD_ARGUMENT = 1, /* the second of WaitGroup.Add */
	RESULT_WORDS = 16,
	EVENTS_MAX = 4096,     /* of one function */
	RESULTS = 2,	       /* of a call: the address of a lock may be in these */
	CASES_MAX = 16,	       /* of a select: more have been moved to the heap */
	CASE_BYTES = 2 * WORD, /* a channel and an element: runtime.scase */
};

struct walker *walker_new(struct runtime *rt, struct routines *routines)
{
	struct walker *w = xcalloc(1, sizeof(*w));

	w->rt = rt;
	w->routines = routines;
	w->registers = layout_has(&rt->layout, L_funcdata_arg_info);
	return w;
}

void walker_free(struct walker *w)
{
	xfree(w->points);
	xfree(w);
}

int64_t *walker_budget(struct walker *w)
{
	return &w->budget;
}

static void follow(struct walker *w, const struct walk_of *of, unsigned depth,
		   const struct machine_state *state, struct event_list *ret);

void walk_add_event(struct following *f, enum operation operation, uint64_t addr,
		    uint64_t pc, bool surely)
{
	struct event_list *l = f->events;

	if (f->of->hidden && is_lock(operation) && addr)
		walk_note_locked(f, addr);

	if (l->count >= EVENTS_MAX)
		return;
	GROW(l->list, l->count, l->cap);
	l->list[l->count++] = (struct event){
		.operation = operation, .surely = surely, .addr = addr, .pc = pc
	};
}

/* Finds the argument of the call that has this number. */
static bool argument(struct following *f, struct machine_state *s, unsigned number,
		     uint64_t sp, uint64_t *ret)
{
	const struct arch *arch = target_arch(f->w->rt->target);

	return f->w->registers ? machine_register(s, arch->go_arguments[number], ret)
			       : machine_load(s, sp + number * WORD, ret);
}

/* Adds events for the channels of a select. runtime.scase begins with the channel:
 * runtime/select.go. Whether a case sends or receives is not looked at. */
static void note_cases(struct following *f, struct machine_state *s, uint64_t cases,
		       uint64_t pc)
{
	const struct layout *l = &f->w->rt->layout;
	const uint64_t size = layout_has(l, L_scase_releasetime)
				      ? (uint64_t)l->slot[L_scase_releasetime].off + WORD
				      : CASE_BYTES;
	uint64_t channel;

	for (uint64_t i = 0; i < CASES_MAX; i++) {
		if (!machine_stored(s, cases + i * size, &channel))
			continue;
		walk_add_event(f, OPERATION_SEND, channel, pc, false);
		walk_add_event(f, OPERATION_RECEIVE, channel, pc, false);
	}
}

static void note_operation(struct following *f, struct machine_state *s,
			   enum operation operation, uint64_t sp, uint64_t pc)
{
	uint64_t addr, n;

	if (!argument(f, s, operation == OPERATION_RECEIVE_SECOND, sp, &addr)) {
		if (is_lock(operation) || is_unlock(operation))
			walk_add_event(f, operation, 0, pc, true);
		return;
	}
	if (operation == OPERATION_SELECT) {
		note_cases(f, s, addr, pc);
		return;
	}
	if (operation == OPERATION_RECEIVE_SECOND)
		operation = OPERATION_RECEIVE;
	if (operation == OPERATION_ADD && argument(f, s, ADD_ARGUMENT, sp, &n) &&
	    (int64_t)n < 0)
		operation = OPERATION_DONE;
	walk_add_event(f, operation, addr, pc, true);
}

/* Adds the events of a callee as events at pc, the place of its call. */
static void note_inner(struct following *f, const struct walk_of *of,
		       const struct event_list *inner, uint64_t pc);

void walk_enter(struct following *f, const struct machine_state *s, struct routine *to,
		uint64_t sp, uint64_t pc)
{
	struct event_list inner = { 0 };
	const struct walk_of of = {
		.routine = to,
		.begin = to->entry,
		.cfa = sp,
		.stack_low = f->of->stack_low,
		.stack_valid = f->of->stack_valid > sp ? f->of->stack_valid : sp,
		.symbolic = f->of->symbolic,
		.hidden = f->of->hidden,
	};

	follow(f->w, &of, f->depth - 1, s, &inner);
	if (to->opaque && routine_leads(f->w->routines, to, f->depth - 1))
		walk_add_event(f, OPERATION_UNLOCK, 0, pc, false);
	note_inner(f, &of, &inner, pc);
	xfree(inner.list);
}

/* Gives the registers of the first arguments, or results, new stand-ins. */
static void set_symbolic(struct walker *w, struct machine_state *s, size_t count)
{
	const struct arch *arch = target_arch(w->rt->target);
	uint64_t number;

	for (size_t i = 0; s->symbolic && w->registers && i < count; i++)
		if (symbolic_new(s->symbolic, &number))
			machine_set(s, arch->go_arguments[i], number);
}

static bool is_followed(struct following *f, struct routine *to)
{
	return !to->foreign && f->depth > 0 &&
	       routine_leads(f->w->routines, to, f->depth - 1);
}

/* Forgets the words in which the callee returns results or keeps its arguments. They are
 * in the frame, or, if the function jumps to the callee, in the place of its own
 * arguments. */
static void forget_results(struct following *f, struct machine_state *s,
			   const struct routine *to, uint64_t sp)
{
	const uint64_t in_frame = f->of->cfa - WORD - sp;
	uint64_t bytes = to ? to->argument_bytes : s->symbolic ? 0 : RESULT_WORDS * WORD;

	if (sp && in_frame > 0 && bytes > in_frame)
		bytes = in_frame;
	machine_forget(s, sp, bytes < RESULT_WORDS * WORD ? bytes : RESULT_WORDS * WORD);
}

/* Returns the function that is called. NULL: not known. A pointer in memory leads to the
 * beginning of a function, unless it has changed by now. */
static struct routine *callee(struct following *f, struct machine_state *s,
			      const struct instruction *in, uint64_t sp)
{
	uint64_t target;

	if (in->target)
		return routine_at(f->w->routines, in->target);
	if (!machine_value(s, &in->operand[0], sp, &target))
		return NULL;
	struct routine *r = routine_at(f->w->routines, target);
	return r && r->entry == target ? r : NULL;
}

/* Follows or notes a call. False: it does not return. */
static bool call(struct following *f, struct machine_state *s,
		 const struct instruction *in, uint64_t sp)
{
	struct routine *to = callee(f, s, in, sp);
	const bool enters = to && (!in->target || to->entry == in->target);
	const size_t before = f->events->count;

	if (to && to->operation == OPERATION_NEVER)
		return false;
	if (to && to->changes_nothing)
		return true;
	if (f->of->hidden && to && !in->target && !to->operation)
		walk_note_receiver(f, to, in->pc);
	if (enters && to->operation)
		note_operation(f, s, to->operation, sp, in->pc);
	else if (enters && is_followed(f, to))
		walk_enter(f, s, to, sp, in->pc);
	if (f->of->hidden && enters && !to->operation && is_followed(f, to))
		walk_note_followed(f, to, in->pc, before);
	else if (f->of->hidden && !(enters && to->operation) && (enters || !in->target))
		walk_note_call(f, s, to, sp, in);
	f->called = to && !to->foreign ? to : NULL;
	machine_forget_registers(s);
	forget_results(f, s, to, sp);
	set_symbolic(f->w, s, RESULTS);
	return true;
}

/* Inlined Unlock and RUnlock leave an instruction that adds -1 to a field of the lock. */
static void locked_add(struct following *f, struct machine_state *s,
		       const struct instruction *in, uint64_t sp)
{
	const struct layout *l = &f->w->rt->layout;
	uint64_t addr, n;

	if (!machine_address(s, &in->operand[0], sp, &addr) ||
	    !machine_value(s, &in->operand[1], sp, &n))
		return;
	bool less = (int32_t)(uint32_t)n == -1;
	if (less && layout_has(l, L_mutex_state))
		walk_add_event(f, OPERATION_UNLOCK,
			       addr - (uint64_t)l->slot[L_mutex_state].off, in->pc, true);
	if ((less || n == 1) && layout_has(l, L_rwmutex_reader_count))
		walk_add_event(f, less ? OPERATION_READ_UNLOCK : OPERATION_READ_LOCK,
			       addr - (uint64_t)l->slot[L_rwmutex_reader_count].off,
			       in->pc, true);
}

/* An inlined Lock leaves an instruction that changes the state from 0 to locked. An
 * inlined TryLock adds a bit to the state that it has found. */
static void locked_exchange(struct following *f, struct machine_state *s,
			    const struct instruction *in, uint64_t sp)
{
	enum { MUTEX_LOCKED = 1 }; /* internal/sync/mutex.go */
	const struct layout *l = &f->w->rt->layout;
	uint64_t addr, n;

	if (!layout_has(l, L_mutex_state))
		return;
	const bool known = machine_address(s, &in->operand[0], sp, &addr);
	const bool locks = machine_value(s, &in->operand[1], sp, &n);
	if (locks ? (uint32_t)n != MUTEX_LOCKED : !known)
		return;
	const size_t before = f->events->count;
	walk_add_event(f, locks ? OPERATION_LOCK : OPERATION_TRY_LOCK,
		       known ? addr - (uint64_t)l->slot[L_mutex_state].off : 0, in->pc,
		       !locks);
	for (size_t i = before; i < f->events->count; i++)
		f->events->list[i].if_free = locks;
}

static void push(struct following *f, size_t index, const struct machine_state *s)
{
	struct walker *w = f->w;

	if (index >= f->r->count || f->seen[index])
		return;
	GROW(w->points, w->point_count, w->point_cap);
	w->points[w->point_count].index = index;
	w->points[w->point_count++].state = *s;
}

/* A jump to another function is a call of it, and a return. */
static void leave_by_jump(struct following *f, struct machine_state *s,
			  const struct instruction *in)
{
	(void)call(f, s, in, f->of->cfa - WORD);
}

/* Follows instructions from a place on until they part, return, or were seen. */
static void follow_on(struct following *f, size_t i, struct machine_state *s)
{
	const struct routine *r = f->r;

	for (; i < r->count && !f->seen[i] && f->w->budget > 0; i++) {
		const struct instruction *in = &r->list[i];
		int32_t size = r->frame_sizes[i];
		uint64_t sp = size < 0 ? 0 : f->of->cfa - WORD - (uint64_t)size;
		f->seen[i] = 1;
		f->w->budget--;
		s->pc = in->pc;
		if (f->of->end && in->pc == f->of->end)
			return;
		switch (in->kind) {
		case INSTRUCTION_CALL:
			if (!call(f, s, in, sp))
				return;
			break;
		case INSTRUCTION_LOCKED_ADD:
			locked_add(f, s, in, sp);
			machine_step(s, in, sp);
			break;
		case INSTRUCTION_LOCKED_EXCHANGE:
			locked_exchange(f, s, in, sp);
			if (f->of->hidden)
				walk_note_words(f, s, in, sp);
			machine_step(s, in, sp);
			break;
		case INSTRUCTION_BRANCH:
			push(f, routine_index(r, in->target), s);
			break;
		case INSTRUCTION_JUMP:
			if (in->target >= r->entry && in->target < r->end)
				push(f, routine_index(r, in->target), s);
			else
				leave_by_jump(f, s, in);
			return;
		case INSTRUCTION_RETURN:
			return;
		default:
			if (f->of->hidden)
				walk_note_words(f, s, in, sp);
			machine_step(s, in, sp);
		}
	}
}

static void follow(struct walker *w, const struct walk_of *of, unsigned depth,
		   const struct machine_state *state, struct event_list *ret)
{
	struct following f = { .w = w,
			       .of = of,
			       .r = of->routine,
			       .events = ret,
			       .first_point = w->point_count,
			       .first_read = of->hidden ? of->hidden->read_count : 0,
			       .depth = depth };

	if (!routine_decode(w->routines, of->routine))
		return;
	AUTO(xfree) uint8_t *seen = xcalloc(of->routine->count + 1, 1);
	struct machine_state s = *state;
	s.stack_low = of->stack_low;
	s.stack_valid = of->stack_valid;
	s.infer = of->infer;
	s.symbolic = of->symbolic;
	f.seen = seen;
	follow_on(&f, routine_index(f.r, of->begin), &s);
	while (w->point_count > f.first_point) {
		const struct branch_point *p = &w->points[--w->point_count];
		size_t index = p->index;
		s = p->state;
		follow_on(&f, index, &s);
	}
}

void walk_code(struct walker *w, const struct walk_of *of, struct event_list *ret)
{
	struct machine_state s;
	uint64_t context = of->context;

	machine_init(&s, w->rt);
	s.symbolic = of->symbolic;
	set_symbolic(w, &s, GO_ARGUMENTS);
	if (of->context || (of->symbolic && symbolic_new(of->symbolic, &context)))
		machine_set(&s, target_arch(w->rt->target)->go_context, context);
	follow(w, of, ROUTINE_DEPTH, &s, ret);
}

/* Is what the instruction stored surely still there? */
static bool is_kept(struct walker *w, const struct walk_of *of,
		    const struct symbolic_store *store)
{
	const struct symbolic *s = of->symbolic;
	const struct routine *r = of->routine;
	const size_t at = routine_index(r, store->pc);

	if (at == r->count ||
	    walk_avoids(w, of, routine_index(r, of->begin), of->end, store->pc))
		return false;
	for (size_t i = 0; i < s->store_count; i++) {
		const struct symbolic_store *other = &s->stores[i];
		const size_t there = routine_index(r, other->pc);
		if (other->addr != store->addr ||
		    (other->known && other->value == store->value))
			continue;
		if (there == r->count ||
		    (walk_avoids(w, of, at + 1, other->pc, 0) &&
		     walk_avoids(w, of, there + 1, of->end, store->pc)))
			return false;
	}
	return true;
}

static void resolve_stored(struct walker *w, const struct walk_of *of,
			   const struct symbolic_store *store)
{
	int64_t offset;
	struct symbolic_value *v =
		store->known ? symbolic_split(of->symbolic, store->value, &offset) : NULL;
	struct err ignored;
	uint64_t value;

	if (!v || !is_kept(w, of, store) ||
	    !target_read_uint(w->rt->target, store->addr, WORD, &value, &ignored))
		return;
	value -= (uint64_t)offset;
	v->ambiguous |= v->known && v->value != value;
	v->known = !v->ambiguous;
	v->value = value;
}

void walk_resolve(struct walker *w, const struct walk_of *of)
{
	struct symbolic *s = of->symbolic;
	struct err ignored;
	uint64_t from;

	for (size_t i = 0; !s->lossy && i < s->store_count; i++)
		resolve_stored(w, of, &s->stores[i]);
	if (w->budget <= 0)
		s->count = 0;
	/* In the order in which they were loaded. */
	for (size_t i = 0; i < s->count; i++) {
		struct symbolic_value *v = &s->values[i];
		if (!v->known && !v->ambiguous && v->loaded_from &&
		    symbolic_true(s, v->loaded_from, &from))
			v->known = target_read_uint(w->rt->target, from, WORD, &v->value,
						    &ignored);
	}
}

static bool unlocks_unknown(const struct event_list *events)
{
	for (size_t i = 0; i < events->count; i++)
		if (!events->list[i].addr && is_unlock(events->list[i].operation))
			return true;
	return false;
}

/* Does an event of a callee matter to its caller? A callee that locks, and unlocks an
 * unknown lock, has changed nothing. */
static bool matters(struct walker *w, const struct walk_of *of,
		    const struct event_list *inner, const struct event *e)
{
	if (is_unlock(e->operation) && !e->addr)
		return walk_unlocks_unknown(w, of, inner, e, true);
	return !is_lock(e->operation) || !unlocks_unknown(inner);
}

static void note_inner(struct following *f, const struct walk_of *of,
		       const struct event_list *inner, uint64_t pc)
{
	for (size_t i = 0; i < inner->count; i++) {
		struct event *e = &inner->list[i];
		if (matters(f->w, of, inner, e))
			walk_add_event(
				f, e->operation, e->addr, pc,
				walk_always(f->w, of, inner, event_is_same, NULL, e));
	}
}
