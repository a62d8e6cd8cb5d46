/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a frame that has locked a lock, or will unlock it, and the frames further in.
 * Their code is followed again, with calls that are not followed as events: effects.h.
 * Ways are looked for from where the lock was taken, past an event that may have unlocked
 * it, to where the frame is; and from there to an event that may lock it again before the
 * frame unlocks it. A program that unlocks a lock which is not locked ends, so a lock
 * that was given up is taken again: both together speak most strongly against the
 * goroutine. Cost: that of following the frames once more. */
#include "goruntime/operations/effects.h"
#include "goruntime/operations/operations_priv.h"
#include "goruntime/operations/symbolic.h"

#include <string.h>

enum { WORDS_MAX = 16 };

/* Where code is: in another package than the function that locks, in its package, or in
 * that function. */
enum near { NEAR_NOT, NEAR_PACKAGE, NEAR_ITS };

struct doubt_words {
	uint64_t list[WORDS_MAX];
	size_t count;
	uint64_t bits; /* of words whose address is not known: effects.h */
};

struct doubting {
	struct operations *a;
	const struct goroutine *g;
	struct stack stack;
	enum operation release;
	uint64_t addr;
	uint32_t frame;
	struct walk_hidden hidden;
	bool have_ended;
	bool knows; /* it is known where the frame took the lock */
	/* Since the lock was taken: */
	bool unlocks, unlocks_alone, may_unlock, starts;
	struct doubt_words written;
	/* Before it is unlocked: */
	bool locks, may_lock;
	struct doubt_words will_write;
};

/* A write to an unknown address counts in the frame that locks; in a frame further in, it
 * proves little. */
static void doubt_note_word(struct doubt_words *words, const struct event *e,
			    enum near near)
{
	if (e->operation == OPERATION_WRITES)
		words->bits |= near == NEAR_ITS ? e->addr : 0;
	else if (words->count < WORDS_MAX)
		words->list[words->count++] = e->addr;
}

static bool doubt_is_unlocked(void *arg, const struct event *e)
{
	const struct doubting *d = arg;

	return e->operation == d->release && e->addr == d->addr;
}

static bool doubt_is_locked(void *arg, const struct event *e)
{
	const struct doubting *d = arg;

	return is_lock(e->operation) && (!e->addr || e->addr == d->addr);
}

/* Like doubt_is_unlocked(), but also true if an unknown lock is locked, as that may be
 * the one which is unlocked. */
static bool doubt_is_explained(void *arg, const struct event *e)
{
	return doubt_is_unlocked(arg, e) || (is_lock(e->operation) && !e->addr);
}

static bool doubt_is_nothing(void *arg, const struct event *e)
{
	(void)arg;
	(void)e;
	return false;
}

static bool doubt_reaches(struct doubting *d, const struct walk_of *of, uint64_t from,
			  uint64_t to, event_fn *undoes)
{
	struct walk_of part = *of;

	part.end = to;
	return walk_reaches(d->a->walker, &part, &d->a->events, from, undoes, d);
}

/* Is the lock itself taken, and not an unknown one? */
static bool doubt_is_retaken(void *arg, const struct event *e)
{
	return doubt_is_locked(arg, e) && e->addr;
}

/* Does a way lead from where the lock was taken, or from the beginning, past the event to where the frame
 * is? */
static bool doubt_passes(struct doubting *d, const struct walk_of *of, uint64_t locked,
			 const struct event *e)
{
	event_fn *undoes =
		is_unlock(e->operation) && e->addr ? doubt_is_nothing : doubt_is_unlocked;

	return doubt_reaches(d, of, locked, e->pc, undoes) &&
	       doubt_reaches(d, of, e->pc, of->end, doubt_is_retaken);
}

/* Likewise, past no event that has locked the lock which is unlocked, or may have taken
 * it again. */
static bool doubt_passes_alone(struct doubting *d, const struct walk_of *of,
			       uint64_t locked, const struct event *e)
{
	return doubt_reaches(d, of, locked, e->pc,
			     e->addr ? doubt_is_nothing : doubt_is_explained) &&
	       doubt_reaches(d, of, e->pc, of->end, doubt_is_locked);
}

/* Another package unlocks an unknown lock that it has locked itself: as a rule, one of its own. */
static void doubt_note_unlocked(struct doubting *d, const struct walk_of *of,
				uint64_t locked, const struct event *e, enum near near)
{
	if (e->addr && (locked || !doubt_is_unlocked(d, e)))
		return;
	d->unlocks_alone = d->unlocks_alone || doubt_passes_alone(d, of, locked, e);
	d->unlocks = d->unlocks || d->unlocks_alone ||
		     ((near || e->addr) && doubt_passes(d, of, locked, e));
}

static void doubt_note_passed(struct doubting *d, const struct walk_of *of,
			      uint64_t locked, const struct event *e, enum near near)
{
	switch (e->operation) {
	case OPERATION_UNLOCK:
	case OPERATION_READ_UNLOCK:
		if (near || !e->guessed)
			doubt_note_unlocked(d, of, locked, e, near);
		break;
	case OPERATION_UNKNOWN:
		d->may_unlock = d->may_unlock || (near && doubt_passes(d, of, locked, e));
		break;
	case OPERATION_START:
		d->starts = d->starts || doubt_passes(d, of, locked, e);
		break;
	case OPERATION_WRITE:
	case OPERATION_WRITES:
		if (near && doubt_passes(d, of, locked, e))
			doubt_note_word(&d->written, e, near);
		break;
	default:
		break;
	}
}

static void doubt_look_from(struct doubting *d, const struct walk_of *of, uint64_t locked,
			    enum near near)
{
	for (size_t i = 0; i < d->a->events.count; i++)
		doubt_note_passed(d, of, locked, &d->a->events.list[i], near);
}

static void doubt_walk(struct doubting *d, const struct walk_of *of)
{
	d->a->events.count = 0;
	walk_code(d->a->walker, of, &d->a->events);
}

/* Returns false if no way is known on which the lock was taken. */
static bool doubt_look_from_locks(struct doubting *d, const struct walk_of *of,
				  enum near near)
{
	const struct event_list *events = &d->a->events;
	bool ret = false;

	for (size_t i = 0; i < events->count; i++) {
		const struct event e = events->list[i];
		if (!is_lock(e.operation) || e.addr != d->addr ||
		    !doubt_reaches(d, of, e.pc, of->end, doubt_is_unlocked))
			continue;
		ret = d->knows = true;
		doubt_look_from(d, of, e.pc, near);
	}
	return ret;
}

/* The function may have kept the address of a lock that is not known otherwise:
 * symbolic.h. */
static void doubt_walk_with_stand_ins(struct doubting *d, const struct walk_of *of)
{
	struct walk_hidden *h = &d->hidden;
	struct event_list *events = &d->a->events;
	const size_t first = h->source_count;
	struct symbolic symbolic;
	struct walk_of with = *of;

	symbolic_init(&symbolic, of->stack_valid, of->cfa + SPILLED_WORDS * WORD);
	with.symbolic = &symbolic;
	with.infer = false;
	doubt_walk(d, &with);
	walk_resolve(d->a->walker, &with);
	for (size_t i = 0; i < events->count; i++)
		if (!symbolic_true(&symbolic, events->list[i].addr,
				   &events->list[i].addr))
			events->list[i].addr = 0;
	for (size_t i = first; i < h->source_count; i++)
		if (!symbolic_true(&symbolic, h->sources[i].addr, &h->sources[i].addr) ||
		    !symbolic_true(&symbolic, h->sources[i].value, &h->sources[i].value))
			h->sources[i].addr = 0;
}

static void doubt_look_back(struct doubting *d, struct walk_of of, uint64_t end,
			    enum near near)
{
	of.goes_on = false;
	of.begin = of.routine->entry;
	of.end = end;
	of.infer = true;
	doubt_walk(d, &of);
	if (near == NEAR_ITS && doubt_look_from_locks(d, &of, near))
		return;
	if (near == NEAR_ITS) {
		doubt_walk_with_stand_ins(d, &of);
		if (doubt_look_from_locks(d, &of, near))
			return;
	}
	doubt_look_from(d, &of, 0, near);
}

static void doubt_look_ahead(struct doubting *d, const struct walk_of *of, enum near near)
{
	for (size_t i = 0; i < d->a->events.count; i++) {
		const struct event *e = &d->a->events.list[i];
		const bool locks = doubt_is_locked(d, e) && (near || !e->guessed);
		const bool calls = near && e->operation == OPERATION_UNKNOWN;
		const bool writes = near && (e->operation == OPERATION_WRITE ||
					     e->operation == OPERATION_WRITES);
		if ((!locks && !calls && !writes) ||
		    !doubt_reaches(d, of, 0, e->pc, doubt_is_unlocked))
			continue;
		d->locks |= locks;
		d->may_lock |= calls;
		if (writes)
			doubt_note_word(&d->will_write, e, near);
	}
}

/* Nearly every function calls some that are not known. As a rule, functions of another
 * package than the one that locks do not know its lock. */
static bool doubt_is_near(const struct doubting *d, const struct routine *r)
{
	const struct routine *its =
		routine_of(d->a->routines, &d->stack.frames[d->frame]);

	return its && routine_is_of_package(r, its);
}

static bool doubt_look_at_frame(void *arg, const struct physical_frame *f)
{
	struct doubting *d = arg;
	struct operations *a = d->a;
	const struct raw_frame *raw = &d->stack.frames[f->frame];
	struct routine *r = routine_of(a->routines, raw);
	const bool is_its = (uint32_t)f->frame == d->frame;

	if ((uint32_t)f->frame > d->frame)
		return false;
	d->have_ended |= r && operations_end_others(r);
	if (!r || r->operation || r->foreign)
		return !is_its;
	const enum near near = is_its		     ? NEAR_ITS
			       : doubt_is_near(d, r) ? NEAR_PACKAGE
						     : NEAR_NOT;
	struct walk_of of = operations_frame(d->g, r, raw, f);
	of.hidden = &d->hidden;
	if (!d->have_ended && operations_go_on(a, r, raw)) {
		doubt_walk(d, &of);
		doubt_look_ahead(d, &of, near);
	}
	doubt_look_back(d, of, routine_call(r, raw), near);
	return !is_its && *walker_budget(a->walker) > 0;
}

static void doubt_look_at_deferred(struct doubting *d, const struct deferred *deferred)
{
	struct operations *a = d->a;
	struct routine *to =
		deferred->function ? routine_at(a->routines, deferred->function) : NULL;

	if (!to || to->operation || to->foreign ||
	    operations_frame_of(a, d->g, d->stack, deferred) > d->frame)
		return;
	struct walk_of of = operations_deferred(d->g, to, deferred);
	of.hidden = &d->hidden;
	doubt_walk(d, &of);
	doubt_look_ahead(d, &of, NEAR_ITS);
}

/* Did one of the words lead to the lock? */
static bool doubt_is_moved(const struct doubting *d, const struct doubt_words *words)
{
	for (size_t i = 0; i < d->hidden.source_count; i++) {
		const struct walk_word *source = &d->hidden.sources[i];
		if (source->value != d->addr)
			continue;
		if (source->bit & words->bits)
			return true;
		for (size_t k = 0; k < words->count; k++)
			if (words->list[k] == source->addr)
				return true;
	}
	return false;
}

/* Was a word given the lock's address since, and will it be given another one before the
 * unlocking? Then the frame took another lock. This counts only if it is not known where
 * the frame took the lock. */
static bool doubt_is_swapped(const struct doubting *d)
{
	struct err ignored;
	uint64_t to;

	for (size_t i = 0; !d->knows && i < d->written.count; i++)
		for (size_t k = 0; k < d->will_write.count; k++)
			if (d->written.list[i] == d->will_write.list[k] &&
			    target_read_uint(d->a->rt->target, d->written.list[i], WORD,
					     &to, &ignored) &&
			    to == d->addr)
				return true;
	return false;
}

static struct operation_doubt doubt_of(const struct doubting *d)
{
	const bool moved = doubt_is_moved(d, &d->written);
	const bool moves = doubt_is_moved(d, &d->will_write);
	/* If the work allowed did not suffice, nothing is excluded. */
	const bool partial =
		*walker_budget(d->a->walker) <= 0 || effects_partial(d->a->effects);

	const bool alone = partial || moved || moves || d->unlocks_alone || d->starts;

	return (struct operation_doubt){
		.some = alone ||
			((d->unlocks || d->may_unlock) && (d->locks || d->may_lock)),
		.only_unknown = !alone,
		.strong = !partial && ((moved && moves) || (d->unlocks && d->locks) ||
				       doubt_is_swapped(d)),
		.started = d->starts,
	};
}

struct operation_doubt operations_doubt(struct operations *a, const struct goroutine *g,
					enum operation release, uint64_t addr,
					uint32_t frame)
{
	struct doubting d = {
		.a = a,
		.g = g,
		.release = release,
		.addr = addr,
		.frame = frame,
		.hidden = { .effects = a->effects },
	};
	int64_t *budget = walker_budget(a->walker);

	if (a->left <= 0 || g->stack == NO_STACK || !goroutine_has_stack(g))
		return (struct operation_doubt){ .some = true };
	d.stack = runtimes_stack(a->rt->shared, g->stack);
	if (frame >= d.stack.count)
		return (struct operation_doubt){ .some = true };
	*budget = a->left < GOROUTINE_INSTRUCTIONS ? a->left : GOROUTINE_INSTRUCTIONS;
	effects_begin(a->effects);
	const int64_t before = *budget;
	const struct defer_list *defers = runtime_defers(a->rt, g);
	for (size_t i = 0; defers && i < defers->count; i++)
		doubt_look_at_deferred(&d, &defers->list[i]);
	physical_frames_each(a->rt, d.stack, doubt_look_at_frame, &d);
	a->left -= before - *budget;
	return doubt_of(&d);
}

bool operations_started(struct operations *a, const struct goroutine *g, uint32_t frame,
			const struct goroutine *started)
{
	if (g->stack == NO_STACK || !started->created_pc)
		return false;
	const struct stack stack = runtimes_stack(a->rt->shared, g->stack);
	const struct routine *r = routine_at(a->routines, started->created_pc);

	return r && frame < stack.count &&
	       r == routine_of(a->routines, &stack.frames[frame]);
}
