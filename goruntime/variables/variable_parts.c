/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/variable_parts.h"

#include <string.h>

#include "goruntime/types/type_priv.h"

/* A word or a number in a type. */
struct part {
	uint64_t off, size;
	bool pointer; /* in stack maps as a pointer */
};

struct parts {
	struct part list[DWARF_PIECES];
	size_t count;
	bool unknown; /* too many, or not a suitable type */
	struct type_walk walk;
};

static void add(struct parts *p, uint64_t off, uint64_t size, bool pointer)
{
	if (p->count == DWARF_PIECES)
		p->unknown = true;
	else
		p->list[p->count++] = (struct part){ off, size, pointer };
}

static void take_apart(struct parts *p, const struct type *type, uint64_t off);

static void take_by_kind(struct parts *p, const struct type *type, uint64_t off)
{
	switch ((int)type->kind) {
	case KIND_STRING:
	case KIND_SLICE:
		add(p, off, WORD, true);
		add(p, off + WORD, WORD, false);
		if (type->kind == KIND_SLICE)
			add(p, off + 2 * WORD, WORD, false);
		break;
	case KIND_INTERFACE: /* the type word is not a pointer to the collector */
		add(p, off, WORD, false);
		add(p, off + WORD, WORD, true);
		break;
	case KIND_COMPLEX64:
	case KIND_COMPLEX128:
		add(p, off, type->size / 2, false);
		add(p, off + type->size / 2, type->size / 2, false);
		break;
	case KIND_ARRAY: /* longer ones are in memory as a whole */
		p->unknown |= type->count > 1;
		if (type->count == 1)
			take_apart(p, type_elem(type), off);
		break;
	case KIND_STRUCT:
		for (size_t i = 0; i < type_field_count(type) && !p->unknown; i++)
			take_apart(p, type->fields[i].type, off + type->fields[i].off);
		break;
	case KIND_CHAN:
	case KIND_FUNC:
	case KIND_MAP:
	case KIND_POINTER:
	case KIND_UNSAFE_POINTER:
		add(p, off, WORD, true);
		break;
	default:
		add(p, off, type->size, false);
	}
}

static void take_apart(struct parts *p, const struct type *type, uint64_t off)
{
	if (!type || !type_enter(&p->walk, type)) {
		p->unknown = true;
		return;
	}
	take_by_kind(p, type, off);
	type_leave(&p->walk);
}

/* Pieces belong to parts in order, but parts without a place have no piece: there may be
 * several ways to match them. */
enum ways { NO_WAY, ONE_WAY, SEVERAL_WAYS };

struct matching {
	const struct dwarf_variable *d;
	const struct stack_map *map;
	const struct parts *parts;
	int64_t home; /* where the caller put it; -1: not known */
	bool fits[DWARF_PIECES][DWARF_PIECES]; /* by piece and part */
	/* enum ways to match the pieces from this one on with the parts from this one on. */
	uint8_t ways[DWARF_PIECES + 1][DWARF_PIECES + 1];
};

static bool is_of_object(const struct stack_map *map, int64_t at)
{
	for (size_t i = 0; i < map->object_count; i++)
		if (stack_object_has(&map->objects[i], at))
			return true;
	return false;
}

/* Is it unknown whether it is a pointer? Pointers are together in a frame, and the stack
 * map ends with them (cmd/compile/internal/ssagen/pgen.go cmpstackvarLess, 1.27). */
static bool may_be_either(const struct matching *f, const struct dwarf_piece *piece)
{
	return piece->where != DWARF_PIECE_CFA || piece->at >= 0 || !f->map->known ||
	       piece->at % WORD || is_of_object(f->map, piece->at);
}

static bool fits(const struct matching *f, const struct dwarf_piece *piece, bool either,
		 const struct part *part)
{
	if (piece->size != UINT64_MAX && piece->size != part->size)
		return false;
	if (piece->where == DWARF_PIECE_CFA && piece->at >= 0)
		return f->home < 0 || piece->at - f->home == (int64_t)part->off;
	return either || part->pointer == (piece->at >= f->map->locals);
}

/* From the last piece and part backwards: trying each way could take too long. */
static void count_ways(struct matching *f)
{
	memset(f->ways[f->d->piece_count], ONE_WAY, sizeof(f->ways[0]));
	for (size_t i = f->d->piece_count; i-- > 0;) {
		const struct dwarf_piece *piece = &f->d->pieces[i];
		const bool either = may_be_either(f, piece);
		for (size_t k = f->parts->count; k-- > 0;) {
			f->fits[i][k] = fits(f, piece, either, &f->parts->list[k]);
			const unsigned n = f->ways[i][k + 1] +
					   (f->fits[i][k] ? f->ways[i + 1][k + 1] : 0);
			f->ways[i][k] = n < SEVERAL_WAYS ? (uint8_t)n : SEVERAL_WAYS;
		}
	}
}

/* *ret_first: the part of each piece in the first way. */
static enum ways match(struct matching *f, size_t *ret_first)
{
	size_t part = 0;

	count_ways(f);
	for (size_t i = 0; f->ways[0][0] != NO_WAY && i < f->d->piece_count; i++) {
		while (!f->fits[i][part] || f->ways[i + 1][part + 1] == NO_WAY)
			part++;
		ret_first[i] = part++;
	}
	return (enum ways)f->ways[0][0];
}

static uint64_t alignment(struct type_walk *w, const struct type *type);

static uint64_t alignment_of_fields(struct type_walk *w, const struct type *type)
{
	uint64_t most = 1;

	for (size_t i = 0; i < type_field_count(type) && !w->over; i++) {
		const struct type *inner = type->fields[i].type;
		uint64_t of = inner ? alignment(w, inner) : 1;
		most = of > most ? of : most;
	}
	return most;
}

/* 1 if the walk is over its limit. */
static uint64_t alignment(struct type_walk *w, const struct type *type)
{
	const struct type *elem = type->kind == KIND_ARRAY ? type_elem(type) : NULL;
	uint64_t ret = 1;

	if (type->kind == KIND_COMPLEX64 || type->kind == KIND_COMPLEX128)
		return type->size / 2;
	if (!elem && type->kind != KIND_STRUCT)
		return type->size && type->size < WORD ? type->size : WORD;
	if (!type_enter(w, type))
		return ret;
	ret = elem ? alignment(w, elem) : alignment_of_fields(w, type);
	type_leave(w);
	return ret;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Where the caller puts arguments and the function its results, if in memory: one after
 * the other. */
struct argument_area {
	uint64_t end;	 /* of those so far */
	bool in_results; /* they are aligned as a whole */
};

static uint64_t place_argument(struct argument_area *area, const struct dwarf_variable *v,
			       const struct type *type, bool *ret_over)
{
	struct type_walk walk = { 0 };
	const bool first_result = v->result && !area->in_results;
	const uint64_t at =
		round_up(area->end, first_result ? WORD : alignment(&walk, type));

	*ret_over |= walk.over;
	area->in_results |= v->result;
	area->end = at + type->size;
	return at;
}

/* -1: not known. They are in memory if the area has the size that the function
 * declares. */
static int64_t find_home(const struct frame_variables *frame, const struct dwarf_scope *s,
			 const struct dwarf_variable *d, bool *ret_over)
{
	const struct code *c = frame->code;
	struct argument_area area = { .end = 0 };
	struct pclntab_func func;
	int64_t home = -1;

	if (!d->parameter || c->calls[frame->call].inlined ||
	    !pclntab_find(&c->module->tab, c->entry, &func))
		return -1;
	for (size_t i = 0; i < s->variable_count; i++) {
		const struct dwarf_variable *v = &s->variables[i];
		struct err ignored;
		if (!v->parameter)
			continue;
		const struct type *type =
			types_at(c->variables->types, v->type, &ignored);
		if (!type)
			return -1;
		const uint64_t at = place_argument(&area, v, type, ret_over);
		if (v == d)
			home = (int64_t)at;
	}
	return round_up(area.end, WORD) == pclntab_args(&c->module->tab, &func) ? home
										: -1;
}

bool variable_is_one_part(const struct dwarf_variable *d, const struct type *type)
{
	struct parts parts = { .count = 0 };

	if (!d->alone || !type || type->c || d->pieces[0].where != DWARF_PIECE_REGISTER)
		return false;
	take_apart(&parts, type, 0);
	return !parts.unknown && parts.count > 1;
}

/* A single place on the stack may have all of it: a variable whose address is taken, or a
 * result that a deferred call may change. Such a variable is never in a register, which
 * has room for one part. */
static bool is_whole(const struct matching *f, const struct type *type)
{
	const struct dwarf_piece *piece = &f->d->pieces[0];

	if (!f->d->alone || piece->where != DWARF_PIECE_CFA)
		return !f->d->alone && piece->size == UINT64_MAX;
	if (f->d->in_register)
		return false;
	if (f->home >= 0 && piece->at >= 0)
		return piece->at == f->home;
	return f->d->result || type->kind == KIND_STRUCT || type->kind == KIND_ARRAY ||
	       is_of_object(f->map, piece->at) || stack_map_is_needed(f->map, piece->at);
}

/* In registers and words of the frame, as far as it is available. */
static bool is_in_places(const struct dwarf_variable *d)
{
	bool any = false;

	for (size_t i = 0; i < d->piece_count; i++) {
		enum dwarf_piece_at where = d->pieces[i].where;
		if (where != DWARF_PIECE_REGISTER && where != DWARF_PIECE_CFA &&
		    where != DWARF_PIECE_NOWHERE)
			return false;
		any |= where != DWARF_PIECE_NOWHERE;
	}
	return any;
}

size_t variable_parts(const struct frame_variables *frame, const struct dwarf_scope *s,
		      const struct dwarf_variable *d, const struct type *type,
		      struct dwarf_piece *ret, bool *ret_over)
{
	struct parts parts = { .count = 0 };
	struct matching f = { .d = d,
			      .map = &frame->code->variables->map,
			      .parts = &parts };
	size_t first[DWARF_PIECES];

	*ret_over = false;
	if (!type || type->c || !d->listed || !is_in_places(d))
		return 0;
	take_apart(&parts, type, 0);
	*ret_over = parts.walk.over;
	if (parts.unknown || d->piece_count >= parts.count)
		return 0;
	f.home = find_home(frame, s, d, ret_over);
	if (is_whole(&f, type))
		return 0;
	const enum ways ways = match(&f, first);
	/* The cap of most slices is never used. */
	bool capless = type->kind == KIND_SLICE && d->piece_count == 2 &&
		       ways != NO_WAY && first[0] == 0 && first[1] == 1;
	for (size_t i = 0; i < parts.count; i++)
		ret[i] = (struct dwarf_piece){ .where = DWARF_PIECE_NOWHERE,
					       .size = parts.list[i].size };
	for (size_t i = 0; (ways == ONE_WAY || capless) && i < d->piece_count; i++) {
		struct dwarf_piece *piece = &ret[first[i]];
		const uint64_t size = piece->size;
		*piece = d->pieces[i];
		piece->size = size;
	}
	return parts.count;
}
