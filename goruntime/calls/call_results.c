/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/calls/call_results.h"

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/value.h"

/* amd64, cmd/compile/abi-internal.md: AX, BX, CX, DI, SI, R8 to R11, as DWARF numbers them. */
static const uint8_t integers[] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
enum { FLOATS = 15 };

struct assigning {
	bool registers;		 /* are used, from Go 1.17 on */
	size_t integers, floats; /* of them, so far */
	uint64_t stack;		 /* the next place there, from the CFA */
	struct call_result *result;
	struct type_walk *walk;
};

static bool assign_part(struct assigning *a, uint64_t off, uint64_t size, bool is_float)
{
	struct call_result *r = a->result;
	size_t *used = is_float ? &a->floats : &a->integers;

	if (r->count == CALL_RESULT_PARTS ||
	    *used == (is_float ? (size_t)FLOATS : ARRAY_SIZE(integers)))
		return false;
	r->part[r->count++] =
		(struct call_part){ off, size,
				    is_float ? CALL_PART_FLOAT : integers[*used] };
	++*used;
	return true;
}

static bool assign_words(struct assigning *a, uint64_t off, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!assign_part(a, off + i * WORD, WORD, false))
			return false;
	return true;
}

static bool assign(struct assigning *a, const struct type *type, uint64_t off);

static bool assign_fields(struct assigning *a, const struct type *type, uint64_t off)
{
	for (size_t i = 0; i < type_field_count(type); i++) {
		const struct type_field *f = type_field(type, i);
		if (!f->type || !assign(a, f->type, off + f->off))
			return false;
	}
	return true;
}

static bool assign_kind(struct assigning *a, const struct type *type, uint64_t off)
{
	const uint64_t size = type_size(type);

	switch (type_kind(type)) {
	case KIND_FLOAT32:
	case KIND_FLOAT64:
		return assign_part(a, off, size, true);
	case KIND_COMPLEX64:
	case KIND_COMPLEX128:
		return assign_part(a, off, size / 2, true) &&
		       assign_part(a, off + size / 2, size / 2, true);
	case KIND_STRING:
	case KIND_INTERFACE:
		return assign_words(a, off, 2);
	case KIND_SLICE:
		return assign_words(a, off, 3);
	case KIND_STRUCT:
		return assign_fields(a, type, off);
	case KIND_ARRAY:
		return type_count(type) == 0 ||
		       (type_count(type) == 1 && type_elem(type) &&
			assign(a, type_elem(type), off));
	case KIND_UNKNOWN:
		return false;
	default:
		return size <= WORD && assign_part(a, off, size, false);
	}
}

static bool assign(struct assigning *a, const struct type *type, uint64_t off)
{
	if (!type_enter(a->walk, type))
		return false;
	const bool ret = assign_kind(a, type, off);
	type_leave(a->walk);
	return ret;
}

static uint64_t alignment(const struct type *type, struct type_walk *walk);

static uint64_t alignment_of_fields(const struct type *type, struct type_walk *walk)
{
	uint64_t most = 1;

	if (!type_enter(walk, type))
		return WORD;
	for (size_t i = 0; i < type_field_count(type); i++) {
		const struct type *field = type_field(type, i)->type;
		const uint64_t one = field ? alignment(field, walk) : WORD;
		most = one > most ? one : most;
	}
	type_leave(walk);
	return most;
}

static uint64_t alignment_of_element(const struct type *type, struct type_walk *walk)
{
	if (!type_elem(type) || !type_enter(walk, type))
		return WORD;
	const uint64_t ret = alignment(type_elem(type), walk);
	type_leave(walk);
	return ret;
}

static uint64_t alignment(const struct type *type, struct type_walk *walk)
{
	switch (type_kind(type)) {
	case KIND_STRUCT:
		return alignment_of_fields(type, walk);
	case KIND_ARRAY:
		return alignment_of_element(type, walk);
	case KIND_COMPLEX64:
		return type_size(type) / 2;
	default:
		return type_size(type) < WORD && type_size(type) ? type_size(type) : WORD;
	}
}

/* All of it is in registers, or none: then it is the next on the stack. */
static void place(struct assigning *a, struct call_result *r)
{
	const struct assigning before = *a;

	a->result = r;
	if (a->registers && assign(a, r->type, 0)) {
		r->in_registers = true;
		return;
	}
	*a = before;
	r->count = 0;
	a->stack += -a->stack & (alignment(r->type, a->walk) - 1);
	r->stack = a->stack;
	a->stack += type_size(r->type);
}

/* Of a parameter; "&x" is not one, but where x has moved to. */
static const struct type *parameter_type(const struct frame_variables *frame,
					 const struct dwarf_variable *d)
{
	struct err ignored;

	return d->parameter && !(d->name && d->name[0] == '&')
		       ? types_at(frame->code->variables->types, d->type, &ignored)
		       : NULL;
}

/* Where results begin on the stack: behind the arguments there. */
static void pass_arguments(const struct frame_variables *frame,
			   const struct dwarf_scope *s, struct assigning *a)
{
	for (size_t i = 0; i < s->variable_count; i++) {
		struct call_result ignored = { .type = parameter_type(frame,
								      &s->variables[i]) };
		if (ignored.type && !s->variables[i].result)
			place(a, &ignored);
	}
	a->stack += -a->stack & (WORD - 1);
	a->integers = a->floats = 0;
}

/* "&x" has moved to the heap; what is returned is x. */
static const struct type *result_type(const struct pc_variable *v)
{
	const struct type *type = v->v.value.type;

	return type && v->v.name && v->v.name[0] == '&' ? type_elem(type) : type;
}

void call_results_find(const struct frame_variables *frame, struct call_results *ret)
{
	const struct dwarf_scope *s = pc_variables_scope(frame);
	const struct pc_variable *v =
		s && s->variable_count ? pc_variables_of(frame, s) : NULL;
	struct type_walk walk = { .of_value = true };
	struct assigning a = {
		.registers = layout_has(&frame->rt->layout, L_funcdata_arg_info),
		.walk = &walk,
	};

	ret->count = 0;
	if (v)
		pass_arguments(frame, s, &a);
	for (size_t i = 0; v && i < s->variable_count && ret->count < CALL_RESULTS; i++) {
		if (!v[i].reported || !v[i].v.argument || !v[i].v.result)
			continue;
		struct call_result *r = &ret->list[ret->count++];
		*r = (struct call_result){ .type = result_type(&v[i]) };
		if (!r->type)
			break;
		place(&a, r);
	}
}

struct giving {
	struct call_results results;
	size_t next;
	const struct regs *regs;
	uint64_t cfa;
	variable_fn *fn;
	void *arg;
};

static void take_parts(const struct giving *g, struct runtime *rt,
		       const struct call_result *r, struct variable *v)
{
	struct value_pieces *pieces = value_pieces_begin(rt, &v->value);
	uint64_t off = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct call_part *part = &r->part[i];
		value_add_hole(pieces, part->off - off);
		off = part->off + part->size;
		if (part->reg != CALL_PART_FLOAT) {
			value_add_bytes(pieces, &g->regs->value[part->reg], part->size);
			continue;
		}
		value_add_hole(pieces, part->size);
		if (r->count == 1)
			v->unreadable = "in a register with an unknown value";
	}
	value_add_hole(pieces, type_size(r->type) - off);
}

static void give(void *arg, struct runtime *rt, const struct variable *from)
{
	struct giving *g = arg;
	struct variable v = *from;

	if (!v.result || g->next == g->results.count)
		return;
	const struct call_result *r = &g->results.list[g->next++];
	v.may_be_unset = v.dead = v.escaped = false;
	if (r->type) {
		v.optimized_out = false;
		v.unreadable = NULL;
		v.value = (struct value){ r->type, g->cfa + r->stack };
	}
	if (r->in_registers)
		take_parts(g, rt, r, &v);
	g->fn(g->arg, rt, &v);
}

static void give_all(void *arg, const struct code_frame *f)
{
	struct giving *g = arg;

	if (!f->variables)
		return;
	g->cfa = f->variables->cfa;
	call_results_find(f->variables, &g->results);
	frame_each_variable(f->variables, true, give, g);
}

void call_results_each(struct runtimes *all, const struct goroutine *g,
		       const struct regs *regs, variable_fn *fn, void *arg)
{
	AUTO(xfree) struct giving *giving = xcalloc(1, sizeof(*giving));

	giving->regs = regs;
	giving->fn = fn;
	giving->arg = arg;
	runtimes_called_function(all, g, give_all, giving);
}
