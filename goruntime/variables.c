/* SPDX-License-Identifier: Apache-2.0 */
#include "variables.h"

#include <string.h>

#include "debug.h"
#include "dwarf_scopes.h"
#include "runtime_priv.h"
#include "value.h"

struct code_variables {
	struct dwarf_scopes *scopes; /* NULL: why */
	struct types *types;
	uint64_t bias;
	struct err why;
};

void code_variables_free(struct code_variables *variables)
{
	if (variables)
		dwarf_scopes_free(variables->scopes);
	xfree(variables);
}

static struct code_variables *look_up(struct runtime *rt, const struct code *c)
{
	struct code_variables *v = xcalloc(1, sizeof(*v));
	struct dwarf *d = NULL;

	if (!debug_of_module(rt, c->module, &d, &v->types, &v->why))
		return v;
	v->bias = image_bias(c->module->image);
	err_set(&v->why, ERR_NOT_FOUND,
		"the debugging information does not tell of this code");
	v->scopes = dwarf_scopes_at(d, c->pc - v->bias, c->exact, &v->why);
	return v;
}

bool variables_begin(struct frame_variables *frame, const char **ret_why)
{
	struct code *c = (struct code *)(uintptr_t)frame->code;

	if (!c->variables)
		c->variables = look_up(frame->rt, c);
	if (c->variables->scopes && frame->cfa)
		return true;
	*ret_why = c->variables->scopes ? "where its frame is, is not known"
					: c->variables->why.text;
	return false;
}

/* The calls that pclntab and the debugging information see in a pc are the same but for what
 * one of them leaves out: counted from the outermost, and by name where they are not as many. */
static const struct dwarf_scope *scope_of(const struct frame_variables *frame)
{
	const struct dwarf_scopes *scopes = frame->code->variables->scopes;
	uint32_t outer = frame->code->call_count - 1 - frame->call;

	if (outer >= scopes->count)
		return NULL;
	const struct dwarf_scope *s = &scopes->list[scopes->count - 1 - outer];
	bool same = scopes->count == frame->code->call_count || outer == 0 ||
		    (s->function &&
		     strcmp(s->function, frame->code->calls[frame->call].name) == 0);
	return same ? s : NULL;
}

/* What only the compiler declares. */
static bool is_compilers(const char *name)
{
	return !name || !*name || name[0] == '.' || strcmp(name, "_") == 0;
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

/* A variable is kept in pieces: they are put together, as far as they are there. */
static bool add_piece(struct frame_variables *frame, const struct dwarf_piece *piece,
		      struct value_pieces *to, uint64_t size, struct err *err)
{
	uint64_t addr;

	if (piece->where == DWARF_PIECE_VALUE) {
		value_add_bytes(to, &piece->at, size);
		return true;
	}
	if (piece->where == DWARF_PIECE_NOWHERE) {
		value_add_hole(to, size);
		return true;
	}
	return piece_address(frame, piece, &addr, err) &&
	       value_add_memory(frame->rt, to, addr, size, err);
}

static bool is_whole(const struct dwarf_variable *d)
{
	return d->piece_count == 1 && d->pieces[0].size == UINT64_MAX;
}

static const char *why_nowhere(const struct dwarf_variable *d)
{
	for (size_t i = 0; i < d->piece_count; i++) {
		switch (d->pieces[i].where) {
		case DWARF_PIECE_REGISTER:
		case DWARF_PIECE_BASE:
			return "it is kept in a register";
		case DWARF_PIECE_UNKNOWN:
			return "where it is kept is said in a way that is not known";
		default:
			break;
		}
	}
	return NULL;
}

static bool is_nowhere(const struct dwarf_variable *d)
{
	for (size_t i = 0; i < d->piece_count; i++)
		if (d->pieces[i].where != DWARF_PIECE_NOWHERE)
			return false;
	return true;
}

static void locate(struct frame_variables *frame, const struct dwarf_variable *d,
		   struct variable *ret, struct err *err)
{
	struct value_pieces *to;

	if (is_nowhere(d)) {
		ret->optimized_out = true;
		return;
	}
	if (is_whole(d) && piece_address(frame, &d->pieces[0], &ret->value.addr, err))
		return;
	ret->unreadable = why_nowhere(d);
	if (ret->unreadable)
		return;
	to = value_pieces_begin(frame->rt, &ret->value);
	uint64_t left = type_size(ret->value.type);
	for (size_t i = 0; i < d->piece_count; i++) {
		uint64_t size = d->pieces[i].size < left ? d->pieces[i].size : left;
		if (!add_piece(frame, &d->pieces[i], to, size, err))
			ret->unreadable = err->text;
		left -= size;
	}
	value_add_hole(to, left);
}

/* "&x" is where x lives that escaped to the heap. */
static void follow_escaped(struct frame_variables *frame, struct variable *v,
			   struct err *err)
{
	const struct type *elem = v->value.type ? type_elem(v->value.type) : NULL;
	uint64_t to;

	if (v->name[0] != '&')
		return;
	v->name++;
	v->escaped = true;
	if (v->unreadable || v->optimized_out)
		return;
	if (!runtime_bytes(frame->rt, v->value.addr, &to, sizeof(to), err))
		v->unreadable = err->text;
	else if (!to)
		v->unreadable = "it is not allocated yet";
	v->value = (struct value){ elem, to };
}

static bool is_hidden_by(const struct dwarf_scope *s, size_t i)
{
	const struct dwarf_variable *v = &s->variables[i];

	for (size_t k = 0; k < s->variable_count; k++)
		if (k != i && s->variables[k].depth > v->depth && s->variables[k].name &&
		    strcmp(s->variables[k].name, v->name) == 0)
			return true;
	return false;
}

/* Its declaration is still to come. */
static bool is_later(const struct frame_variables *frame, const struct dwarf_variable *d)
{
	uint32_t line = frame->code->calls[frame->call].line;

	return !d->parameter && d->line && line && d->line > line;
}

void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg)
{
	const struct dwarf_scope *s = scope_of(frame);

	for (size_t i = 0; s && i < s->variable_count; i++) {
		const struct dwarf_variable *d = &s->variables[i];
		struct variable v = { .name = d->name,
				      .argument = d->parameter,
				      .result = d->result,
				      .line = d->line };
		struct err err;
		if (d->parameter != arguments || is_compilers(d->name) ||
		    is_later(frame, d))
			continue;
		v.value.type = types_at(frame->code->variables->types, d->type, &err);
		v.shadowed = is_hidden_by(s, i);
		if (v.value.type)
			locate(frame, d, &v, &err);
		else
			v.unreadable = err.text;
		follow_escaped(frame, &v, &err);
		fn(arg, frame->rt, &v);
	}
}
