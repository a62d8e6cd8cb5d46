/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden effects: adds events for calls that are not followed, and for writes to words
 * outside of the frame, and records which of these words are read. */
#include "goruntime/operations/effects.h"
#include "goruntime/operations/walk_priv.h"
#include "goruntime/runtime/runtime_priv.h"

enum {
	SETTER_BYTES = 512,
	/* The greatest distance of a lock from the target of a pointer. */
	OBJECT_BYTES = 1 << 12,
};

static void hidden_note_word(struct walk_word *words, size_t *count,
			     struct walk_word word)
{
	if (*count < WALK_WORDS_MAX)
		words[(*count)++] = word;
}

void walk_note_locked(struct following *f, uint64_t lock)
{
	struct walk_hidden *h = f->of->hidden;

	for (size_t i = f->first_read; i < h->read_count; i++)
		if (lock - h->reads[i].value < OBJECT_BYTES)
			hidden_note_word(h->sources, &h->source_count,
					 (struct walk_word){ h->reads[i].addr, lock,
							     h->reads[i].bit });
}

/* Is the operand a word outside of the frame, and of the stack below it? */
static bool hidden_is_elsewhere(const struct following *f, const struct machine_state *s,
				const struct operand *o, uint64_t *ret)
{
	return o->kind == OPERAND_MEMORY && o->bytes == WORD &&
	       o->reg != (int)target_arch(f->w->rt->target)->sp &&
	       machine_address(s, o, 0, ret) &&
	       !(*ret >= f->of->stack_low && *ret < f->of->stack_valid);
}

static bool hidden_was_written(const struct following *f, enum operation operation,
			       uint64_t addr, uint64_t pc)
{
	for (size_t i = 0; i < f->events->count; i++)
		if (f->events->list[i].operation == operation &&
		    f->events->list[i].addr == addr && f->events->list[i].pc == pc)
			return true;
	return false;
}

static void hidden_note_write(struct following *f, const struct machine_state *s,
			      const struct instruction *in)
{
	const struct operand *to = &in->operand[0];
	uint64_t addr;
	const bool known = machine_address(s, to, 0, &addr);
	const enum operation operation = known ? OPERATION_WRITE : OPERATION_WRITES;

	if (!known)
		addr = effect_word(target_arch(f->w->rt->target), to);
	if ((!known || hidden_is_elsewhere(f, s, to, &addr)) &&
	    !hidden_was_written(f, operation, addr, in->pc))
		walk_add_event(f, operation, addr, in->pc, false);
}

/* Does the instruction save an argument in the frame? Then its value is taken from
 * there. */
static bool hidden_is_saved(const struct following *f, const struct machine_state *s,
			    const struct instruction *in, uint64_t sp, uint64_t *ret)
{
	uint64_t ignored;

	return f->of->infer && in->kind == INSTRUCTION_MOVE &&
	       in->operand[1].kind == OPERAND_REGISTER &&
	       !machine_register(s, in->operand[1].reg, &ignored) &&
	       in->operand[0].reg == (int)target_arch(f->w->rt->target)->sp &&
	       machine_address(s, &in->operand[0], sp, ret);
}

void walk_note_words(struct following *f, struct machine_state *s,
		     const struct instruction *in, uint64_t sp)
{
	struct walk_hidden *h = f->of->hidden;
	const struct arch *arch = target_arch(f->w->rt->target);
	const struct operand *from = &in->operand[1];
	struct routine *loaded = effect_loaded(h->effects, in);
	uint64_t addr, value;
	struct err ignored;

	if (loaded)
		f->loaded = loaded;
	if (in->kind == INSTRUCTION_MOVE && in->operand[0].kind == OPERAND_REGISTER &&
	    from->kind == OPERAND_MEMORY)
		f->load = in;
	if (in->kind == INSTRUCTION_MOVE && hidden_is_elsewhere(f, s, from, &addr) &&
	    machine_load(s, addr, &value))
		hidden_note_word(
			h->reads, &h->read_count,
			(struct walk_word){ addr, value, effect_word(arch, from) });
	if (hidden_is_saved(f, s, in, sp, &addr) &&
	    target_read_uint(f->w->rt->target, addr, WORD, &value, &ignored))
		hidden_note_word(h->reads, &h->read_count,
				 (struct walk_word){ addr, value, 0 });
	if (effect_writes(arch, in))
		hidden_note_write(f, s, in);
}

/* May it be a short function that changes a pointer, and does little else? */
static bool hidden_may_be_setter(struct following *f, struct routine *to)
{
	return !to->foreign && f->depth > 0 && to->end - to->entry <= SETTER_BYTES &&
	       routine_decode(f->w->routines, to) && !to->opaque;
}

static void hidden_note_effect(struct following *f, struct effect effect, uint64_t pc)
{
	if (effect.unlocks)
		walk_add_event(f, OPERATION_UNLOCK, 0, pc, false);
	if (effect.locks)
		walk_add_event(f, OPERATION_LOCK, 0, pc, true);
}

/* Notes a call of an unknown function: as the functions that the call before may have
 * returned, if these have an effect, else as OPERATION_UNKNOWN. */
static void hidden_note_unknown(struct following *f, const struct instruction *in)
{
	const struct operand *called = &in->operand[0];
	const bool is_loaded = called->kind == OPERAND_REGISTER && f->load &&
			       f->load->operand[0].reg == called->reg;
	const int64_t offset = is_loaded ? f->load->operand[1].number : called->number;
	const size_t first = f->events->count;
	struct effect effect = { 0 };

	if (f->called &&
	    effect_of_result(f->of->hidden->effects, f->called, offset, &effect))
		hidden_note_effect(f, effect, in->pc);
	for (size_t i = first; i < f->events->count; i++)
		f->events->list[i].guessed = true;
	if (!f->called || !(effect.unlocks || effect.locks))
		walk_add_event(f, OPERATION_UNKNOWN, 0, in->pc, false);
}

void walk_note_followed(struct following *f, struct routine *to, uint64_t pc,
			size_t events_before)
{
	struct effect effect = effect_of(f->of->hidden->effects, to);

	for (size_t i = events_before; i < f->events->count; i++) {
		effect.unlocks &= !is_unlock(f->events->list[i].operation);
		effect.locks &= !is_lock(f->events->list[i].operation);
	}
	hidden_note_effect(f, effect, pc);
}

void walk_note_receiver(struct following *f, struct routine *to, uint64_t pc)
{
	hidden_note_effect(f, effect_of(f->of->hidden->effects, to), pc);
}

void walk_note_call(struct following *f, const struct machine_state *s,
		    struct routine *to, uint64_t sp, const struct instruction *in)
{
	struct effects *effects = f->of->hidden->effects;

	if (!to)
		hidden_note_unknown(f, in);
	if (to && to->starts && f->loaded && effect_of(effects, f->loaded).unlocks)
		walk_add_event(f, OPERATION_START, 0, in->pc, false);
	if (!to || to->foreign)
		return;
	const struct effect effect = effect_of(effects, to);
	hidden_note_effect(f, effect, in->pc);
	const bool writes_any = effect.writes == EFFECT_WRITES_ANY;
	if (!effect.unlocks && !effect.locks && !writes_any &&
	    hidden_may_be_setter(f, to))
		walk_enter(f, s, to, sp, in->pc);
	else if (writes_any || (effect.writes && routine_is_of_package(f->r, to)))
		walk_add_event(f, OPERATION_WRITES, effect.writes, in->pc, false);
}
