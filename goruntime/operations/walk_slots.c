/* SPDX-License-Identifier: Apache-2.0 */
/* Finds values of a frame that stay as they are until the function returns. A place in
 * the frame keeps the value in memory if no instruction that can still run writes to it,
 * and its address was not taken, so that only this code can change it. Places are counted
 * from the CFA on. */
#include "goruntime/operations/walk_priv.h"

#include "goruntime/runtime/runtime_priv.h"

enum {
	ARGUMENTS_MAX = 16 * WORD, /* above the CFA */
	RESULTS_MAX = 64 * WORD,   /* of a call of an unknown function */
};

static bool is_in_frame(const struct walker *w, const struct operand *o)
{
	return o->kind == OPERAND_MEMORY && o->reg == (int)target_arch(w->rt->target)->sp;
}

static bool slots_place(const struct walker *w, const struct routine *r, size_t i,
			const struct operand *o, int64_t *ret)
{
	if (!is_in_frame(w, o) || r->frame_sizes[i] < 0)
		return false;
	*ret = o->number - r->frame_sizes[i] - (int64_t)WORD;
	return true;
}

static void slots_note(struct slots *s, int64_t begin, int64_t end)
{
	if (s->count == SLOTS_MAX) {
		s->is_full = true;
		return;
	}
	s->list[s->count++] = (struct slot_range){ begin, end };
}

/* Does an instruction write to its first operand? Comparisons, branches, jumps, returns
 * and calls do not. */
static bool slots_writes(const struct instruction *in)
{
	return in->kind != INSTRUCTION_COMPARE && in->kind < INSTRUCTION_BRANCH;
}

/* Does an instruction take the address of a place? Go's compiler copies the stack pointer
 * for the place that it points to. The frame pointer does not count: it is not used to
 * write. */
static bool slots_takes_address(const struct walker *w, const struct routine *r, size_t i,
				int64_t *ret)
{
	const struct arch *arch = target_arch(w->rt->target);
	const struct instruction *in = &r->list[i];
	const struct operand *to = &in->operand[0], *from = &in->operand[1];

	if (to->kind == OPERAND_REGISTER && to->reg == (int)arch->fp)
		return false;
	if (in->kind == INSTRUCTION_ADDRESS)
		return slots_place(w, r, i, from, ret);
	if (in->kind != INSTRUCTION_MOVE || from->kind != OPERAND_REGISTER ||
	    from->reg != (int)arch->sp || r->frame_sizes[i] < 0)
		return false;
	*ret = -r->frame_sizes[i] - (int64_t)WORD;
	return true;
}

/* Returns how far an object that begins there may reach: to the return address, or to the
 * end. */
static int64_t slots_end(int64_t at)
{
	return at < -(int64_t)WORD ? -(int64_t)WORD : ARGUMENTS_MAX;
}

/* Notes the places where a call returns results on the stack, and where the callee may
 * keep its arguments. */
static void slots_note_call(const struct walker *w, struct slots *s, size_t i)
{
	const struct instruction *in = &s->of->list[i];
	const struct routine *to =
		in->target ? routine_at(w->routines, in->target) : NULL;
	const uint32_t bytes = to ? to->argument_bytes : RESULTS_MAX;
	const int64_t sp = -s->of->frame_sizes[i] - (int64_t)WORD;

	if (s->of->frame_sizes[i] < 0 || bytes > RESULTS_MAX)
		s->is_full = true;
	else
		slots_note(s, sp, sp + bytes);
}

static void slots_note_one(const struct walker *w, struct slots *s, size_t i,
			   bool is_ahead)
{
	const struct instruction *in = &s->of->list[i];
	int64_t at;

	if (slots_takes_address(w, s->of, i, &at))
		slots_note(s, at, slots_end(at));
	if (is_ahead && in->kind == INSTRUCTION_CALL)
		slots_note_call(w, s, i);
	if (is_ahead && slots_writes(in) &&
	    slots_place(w, s->of, i, &in->operand[0], &at))
		slots_note(s, at,
			   in->operand[0].index < 0 ? at + in->operand[0].bytes
						    : slots_end(at));
}

/* Finds the places that may change from an instruction on. */
static void slots_find(struct walker *w, const struct routine *r, uint64_t begin)
{
	AUTO(xfree) uint8_t *ahead = walk_reached(w, r, begin);

	w->slots.of = r;
	w->slots.begin = begin;
	w->slots.count = 0;
	w->slots.is_full = false;
	for (size_t i = 0; i < r->count; i++)
		slots_note_one(w, &w->slots, i, ahead[i]);
	w->budget -= (int64_t)(r->count / 64) + 1;
}

static bool slots_keep(const struct slots *s, int64_t at, unsigned bytes)
{
	for (size_t i = 0; i < s->count; i++)
		if (at < s->list[i].end && at + bytes > s->list[i].begin)
			return false;
	return !s->is_full;
}

bool walk_slot(struct walker *w, const struct walk_of *of, size_t i,
	       const struct operand *o, uint64_t *ret)
{
	struct err ignored;
	int64_t at;

	if (!of->goes_on || o->bytes > WORD || o->index >= 0 ||
	    !slots_place(w, of->routine, i, o, &at) || at + o->bytes > ARGUMENTS_MAX ||
	    at < (int64_t)(of->stack_valid - of->cfa))
		return false;
	if (w->slots.of != of->routine || w->slots.begin != of->begin)
		slots_find(w, of->routine, of->begin);
	return slots_keep(&w->slots, at, o->bytes) &&
	       target_read_uint(w->rt->target, of->cfa + (uint64_t)at, o->bytes, ret,
				&ignored);
}
