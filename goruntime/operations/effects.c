/* SPDX-License-Identifier: Apache-2.0 */
/* Input: the instructions of a function. Each is classified by what it may do to any
 * lock: a call by the effect of the callee, an atomic instruction by the part of an
 * inlined Lock or Unlock that it may be. The function unlocks if a way leads from its
 * beginning to an instruction that unlocks, past none that may lock. It locks if a way
 * leads from an instruction that locks to a return, past none that may unlock. So a
 * function that locks and unlocks does neither. Ends: each function has its effect once;
 * one that is asked for while it is looked at, as in a recursion, has the effect of its
 * other calls. Cost: each instruction is visited twice. */
#include "goruntime/operations/effects.h"

#include "goruntime/operations/walk_priv.h"
#include "goruntime/runtime/runtime_priv.h"

enum {
	CALLS_MAX = 48,	    /* depth */
	WORK_MAX = 1 << 20, /* instructions */
	NUMBER_BEFORE = 8,  /* instructions between the load of a number and its use */
};

/* Effects of an instruction. One that it surely has begins a way, and one that it may
 * have ends a way. */
enum { LOCKS = 1, MAY_LOCK = 2, UNLOCKS = 4, MAY_UNLOCK = 8 };

enum known { KNOWN_NOT, KNOWN_BUSY, KNOWN };

struct effects {
	struct runtime *rt;
	struct routines *routines;
	int64_t left; /* instructions */
	unsigned depth;
	bool partial;
};

uint64_t effect_word(const struct arch *arch, const struct operand *o)
{
	enum {
		ELSEWHERE = 63,
		NOTED = 11, /* the register by which code notes pointers for the collector: gcWriteBarrier */
	};
	const uint64_t word = (uint64_t)o->number / WORD;

	if (o->kind != OPERAND_MEMORY || o->bytes != WORD || o->reg == (int)arch->sp ||
	    o->reg == (int)arch->fp || o->reg == NOTED)
		return 0;
	return UINT64_C(1) << (o->reg == (int)arch->pc || o->index >= 0 ||
					       word > ELSEWHERE
				       ? ELSEWHERE
				       : word);
}

bool effect_writes(const struct arch *arch, const struct instruction *in)
{
	return in->kind < INSTRUCTION_BRANCH && in->kind != INSTRUCTION_COMPARE &&
	       in->operand[1].kind != OPERAND_NUMBER &&
	       effect_word(arch, &in->operand[0]);
}

struct effects *effects_new(struct runtime *rt, struct routines *routines)
{
	struct effects *e = xcalloc(1, sizeof(*e));

	*e = (struct effects){ .rt = rt, .routines = routines, .left = WORK_MAX };
	return e;
}

void effects_free(struct effects *e)
{
	xfree(e);
}

/* Returns the function whose address an instruction loads, or whose address is in the
 * read-only memory, at the offset, whose address it loads. NULL: neither. */
static struct routine *loaded_at(struct effects *e, const struct instruction *in,
				 int64_t offset)
{
	const struct operand *from = &in->operand[1];

	if (in->kind != INSTRUCTION_ADDRESS || from->kind != OPERAND_MEMORY ||
	    from->reg != (int)target_arch(e->rt->target)->pc)
		return NULL;
	uint64_t entry = (uint64_t)from->number;
	struct routine *r = routine_at(e->routines, entry);
	if (!r) {
		struct bytes table =
			modules_bytes(e->rt->modules, entry + (uint64_t)offset);
		entry = bytes_u64(&table);
		r = table.bad ? NULL : routine_at(e->routines, entry);
	}
	return r && r->entry == entry ? r : NULL;
}

struct routine *effect_loaded(struct effects *e, const struct instruction *in)
{
	return loaded_at(e, in, 0);
}

static unsigned of_function(struct effects *e, struct routine *r)
{
	const struct effect effect = r ? effect_of(e, r) : (struct effect){ 0 };

	return (effect.locks ? LOCKS | MAY_LOCK : 0) |
	       (effect.unlocks ? UNLOCKS | MAY_UNLOCK : 0);
}

/* Returns the number that an atomic instruction adds, as itself or from a register into
 * which it was loaded. 0: not known. */
static int32_t number_added(const struct routine *r, size_t i)
{
	const struct operand *added = &r->list[i].operand[1];

	if (added->kind == OPERAND_NUMBER)
		return (int32_t)added->number;
	for (size_t n = 0;
	     added->kind == OPERAND_REGISTER && n < NUMBER_BEFORE && i-- > 0; n++) {
		const struct instruction *in = &r->list[i];
		if (!(in->written >> added->reg & 1))
			continue;
		return in->kind == INSTRUCTION_MOVE &&
				       in->operand[1].kind == OPERAND_NUMBER
			       ? (int32_t)in->operand[1].number
			       : 0;
	}
	return 0;
}

/* Returns the effect of an atomic addition. Where Lock or Unlock was inlined, a call of
 * its slow part follows. A counter's decrement, say, only looks like Unlock, and has no
 * such call. So an addition ends ways, and begins none. */
static unsigned of_added(const struct routine *r, size_t i)
{
	const int32_t number = number_added(r, i);

	return number == 1 ? MAY_LOCK : number == -1 ? MAY_UNLOCK : 0;
}

static unsigned of_instruction(struct effects *e, const struct routine *r, size_t i,
			       bool calls_loaded)
{
	const struct instruction *in = &r->list[i];
	const bool leaves = in->kind == INSTRUCTION_JUMP &&
			    !(in->target >= r->entry && in->target < r->end);

	if (in->kind == INSTRUCTION_LOCKED_EXCHANGE)
		return MAY_LOCK;
	if (in->kind == INSTRUCTION_LOCKED_ADD)
		return of_added(r, i);
	if (in->kind == INSTRUCTION_ADDRESS)
		return calls_loaded ? of_function(e, effect_loaded(e, in)) : 0;
	return (in->kind == INSTRUCTION_CALL || leaves) && in->target
		       ? of_function(e, routine_at(e->routines, in->target))
		       : 0;
}

/* Does it defer functions, or start goroutines? */
static void effect_find_calls(struct effects *e, const struct routine *r,
			      bool *ret_defers, bool *ret_starts)
{
	*ret_defers = *ret_starts = false;
	for (size_t i = 0; i < r->count; i++) {
		const struct instruction *in = &r->list[i];
		const struct routine *to = in->kind == INSTRUCTION_CALL && in->target
						   ? routine_at(e->routines, in->target)
						   : NULL;
		*ret_defers |= to && to->defers;
		*ret_starts |= to && to->starts;
	}
}

struct effect_ways {
	struct effects *e;
	const struct routine *r;
	const uint8_t *what; /* by instruction */
	uint8_t *seen;
	size_t *list;
	size_t count;
};

static void effect_visit(struct effect_ways *ways, size_t i)
{
	if (i >= ways->r->count || ways->seen[i])
		return;
	ways->seen[i] = 1;
	ways->list[ways->count++] = i;
}

static void effect_visit_next(struct effect_ways *ways, size_t i)
{
	size_t next[2];
	const size_t n = walk_next(ways->e->routines, ways->r, i, next);

	for (size_t k = 0; k < n; k++)
		effect_visit(ways, next[k]);
}

/* Does one of the ways lead to an instruction with an effect in `to`, or to a return if
 * that is 0, past no instruction with an effect in `ends`? */
static bool effect_leads(struct effect_ways *ways, unsigned to, unsigned ends)
{
	bool ret = false;

	while (ways->count > 0 && !ret) {
		const size_t i = ways->list[--ways->count];
		const enum instruction_kind kind = ways->r->list[i].kind;
		ret = ways->what[i] & to;
		if (ret || ways->what[i] & ends)
			continue;
		size_t next[2];
		ret = !to && (kind == INSTRUCTION_RETURN ||
			      (kind == INSTRUCTION_JUMP &&
			       walk_next(ways->e->routines, ways->r, i, next) == 0));
		effect_visit_next(ways, i);
	}
	memset(ways->seen, 0, ways->r->count);
	ways->count = 0;
	return ret;
}

/* Is it a function of sync/atomic that changes a pointer which it is given? */
static bool effect_is_atomic(const struct routine *r)
{
	return routine_is_named(r, "sync/atomic.StorePointer") ||
	       routine_is_named(r, "sync/atomic.SwapPointer") ||
	       routine_is_named(r, "sync/atomic.CompareAndSwapPointer") ||
	       routine_is_named(r, "sync/atomic.(*Value)") ||
	       routine_is_named(r, "sync/atomic.(*Pointer");
}

static uint64_t effect_find_words(struct effects *e, const struct routine *r, size_t i)
{
	const struct instruction *in = &r->list[i];
	const struct arch *arch = target_arch(e->rt->target);
	struct routine *to =
		(in->kind == INSTRUCTION_CALL || in->kind == INSTRUCTION_JUMP) &&
				in->target
			? routine_at(e->routines, in->target)
			: NULL;

	if (effect_writes(arch, in))
		return effect_word(arch, &in->operand[0]);
	if (to && effect_is_atomic(to))
		return EFFECT_WRITES_ANY;
	return to && to != r && !to->operation && routine_is_of_package(r, to)
		       ? effect_of(e, to).writes
		       : 0;
}

static struct effect effect_find(struct effects *e, struct routine *r)
{
	AUTO(xfree) uint8_t *what = xcalloc(r->count + 1, 1);
	AUTO(xfree) uint8_t *seen = xcalloc(r->count + 1, 1);
	AUTO(xfree) size_t *list = xcalloc(r->count + 1, sizeof(*list));
	struct effect_ways ways = { e, r, what, seen, list, 0 };
	struct effect ret = { 0 };
	bool defers, starts;
	unsigned all = 0;

	effect_find_calls(e, r, &defers, &starts);
	for (size_t i = 0; i < r->count; i++) {
		all |= what[i] = (uint8_t)of_instruction(e, r, i, defers || starts);
		ret.writes |= effect_find_words(e, r, i);
	}
	/* Deferred calls run however the function ends, even by a panic. */
	for (size_t i = 0; defers && !(all & UNLOCKS) && i < r->count; i++)
		ret.locks |= r->list[i].kind == INSTRUCTION_ADDRESS && what[i] & LOCKS;
	/* Bits in the frame say which deferred calls were reached, and ways do not know
	 * these. So a function that defers is taken to unlock only what it has locked, if
	 * it locks anything. */
	if (all & UNLOCKS && !(defers && all & LOCKS)) {
		effect_visit(&ways, 0);
		ret.unlocks = effect_leads(&ways, UNLOCKS, MAY_LOCK);
	}
	if (all & LOCKS) {
		for (size_t i = 0; i < r->count; i++)
			if (what[i] & LOCKS)
				effect_visit_next(&ways, i);
		ret.locks |= effect_leads(&ways, 0, MAY_UNLOCK);
	}
	return ret;
}

struct effect effect_of(struct effects *e, struct routine *r)
{
	if (r->operation)
		return (struct effect){ is_unlock(r->operation), is_lock(r->operation),
					0 };
	const bool is_new = r->effect_known == KNOWN_NOT && !r->foreign;
	if (is_new && e->depth < CALLS_MAX && e->left > 0) {
		const bool outer = e->partial;
		r->effect_known = KNOWN_BUSY;
		e->partial = false;
		struct effect found = { 0 };
		if (routine_decode(e->routines, r)) {
			e->left -= (int64_t)r->count;
			e->depth++;
			found = effect_find(e, r);
			e->depth--;
		}
		r->unlocks = found.unlocks;
		r->locks = found.locks;
		r->writes = found.writes;
		r->partial = e->partial;
		r->effect_known = KNOWN;
		e->partial = outer;
	} else if (is_new) {
		e->partial = true;
	}
	e->partial |= r->partial;
	return (struct effect){ r->unlocks, r->locks,
				effect_is_atomic(r) ? EFFECT_WRITES_ANY : r->writes };
}

void effects_begin(struct effects *e)
{
	e->partial = false;
}

bool effects_partial(const struct effects *e)
{
	return e->partial;
}

bool effect_of_result(struct effects *e, struct routine *returned_by, int64_t offset,
		      struct effect *ret)
{
	bool found = false;

	*ret = (struct effect){ 0 };
	if (!routine_decode(e->routines, returned_by))
		return false;
	for (size_t i = 0; i < returned_by->count; i++) {
		struct routine *r = loaded_at(e, &returned_by->list[i], offset);
		const unsigned what = of_function(e, r);
		found |= r && !r->foreign;
		ret->unlocks |= what & UNLOCKS;
		ret->locks |= what & LOCKS;
	}
	return found;
}
