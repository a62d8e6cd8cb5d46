/* SPDX-License-Identifier: Apache-2.0 */
/* From the types of a function's arguments, and the places that debugging information tells for its entry:
 * what they lead to, once. */
#include <string.h>

#include "goruntime/calls/call_plan.h"
#include "goruntime/calls/call_labels.h"
#include "goruntime/runtime/runtime_priv.h"

enum {
	STRING_MAX = 256,
	STRING_IN_SLICE_MAX = 96,
	ELEMENTS_MAX = 16,
	STRINGS = 4, /* of a slice of them */
	POINTEE_MAX = 256,
	BOXED_MAX = 64,	 /* of what an interface has, whose type is not known yet */
	HEADER_MAX = 96, /* of a map or channel */
	ITAB_BYTES = 24,
	DEPTH_MAX = 4, /* of structs and arrays in each other */
	PARTS_MAX = 64,
};

static bool at_of_piece(const struct frame_variables *frame,
			const struct dwarf_piece *piece, uint64_t off, uint64_t *ret)
{
	/* From the stack pointer, which is below the return address. */
	const int64_t cfa = frame->code->frame_size + WORD;
	int64_t at;

	if (piece->where == DWARF_PIECE_REGISTER && piece->at >= 0 &&
	    piece->at < CALL_REGISTERS && off == 0) {
		*ret = (uint64_t)piece->at * WORD;
		return true;
	}
	if (piece->where != DWARF_PIECE_CFA ||
	    __builtin_add_overflow(cfa, piece->at, &at) ||
	    __builtin_add_overflow(at, off, &at) || at < 0 ||
	    at > CALL_STACK_BYTES - WORD)
		return false;
	*ret = CALL_STACK_AT + (uint64_t)at;
	return true;
}

/* As in variable_place.c: pieces leave padding out. */
static bool at_of_variable(const struct call_place *p, uint64_t off, uint64_t *ret)
{
	const struct dwarf_variable *d = &p->variable->at;
	uint64_t begun = 0;

	for (size_t i = 0; i < d->piece_count; i++) {
		const struct dwarf_piece *piece = &d->pieces[i];
		const uint64_t size = piece->size;
		if (size == 2 || size == 4 || size == 8)
			begun += -begun & (size - 1);
		if (off >= begun && off - begun < size)
			return at_of_piece(p->frame, piece, off - begun, ret);
		begun += size;
	}
	return false;
}

static bool at_of_result(const struct call_result *r, uint64_t off, uint64_t *ret)
{
	const uint64_t at =
		WORD + r->stack + off; /* the CFA is above the return address */

	if (!r->in_registers) {
		*ret = CALL_STACK_AT + at;
		return at <= CALL_STACK_BYTES - WORD;
	}
	for (size_t i = 0; i < r->count; i++) {
		if (r->part[i].off != off || r->part[i].reg == CALL_PART_FLOAT)
			continue;
		*ret = (uint64_t)r->part[i].reg * WORD;
		return true;
	}
	return false;
}

bool call_place_at(const struct call_place *p, uint64_t off, uint64_t *ret)
{
	if (p->result)
		return at_of_result(p->result, off, ret);
	if (p->frame)
		return at_of_variable(p, off, ret);
	*ret = p->at + off;
	return p->size >= WORD && off <= p->size - WORD;
}

bool call_plan_add(struct call_planner *p, const struct call_place *from,
		   uint64_t addr_off, uint64_t length_off, uint64_t size, uint64_t max,
		   struct call_place *ret)
{
	uint64_t addr_at, length_at = CALL_NO_LENGTH;

	if (max > CALL_STEP_MAX)
		max = CALL_STEP_MAX;
	if (!size || !max || size > CALL_STEP_MAX || p->plan->count == CALL_STEPS ||
	    p->to >= CALL_OFFSETS || !call_place_at(from, addr_off, &addr_at) ||
	    (length_off && !call_place_at(from, length_off, &length_at)))
		return false;
	if (addr_at > CALL_OFFSETS - WORD ||
	    (length_at != CALL_NO_LENGTH && length_at > CALL_OFFSETS - WORD))
		return false;
	p->plan->step[p->plan->count++] = (struct call_step){
		.addr_at = (uint16_t)addr_at,
		.length_at = (uint16_t)length_at,
		.size = (uint16_t)size,
		.max = (uint16_t)max,
		.to = (uint16_t)p->to,
	};
	*ret = (struct call_place){ .at = p->to, .size = max };
	p->to += (max + WORD - 1) & ~(uint64_t)(WORD - 1);
	return true;
}

static void plan_value(struct call_planner *p, const struct type *type,
		       const struct call_place *place, uint64_t off, unsigned depth);

static void plan_sequence(struct call_planner *p, const struct type *type,
			  const struct call_place *place, uint64_t off)
{
	const struct type *elem = type_kind(type) == KIND_SLICE ? type_elem(type) : NULL;
	const uint64_t size = elem ? type_size(elem) : 1;
	struct call_place there, ignored;

	if (!call_plan_add(p, place, off, off + WORD, size,
			   elem ? size * ELEMENTS_MAX : STRING_MAX, &there) ||
	    !elem || type_kind(elem) != KIND_STRING)
		return;
	for (uint64_t i = 0; i < STRINGS; i++)
		(void)call_plan_add(p, &there, i * size, i * size + WORD, 1,
				    STRING_IN_SLICE_MAX, &ignored);
}

/* Of any type: its bytes, and what may be a string at its beginning, as errors have. */
static void plan_interface(struct call_planner *p, const struct type *type,
			   const struct call_place *place, uint64_t off)
{
	struct call_place there, ignored;

	if (type_has_methods(type))
		(void)call_plan_add(p, place, off, 0, ITAB_BYTES, ITAB_BYTES, &ignored);
	if (call_plan_add(p, place, off + WORD, 0, BOXED_MAX, BOXED_MAX, &there))
		(void)call_plan_add(p, &there, 0, WORD, 1, STRING_MAX, &ignored);
}

static void plan_pointer(struct call_planner *p, const struct type *type,
			 const struct call_place *place, uint64_t off, unsigned depth)
{
	const struct type *elem = type_elem(type);
	const uint64_t size = elem ? type_size(elem) : 0;
	struct call_place there;

	/* Once: not from what a pointer led to. */
	if (place->frame &&
	    call_plan_add(p, place, off, 0, size < POINTEE_MAX ? size : POINTEE_MAX,
			  POINTEE_MAX, &there))
		plan_value(p, elem, &there, 0, depth + 1);
}

static void plan_parts(struct call_planner *p, const struct type *type,
		       const struct call_place *place, uint64_t off, unsigned depth)
{
	if (type_kind(type) == KIND_STRUCT) {
		for (size_t i = 0; i < type_field_count(type); i++) {
			const struct type_field *f = type_field(type, i);
			if (f->type)
				plan_value(p, f->type, place, off + f->off, depth + 1);
		}
		return;
	}
	const struct type *elem = type_elem(type);
	for (uint64_t i = 0; elem && i < type_count(type) && i < ELEMENTS_MAX; i++)
		plan_value(p, elem, place, off + i * type_size(elem), depth + 1);
}

static void plan_value(struct call_planner *p, const struct type *type,
		       const struct call_place *place, uint64_t off, unsigned depth)
{
	struct call_place ignored;

	if (!type || depth > DEPTH_MAX || p->parts++ > PARTS_MAX)
		return;
	switch (type_kind(type)) {
	case KIND_STRING:
	case KIND_SLICE:
		plan_sequence(p, type, place, off);
		break;
	case KIND_POINTER:
		plan_pointer(p, type, place, off, depth);
		break;
	case KIND_INTERFACE:
		plan_interface(p, type, place, off);
		break;
	case KIND_STRUCT:
	case KIND_ARRAY:
		plan_parts(p, type, place, off, depth);
		break;
	case KIND_MAP:
	case KIND_CHAN:
		(void)call_plan_add(p, place, off, 0, HEADER_MAX, HEADER_MAX, &ignored);
		break;
	case KIND_FUNC:
		(void)call_plan_add(p, place, off, 0, WORD, WORD, &ignored);
		break;
	default:
		break;
	}
}

bool call_plan_begin(struct runtime *rt, uint64_t entry, struct frame_variables *ret)
{
	const struct code *c = code_with_calls(rt->code, entry, true);
	const char *why;

	if (!c || !c->call_count || c->frame_size < 0)
		return false;
	*ret = (struct frame_variables){
		.rt = rt, .code = c, .call = c->call_count - 1, .cfa = WORD
	};
	return variables_begin(ret, &why) && code_variables(rt, c)->scopes;
}

void call_plan_make(struct runtime *rt, uint64_t entry, struct call_plan *ret)
{
	struct call_planner p = { .plan = ret, .to = CALL_COPIES_AT };
	struct frame_variables frame;

	ret->count = 0;
	call_plan_labels(&rt->layout, &p);
	if (!call_plan_begin(rt, entry, &frame))
		return;
	const struct dwarf_scope *s = pc_variables_scope(&frame);
	const struct pc_variable *v =
		s && s->variable_count ? pc_variables_of(&frame, s) : NULL;
	for (size_t i = 0; v && i < s->variable_count; i++) {
		const struct call_place place = { .frame = &frame, .variable = &v[i] };
		if (v[i].reported && v[i].v.argument && !v[i].v.result)
			plan_value(&p, v[i].v.value.type, &place, 0, 0);
	}
}

void call_plan_make_results(struct runtime *rt, uint64_t entry, struct call_plan *ret)
{
	AUTO(xfree) struct call_results *results = xcalloc(1, sizeof(*results));
	struct call_planner p = { .plan = ret, .to = CALL_COPIES_AT };
	struct frame_variables frame;

	ret->count = 0;
	if (!call_plan_begin(rt, entry, &frame))
		return;
	call_results_find(&frame, results);
	for (size_t i = 0; i < results->count; i++) {
		const struct call_result *r = &results->list[i];
		const struct call_place place = { .frame = &frame, .result = r };
		if (r->type)
			plan_value(&p, r->type, &place, 0, 0);
	}
}
