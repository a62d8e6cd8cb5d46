/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/liveness.h"

#include <string.h>

#include "goruntime/symtab/arguments.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/variables/stack_map.h"

enum { WORDS_MAX = 64 };

/* Checks the pointers of a variable, word by word. */
struct asking {
	const struct stack_map *map;
	const struct dwarf_variable *d;
	size_t words; /* checked */
	bool dead, live;
	struct type_walk walk;
};

/* False: not in this frame's memory. */
static bool place_of(const struct dwarf_variable *d, uint64_t off, int64_t *ret)
{
	for (size_t i = 0; i < d->piece_count; i++) {
		const struct dwarf_piece *piece = &d->pieces[i];
		if (off >= piece->size) {
			off -= piece->size;
			continue;
		}
		*ret = (int64_t)((uint64_t)piece->at + off);
		return piece->where == DWARF_PIECE_CFA;
	}
	return false;
}

static void ask(struct asking *a, uint64_t off)
{
	int64_t place;

	a->words++;
	if (off % WORD || !place_of(a->d, off, &place) ||
	    !stack_map_is_dead(a->map, place))
		a->live = true;
	else
		a->dead = true;
}

static void ask_all(struct asking *a, const struct type *type, uint64_t off);

static void ask_elements(struct asking *a, const struct type *type, uint64_t off)
{
	const struct type *elem = type_elem(type);

	for (uint64_t i = 0; elem && i < type->count && a->words < WORDS_MAX && !a->live;
	     i++) {
		size_t before = a->words;
		ask_all(a, elem, off + i * elem->size);
		if (a->words == before)
			return; /* no pointers in it */
	}
}

/* The first word of an interface is not checked: what it points to is never freed
 * (cmd/compile/internal/liveness typebits.Set, 1.27). */
static void ask_by_kind(struct asking *a, const struct type *type, uint64_t off)
{
	switch ((int)type->kind) {
	case KIND_CHAN:
	case KIND_FUNC:
	case KIND_MAP:
	case KIND_POINTER:
	case KIND_SLICE:
	case KIND_STRING:
	case KIND_UNSAFE_POINTER:
		ask(a, off);
		break;
	case KIND_INTERFACE:
		ask(a, off + WORD);
		break;
	case KIND_ARRAY:
		ask_elements(a, type, off);
		break;
	case KIND_STRUCT:
		for (size_t i = 0; i < type_field_count(type); i++)
			if (type->fields[i].type)
				ask_all(a, type->fields[i].type,
					off + type->fields[i].off);
	}
}

static void ask_all(struct asking *a, const struct type *type, uint64_t off)
{
	if (a->words >= WORDS_MAX || a->live)
		return;
	if (!type_enter(&a->walk, type)) {
		a->live = true; /* assume so */
		return;
	}
	ask_by_kind(a, type, off);
	type_leave(&a->walk);
}

/* The runtime has pointers that stack maps leave out: those to memory outside the Go
 * heap, as also C has. */
static bool is_told_of(const struct frame_variables *frame, const struct type *type)
{
	const struct code *c = frame->code;
	const struct pclntab_call *call = code_own_call(c);
	const struct type *to = type->kind == KIND_POINTER ? type_elem(type) : NULL;

	return call->named && strncmp(call->name, "runtime.", 8) != 0 &&
	       strncmp(call->name, "internal/runtime/", 17) != 0 && !type->c &&
	       !(to && (to->c || strstr(to->name, "_Ctype_")));
}

static bool is_unwritten(const struct frame_variables *frame,
			 const struct dwarf_variable *d)
{
	const struct dwarf_piece *piece = &d->pieces[0];

	return d->parameter && !d->listed && !frame->code->calls[frame->call].inlined &&
	       piece->where == DWARF_PIECE_CFA && piece->at >= 0 &&
	       arguments_is_unset(frame->code->arguments, (uint64_t)piece->at);
}

bool variable_is_dead(const struct frame_variables *frame, const struct dwarf_variable *d,
		      const struct type *type)
{
	struct asking a = { .map = &frame->code->variables->map, .d = d };

	if (is_unwritten(frame, d))
		return true;
	if (!type || !a.map->known || !is_told_of(frame, type))
		return false;
	ask_all(&a, type, 0);
	return a.dead && !a.live;
}

static bool is_home_and_local(const struct dwarf_piece *piece)
{
	return piece->twice && (piece->at < 0) != (piece->other < 0);
}

static int64_t home_of(const struct dwarf_piece *piece)
{
	return piece->at < 0 ? piece->other : piece->at;
}

static int64_t local_of(const struct dwarf_piece *piece)
{
	return piece->at < 0 ? piece->at : piece->other;
}

/* The pointer where the caller put it is dead, and the other one is live. */
static bool is_renewed(const struct frame_variables *frame,
		       const struct dwarf_variable *d)
{
	const struct stack_map *map = &frame->code->variables->map;

	for (size_t i = 0; d->parameter && i < d->piece_count; i++)
		if (is_home_and_local(&d->pieces[i]) &&
		    stack_map_is_dead(map, home_of(&d->pieces[i])) &&
		    stack_map_is_needed(map, local_of(&d->pieces[i])))
			return !frame->code->calls[frame->call].inlined;
	return false;
}

void variable_respilled(const struct frame_variables *frame,
			const struct dwarf_variable *d, struct dwarf_variable *ret,
			struct dwarf_piece *pieces)
{
	*ret = *d;
	if (d->piece_count > DWARF_PIECES || !is_renewed(frame, d))
		return;
	for (size_t i = 0; i < d->piece_count; i++) {
		pieces[i] = d->pieces[i];
		if (!is_home_and_local(&pieces[i]))
			continue;
		pieces[i].at = local_of(&pieces[i]);
		pieces[i].twice = false;
	}
	ret->pieces = pieces;
}

bool variable_may_be_unset(const struct frame_variables *frame,
			   const struct dwarf_variable *d)
{
	const uint32_t line = frame->code->calls[frame->call].line;
	const struct dwarf_piece *piece = &d->pieces[0];

	if (piece->where != DWARF_PIECE_CFA || !line || d->line != line)
		return false;
	/* Results passed in memory are zeroed first, whatever the location list says. */
	if (d->result)
		return !d->listed || piece->at >= 0;
	return !d->parameter && !d->listed && !d->has_closure_offset;
}
