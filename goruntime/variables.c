/* SPDX-License-Identifier: Apache-2.0 */
#include "variables.h"

#include <string.h>

#include "closure_code.h"
#include "debug.h"
#include "dictionary.h"
#include "runtime_priv.h"
#include "slots.h"
#include "stale.h"
#include "value.h"
#include "variable_kind.h"

void code_variables_free(struct code_variables *variables)
{
	if (variables) {
		dwarf_scopes_free(variables->scopes);
		stack_map_deinit(&variables->map);
	}
	xfree(variables);
}

static struct code_variables *look_up(struct runtime *rt, const struct code *c)
{
	struct code_variables *v = xcalloc(1, sizeof(*v));
	struct dwarf *d = NULL;

	stack_map_read(rt, c, &v->map);
	if (!debug_of_module(rt, c->module, &d, &v->types, &v->why))
		return v;
	v->bias = image_bias(c->module->image);
	err_set(&v->why, ERR_NOT_FOUND,
		"the debugging information does not tell of this code");
	v->scopes = dwarf_scopes_at(d, c->pc - v->bias, c->exact, &v->why);
	closure_code_join(rt, c, d, v);
	return v;
}

const struct code_variables *code_variables(struct runtime *rt, const struct code *c)
{
	struct code *own = (struct code *)(uintptr_t)c;

	if (!c->variables)
		own->variables = look_up(rt, c);
	return c->variables;
}

bool variables_begin(struct frame_variables *frame, const char **ret_why)
{
	const struct code_variables *v = code_variables(frame->rt, frame->code);

	if (!frame->cfa)
		*ret_why = "where its frame is, is not known";
	else if (!v->scopes)
		*ret_why = v->why.text;
	return frame->cfa && (v->scopes || v->map.known);
}

/* The calls that pclntab and the debugging information see in a pc are the same but for what
 * one of them leaves out: counted from the outermost, and by name where they are not as many. */
static const struct dwarf_scope *scope_of(const struct frame_variables *frame)
{
	const struct dwarf_scopes *scopes = frame->code->variables->scopes;
	uint32_t outer = frame->code->call_count - 1 - frame->call;

	if (!scopes || outer >= scopes->count)
		return NULL;
	const struct dwarf_scope *s = &scopes->list[scopes->count - 1 - outer];
	bool same = scopes->count == frame->code->call_count || outer == 0 ||
		    (s->function &&
		     strcmp(s->function, frame->code->calls[frame->call].name) == 0);
	return same ? s : NULL;
}

static bool has_register(const struct frame_variables *frame, int64_t n)
{
	return frame->regs && n >= 0 && n < ARCH_REGS_MAX &&
	       reg_known(frame->regs, (unsigned)n);
}

/* amd64: xmm0 has number 17 (System V ABI, figure 3.36). */
static const uint8_t *vector_register(const struct frame_variables *frame, int64_t n)
{
	enum { VECTOR_FIRST = 17 };

	if (!frame->vectors || n < VECTOR_FIRST ||
	    n - VECTOR_FIRST >= frame->vectors->count)
		return NULL;
	return frame->vectors->value[n - VECTOR_FIRST];
}

/* False: it is not known. */
static bool add_register(const struct frame_variables *frame, int64_t n,
			 struct value_pieces *to, uint64_t size)
{
	const uint8_t *vector = vector_register(frame, n);

	if (vector)
		value_add_bytes(to, vector, size);
	else if (has_register(frame, n))
		value_add_bytes(to, &frame->regs->value[n], size);
	return vector || has_register(frame, n);
}

/* Where in memory a piece is. False: in none (err untouched), or err says why. */
static bool piece_address(struct frame_variables *frame, const struct dwarf_piece *piece,
			  uint64_t *ret, struct err *err)
{
	switch (piece->where) {
	case DWARF_PIECE_CFA:
		*ret = frame->cfa + (uint64_t)piece->at;
		return true;
	case DWARF_PIECE_ADDRESS:
		*ret = frame->code->variables->bias + (uint64_t)piece->at;
		return true;
	case DWARF_PIECE_BASE:
		if (!has_register(frame, piece->at))
			return false;
		*ret = frame->regs->value[piece->at] + (uint64_t)piece->more;
		return true;
	case DWARF_PIECE_POINTED:
		if (!value_words(frame->rt, frame->cfa + (uint64_t)piece->at, ret, 1,
				 err))
			return false;
		*ret += (uint64_t)piece->more;
		return true;
	default:
		return false;
	}
}

/* What is kept in two places is known when both hold the same. */
static bool is_certain(struct frame_variables *frame, const struct dwarf_piece *piece,
		       uint64_t addr, uint64_t size, struct err *err)
{
	const struct dwarf_piece other = { .where = piece->where, .at = piece->other };
	uint64_t words[2] = { 0 }, other_addr;

	if (!piece->twice || size > sizeof(words[0]))
		return true;
	if (!piece_address(frame, &other, &other_addr, err) ||
	    !target_read(frame->rt->target, addr, &words[0], size, err) ||
	    !target_read(frame->rt->target, other_addr, &words[1], size, err))
		return false;
	return words[0] == words[1] ||
	       err_set(err, ERR_BAD_DATA,
		       "two places are said to hold it, and they differ");
}

/* A variable is kept in pieces: they are put together, as far as they are there. */
static bool add_piece(struct frame_variables *frame, const struct dwarf_piece *piece,
		      struct value_pieces *to, uint64_t size, struct err *err)
{
	uint64_t addr;

	if (piece->where == DWARF_PIECE_VALUE) {
		value_add_bytes(to, &piece->at, size);
		return true;
	}
	if (piece->where == DWARF_PIECE_REGISTER)
		return add_register(frame, piece->at, to, size);
	if (piece->where == DWARF_PIECE_NOWHERE) {
		value_add_hole(to, size);
		return true;
	}
	return piece_address(frame, piece, &addr, err) &&
	       is_certain(frame, piece, addr, size, err) &&
	       value_add_memory(frame->rt, to, addr, size, err);
}

static bool is_whole(const struct dwarf_variable *d)
{
	return d->piece_count == 1 && d->pieces[0].size == UINT64_MAX;
}

static const char *why_nowhere(const struct frame_variables *frame,
			       const struct dwarf_variable *d)
{
	for (size_t i = 0; i < d->piece_count; i++) {
		const int64_t n = d->pieces[i].at;
		switch (d->pieces[i].where) {
		case DWARF_PIECE_REGISTER:
			if (vector_register(frame, n))
				break;
			__attribute__((fallthrough));
		case DWARF_PIECE_BASE:
			if (has_register(frame, n))
				break;
			return "it is kept in a register";
		case DWARF_PIECE_UNKNOWN:
			return "where it is kept is said in a way that is not known";
		default:
			break;
		}
	}
	return NULL;
}

/* Go's compiler gives pieces for the numbers and words of a struct only, none for what is between
 * them (cmd/compile/internal/ssa/debug.go, in each release). */
static uint64_t padding_before(uint64_t off, uint64_t size)
{
	bool aligned = size == 2 || size == 4 || size == 8;

	return aligned ? -off & (size - 1) : 0;
}

static void locate(struct frame_variables *frame, const struct dwarf_variable *d,
		   struct variable *ret, struct err *err)
{
	struct value_pieces *to;

	if (variable_is_nowhere(d)) {
		ret->optimized_out = true;
		return;
	}
	if (is_whole(d) && piece_address(frame, &d->pieces[0], &ret->value.addr, err))
		return;
	ret->unreadable = why_nowhere(frame, d);
	if (ret->unreadable)
		return;
	to = value_pieces_begin(frame->rt, &ret->value);
	uint64_t left = type_size(ret->value.type), whole = left;
	for (size_t i = 0; i < d->piece_count; i++) {
		uint64_t gap = padding_before(whole - left, d->pieces[i].size);
		value_add_hole(to, gap < left ? gap : left);
		left -= gap < left ? gap : left;
		uint64_t size = d->pieces[i].size < left ? d->pieces[i].size : left;
		if (!add_piece(frame, &d->pieces[i], to, size, err))
			ret->unreadable = err->text;
		left -= size;
	}
	value_add_hole(to, left);
}

void variable_follow(struct runtime *rt, struct variable *v, struct err *err)
{
	const struct type *elem = v->value.type ? type_elem(v->value.type) : NULL;
	uint64_t to;

	if (v->name[0] != '&')
		return;
	const uint64_t at = v->value.addr;
	v->name++;
	v->escaped = true;
	v->value = (struct value){ elem, 0 };
	if (v->unreadable || v->optimized_out)
		return;
	if (!runtime_bytes(rt, at, &to, sizeof(to), err))
		v->unreadable = err->text;
	else if (!to)
		v->unreadable = "it is not allocated yet";
	else
		v->value.addr = to;
}

/* What is told of variable i of a scope. False: it is not of this sort, or not there yet. */
static bool begin_variable(const struct frame_variables *frame,
			   const struct dwarf_scope *s, const struct dwarf_variable *d,
			   struct variable *ret)
{
	*ret = (struct variable){
		.argument = d->parameter,
		.result = d->result,
		.compiler = variable_is_compilers(d),
		.captured = variable_is_captured(d, frame->code, frame->call),
		.shadowed = variable_is_hidden(s, d),
		.line = d->line,
	};
	return ret->captured ||
	       (!variable_is_later(d, frame->code->calls[frame->call].line) &&
		!variable_is_moved(s, d) && !variable_is_repeated(s, d));
}

/* Where the caller's dictionary is, as a frame has it. */
static struct dictionary find_dictionary(struct frame_variables *frame,
					 const struct dwarf_scope *s, struct err *err)
{
	const struct dwarf_variable *d = dictionary_variable(s);
	struct variable v = { .value = { .addr = 0 } };
	struct dictionary dictionary = { .why = "its dictionary is not kept" };

	if (!d && dictionary_find(frame, &dictionary.addr))
		return dictionary;
	dictionary.addr = 0;
	if (!d || !is_whole(d) || variable_is_nowhere(d) ||
	    !piece_address(frame, &d->pieces[0], &v.value.addr, err))
		return dictionary;
	/* Of one that is only ever passed on, a place is said that nobody writes to. */
	if (variable_is_stale(frame, d, NULL))
		return dictionary;
	if (!value_words(frame->rt, v.value.addr, &dictionary.addr, 1, err))
		dictionary.why = err->text;
	return dictionary;
}

static void settle_type(struct frame_variables *frame, const struct dwarf_scope *s,
			const struct dwarf_variable *d, struct variable *v,
			struct err *err)
{
	struct err why;

	if (!dictionary_has(d, v))
		return;
	struct dictionary dictionary = find_dictionary(frame, s, &why);
	dictionary_settle(frame->rt, &dictionary, frame->code->variables, d, v, err);
}

static void give(struct frame_variables *frame, const struct dwarf_scope *s,
		 const struct dwarf_variable *d, struct variable *v, variable_fn *fn,
		 void *arg)
{
	const struct dwarf_variable *moved = variable_moved_to(s, d),
				    *at = moved ? moved : d;
	struct err err, why_shape;

	v->name = at->name ? at->name : "";
	v->value.type = types_at(frame->code->variables->types, at->type, &err);
	if (v->value.type)
		locate(frame, at, v, &err);
	else
		v->unreadable = err.text;
	if (!v->unreadable && !v->optimized_out) {
		v->stale = variable_is_stale(frame, at, v->value.type);
		v->may_be_unset = !v->captured && variable_may_be_unset(frame, at);
	}
	variable_follow(frame->rt, v, &err);
	settle_type(frame, s, d, v, &why_shape);
	fn(arg, frame->rt, v);
}

void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg)
{
	const struct dwarf_scope *s = scope_of(frame);

	for (size_t i = 0; s && i < s->variable_count; i++) {
		const struct dwarf_variable *d = &s->variables[i];
		struct variable v;
		if (d->parameter == arguments && begin_variable(frame, s, d, &v))
			give(frame, s, d, &v, fn, arg);
	}
	if (!frame->code->variables->scopes && !arguments &&
	    !frame->code->calls[frame->call].inlined)
		frame_each_slot(frame, fn, arg);
}
