/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for ways through the code of a function, from instruction to instruction. Each is
 * visited once for each fact that may be known there. */
#include "goruntime/operations/walk_priv.h"

/* How the search for a way goes on from an instruction. */
enum step { STEP_ON, STEP_STOP, STEP_FOUND };

struct search {
	struct walker *w;
	const struct walk_of *of;
	const struct event_list *events;
	event_fn *undoes, *finds;
	void *arg;
};

static enum step step_at(const struct search *q, const struct instruction *in)
{
	for (size_t i = 0; i < q->events->count; i++) {
		const struct event *e = &q->events->list[i];
		if (e->pc != in->pc)
			continue;
		if (q->finds && q->finds(q->arg, e))
			return STEP_FOUND;
		/* With if_free, the lock is locked afterwards, whether or not it was
		 * free. */
		if ((e->surely || e->if_free) && q->undoes(q->arg, e))
			return STEP_STOP;
	}
	return STEP_ON;
}

/* A fact that holds on a way: none, or that one register is zero, or is not. Code
 * may test in one place what it has found out in another, as an inlined TryLock does. */
enum { NOTHING_KNOWN };

static unsigned known_of(unsigned reg, bool is_zero)
{
	return 1 + 2 * reg + is_zero;
}

/* Returns the fact that a register has this value. */
static unsigned known_value(unsigned reg, uint64_t value)
{
	/* Up to this number, the whole register and its lowest byte are both zero, or
	 * neither. */
	enum { NUMBER_MAX = 0xff };

	return value <= NUMBER_MAX ? known_of(reg, value == 0) : NOTHING_KNOWN;
}

static unsigned known_after(const struct search *q, size_t i, unsigned known)
{
	const struct instruction *in = &q->of->routine->list[i];
	const struct operand *to = &in->operand[0], *from = &in->operand[1];
	uint64_t value;

	if ((in->kind == INSTRUCTION_MOVE || in->kind == INSTRUCTION_EXTEND) &&
	    to->kind == OPERAND_REGISTER && to->reg < MACHINE_REGISTERS / 2) {
		if (from->kind == OPERAND_NUMBER)
			return known_value((unsigned)to->reg, (uint64_t)from->number);
		if (walk_slot(q->w, q->of, i, from, &value))
			return known_value((unsigned)to->reg, value);
	}
	return known && in->written >> ((known - 1) / 2) & 1 ? NOTHING_KNOWN : known;
}

/* An instruction that a way comes to, and the fact that is known there. */
struct way_place {
	size_t index;
	unsigned known;
};

struct ways {
	const struct routine *r;
	uint64_t *seen; /* by instruction; bit n: with fact n */
	struct way_place *list;
	size_t count, cap;
};

static void ways_visit(struct ways *ways, size_t index, unsigned known)
{
	if (index >= ways->r->count || ways->seen[index] >> known & 1)
		return;
	ways->seen[index] |= UINT64_C(1) << known;
	GROW(ways->list, ways->count, ways->cap);
	ways->list[ways->count++] = (struct way_place){ index, known };
}

/* Is the result of a comparison known? A comparison of a register with itself asks
 * whether it is zero; one of a word of the frame with a number, whether they are
 * equal. */
static bool is_compared(const struct search *q, struct way_place at, bool *ret_equal)
{
	const struct instruction *in = &q->of->routine->list[at.index];
	const struct operand *one = &in->operand[0], *other = &in->operand[1];
	uint64_t value;

	if (in->kind != INSTRUCTION_COMPARE)
		return false;
	if (one->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER) {
		const unsigned reg = (unsigned)one->reg;
		*ret_equal = at.known == known_of(reg, true);
		return one->reg == other->reg &&
		       (*ret_equal || at.known == known_of(reg, false));
	}
	if (in->masks || other->kind != OPERAND_NUMBER ||
	    !walk_slot(q->w, q->of, at.index, one, &value))
		return false;
	*ret_equal = value == (uint64_t)other->number;
	return true;
}

/* Is it known which way a branch goes? It follows the comparison. */
static bool is_decided(const struct search *q, struct way_place at, bool *ret_jumps)
{
	const struct instruction *in = &q->of->routine->list[at.index];
	const struct way_place before = { at.index - 1, at.known };
	bool equal;

	if (at.index == 0 || (in->when != BRANCH_EQUAL && in->when != BRANCH_NOT_EQUAL) ||
	    !is_compared(q, before, &equal))
		return false;
	*ret_jumps = equal == (in->when == BRANCH_EQUAL);
	return true;
}

size_t walk_next(struct routines *all, const struct routine *r, size_t i, size_t next[2])
{
	const struct instruction *in = &r->list[i];
	const bool inside = in->target >= r->entry && in->target < r->end;
	size_t n = 0;

	if (in->kind == INSTRUCTION_BRANCH || (in->kind == INSTRUCTION_JUMP && inside))
		next[n++] = routine_index(r, in->target);
	if (in->kind != INSTRUCTION_JUMP && in->kind != INSTRUCTION_RETURN &&
	    (in->kind != INSTRUCTION_CALL || call_returns(all, in)))
		next[n++] = i + 1;
	return n;
}

static void visit_next(const struct search *q, struct ways *ways, struct way_place at)
{
	const struct instruction *in = &ways->r->list[at.index];
	const unsigned known = known_after(q, at.index, at.known);
	size_t next[2];
	const size_t n = walk_next(q->w->routines, ways->r, at.index, next);
	bool jumps;

	if (in->kind == INSTRUCTION_BRANCH && is_decided(q, at, &jumps)) {
		ways_visit(ways, next[!jumps], known);
		return;
	}
	for (size_t i = 0; i < n; i++)
		ways_visit(ways, next[i], known);
}

static bool is_return(const struct routine *r, const struct instruction *in)
{
	return in->kind == INSTRUCTION_RETURN ||
	       (in->kind == INSTRUCTION_JUMP &&
		!(in->target >= r->entry && in->target < r->end));
}

/* Is there a way from instruction `from` to `end`, or to a return if that is 0, past no
 * event for which undoes() is true? */
static bool has_way(const struct search *q, size_t from, uint64_t end)
{
	const struct routine *r = q->of->routine;
	struct ways ways = { .r = r };

	q->w->budget -= (int64_t)(r->count / 64) + 1;
	if (q->w->budget <= 0)
		return true;
	AUTO(xfree) uint64_t *seen = ways.seen = xcalloc(r->count + 1, sizeof(*seen));
	bool found = false;

	ways_visit(&ways, from, NOTHING_KNOWN);
	while (ways.count > 0 && !found) {
		const struct way_place at = ways.list[--ways.count];
		const struct instruction *in = &r->list[at.index];
		found = end && in->pc == end;
		if (found)
			break;
		const enum step step = step_at(q, in);
		found = step == STEP_FOUND ||
			(step == STEP_ON && !end && is_return(r, in));
		if (step == STEP_ON)
			visit_next(q, &ways, at);
	}
	xfree(ways.list);
	return found;
}

uint8_t *walk_reached(struct walker *w, const struct routine *r, uint64_t begin)
{
	const size_t from = routine_index(r, begin);
	uint8_t *ret = xcalloc(r->count + 1, 1);
	AUTO(xfree) size_t *list = xcalloc(r->count + 1, sizeof(*list));
	size_t n = 0;

	if (from < r->count) {
		ret[from] = 1;
		list[n++] = from;
	}
	while (n > 0) {
		size_t next[2];
		const size_t i = list[--n], nexts = walk_next(w->routines, r, i, next);
		for (size_t k = 0; k < nexts; k++)
			if (next[k] < r->count && !ret[next[k]]) {
				ret[next[k]] = 1;
				list[n++] = next[k];
			}
	}
	return ret;
}

bool walk_always(struct walker *w, const struct walk_of *of,
		 const struct event_list *events, event_fn *undoes, event_fn *prevents,
		 void *arg)
{
	const struct search q = { w, of, events, undoes, prevents, arg };

	return of->routine->list &&
	       !has_way(&q, routine_index(of->routine, of->begin), 0);
}

bool walk_reaches(struct walker *w, const struct walk_of *of,
		  const struct event_list *events, uint64_t pc, event_fn *undoes,
		  void *arg)
{
	const struct search q = { w, of, events, undoes, NULL, arg };

	return of->routine->list && has_way(&q,
					    pc ? routine_index(of->routine, pc) + 1
					       : routine_index(of->routine, of->begin),
					    of->end);
}

bool walk_finds(struct walker *w, const struct walk_of *of,
		const struct event_list *events, event_fn *is_it, event_fn *undoes,
		void *arg)
{
	const struct search q = { w, of, events, undoes, is_it, arg };

	return of->routine->list &&
	       has_way(&q, routine_index(of->routine, of->begin), UINT64_MAX);
}

static bool is_there(void *arg, const struct event *e)
{
	(void)arg;
	(void)e;
	return true;
}

bool walk_avoids(struct walker *w, const struct walk_of *of, size_t from, uint64_t to,
		 uint64_t except)
{
	struct event e = { .surely = true, .pc = except };
	const struct event_list events = { &e, 1, 1 };
	const struct search q = { w, of, &events, is_there, NULL, NULL };

	return has_way(&q, from, to);
}

/* arg NULL: whatever it locks; else only an unknown lock. */
static bool explains_unlock(void *arg, const struct event *e)
{
	return is_lock(e->operation) && (!arg || !e->addr);
}

static bool is_nothing(void *arg, const struct event *e)
{
	(void)arg;
	(void)e;
	return false;
}

bool walk_unlocks_unknown(struct walker *w, const struct walk_of *of,
			  const struct event_list *events, const struct event *e,
			  bool in_callee)
{
	struct event unknown = { .addr = 0 };
	const struct search to = { .w = w,
				   .of = of,
				   .events = events,
				   .undoes = explains_unlock,
				   .arg = in_callee ? NULL : &unknown };
	const struct search on = { w, of, events, is_nothing, NULL, NULL };
	const struct routine *r = of->routine;

	return r->list && has_way(&to, routine_index(r, of->begin), e->pc) &&
	       has_way(&on, routine_index(r, e->pc) + 1, of->end);
}

bool event_is_same(void *arg, const struct event *e)
{
	const struct event *of = arg;

	return e->operation == of->operation && e->addr == of->addr;
}
