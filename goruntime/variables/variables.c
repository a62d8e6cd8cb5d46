/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/variables_priv.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/debug.h"
#include "goruntime/values/value.h"
#include "goruntime/variables/closure_code.h"
#include "goruntime/variables/dictionary.h"
#include "goruntime/variables/slots.h"
#include "goruntime/variables/liveness.h"
#include "goruntime/variables/variable_kind.h"
#include "goruntime/variables/variable_parts.h"
#include "goruntime/variables/variable_place.h"

enum { WORD = 8 };

static void free_pc_variables(struct code_variables *variables)
{
	const struct dwarf_scopes *scopes = variables->scopes;

	for (size_t i = 0; variables->told && i < scopes->count; i++) {
		struct pc_variable *told = variables->told[i];
		for (size_t k = 0; told && k < scopes->list[i].variable_count; k++) {
			xfree(told[k].notes);
			xfree(told[k].pieces);
		}
		xfree(told);
	}
	xfree(variables->told);
}

void code_variables_free(struct code *c)
{
	struct code_variables *variables = TAKE(c->variables);

	if (!variables)
		return;
	free_pc_variables(variables);
	dwarf_scopes_free(variables->scopes);
	stack_map_deinit(&variables->map);
	xfree(variables->shapes);
	xfree(variables);
}

void variables_free(struct code_table *table)
{
	code_table_each(table, code_variables_free);
}

/* Is it below the stack pointer? At function entry there is no frame yet, and on return
 * there is none any more, though unoptimised code gives each variable one place
 * throughout. */
static bool is_below_frame(const struct code *c, int64_t off)
{
	return off < -((int64_t)c->frame_size + WORD);
}

static bool begins(const struct code *c)
{
	return c->at_instruction && c->pc == c->entry;
}

/* At function entry only arguments are in registers: up to Go 1.16 the location lists of
 * optimised code name registers of other variables from there on. */
static bool is_not_set(const struct code *c, const struct dwarf_variable *d,
		       const struct dwarf_piece *piece)
{
	switch (piece->where) {
	case DWARF_PIECE_CFA:
	case DWARF_PIECE_INDIRECT:
		return is_below_frame(c, piece->at);
	case DWARF_PIECE_REGISTER:
	case DWARF_PIECE_BASE:
		return begins(c) && !d->parameter;
	default:
		return false;
	}
}

static void drop_not_set(const struct code *c, struct dwarf_scopes *scopes)
{
	for (size_t i = 0; scopes && c->frame_size >= 0 && i < scopes->count; i++) {
		const struct dwarf_scope *s = &scopes->list[i];
		for (size_t k = 0; k < s->variable_count; k++)
			for (size_t n = 0; n < s->variables[k].piece_count; n++) {
				struct dwarf_piece *piece = &s->variables[k].pieces[n];
				if (is_not_set(c, &s->variables[k], piece))
					piece->where = DWARF_PIECE_NOWHERE;
			}
	}
}

static struct code_variables *look_up(struct runtime *rt, const struct code *c)
{
	struct code_variables *v = xcalloc(1, sizeof(*v));
	struct dwarf *d = NULL;

	stack_map_read(rt, c, &v->map);
	if (!debug_of_module(rt, c->module, &d, &v->types, &v->why)) {
		/* Each frame says so: where it was looked for is said once, of the process. */
		if (v->why.code == ERR_NOT_FOUND)
			err_set(&v->why, ERR_NOT_FOUND, "no debug information");
		return v;
	}
	v->bias = image_bias(c->module->image);
	err_set(&v->why, ERR_NOT_FOUND, "no debug information for this code");
	v->scopes = dwarf_scopes_at(d, c->pc - v->bias, c->at_instruction, &v->why);
	closure_code_join(rt, c, d, v);
	drop_not_set(c, v->scopes);
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
		*ret_why = "frame address unknown";
	else if (!v->scopes)
		*ret_why = v->why.text;
	return frame->cfa && (v->scopes || v->map.known);
}

/* pclntab and debugging information have the same calls at a pc, except for those that
 * one of them leaves out. They are matched from the outermost on, or by name if the
 * numbers differ. */
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
		v->unreadable = "not allocated yet";
	else
		v->value.addr = to;
}

static void keep_pieces(struct pc_variable *told, const struct dwarf_piece *pieces,
			size_t count)
{
	struct dwarf_piece *own = xcalloc(count, sizeof(*own));

	memcpy(own, pieces, count * sizeof(*own));
	xfree(told->pieces);
	told->at.pieces = told->pieces = own;
	told->at.piece_count = count;
}

/* given: the program declares it, and it is in scope: not declared later, not moved, not
 * described twice. */
static void tell(const struct frame_variables *frame, const struct dwarf_scope *s,
		 const struct dwarf_variable *d, struct pc_variable *ret)
{
	const struct dwarf_variable *moved = variable_moved_to(s, d, begins(frame->code));
	struct dwarf_piece pieces[DWARF_PIECES];
	struct err ignored;

	*ret = (struct pc_variable){
		.v = {
			.argument = d->parameter,
			.result = d->result,
			.compiler = variable_is_compilers(d),
			.captured = variable_is_captured(d, frame->code, frame->call),
			.shadowed = variable_is_hidden(s, d),
			.line = d->line,
		},
	};
	ret->given = ret->v.captured ||
		     (!variable_is_later(d, frame->code->calls[frame->call].line) &&
		      !variable_is_moved(s, d) && !variable_is_repeated(s, d));
	if (!ret->given)
		return;
	variable_respilled(frame, moved ? moved : d, &ret->at, pieces);
	if (ret->at.pieces == pieces)
		keep_pieces(ret, pieces, ret->at.piece_count);
	ret->v.name = ret->at.name ? ret->at.name : "";
	ret->v.value.type =
		types_at(frame->code->variables->types, ret->at.type, &ignored);
	bool over;
	size_t parts = variable_parts(frame, s, moved ? moved : d, ret->v.value.type,
				      pieces, &over);
	if (over)
		ret->v.unreadable = "its type has too many parts";
	if (parts)
		keep_pieces(ret, pieces, parts);
	ret->dead = variable_is_dead(frame, &ret->at, ret->v.value.type);
	ret->may_be_unset = !ret->v.captured && variable_may_be_unset(frame, &ret->at);
}

/* Shared by all frames of this pc and call. */
static struct pc_variable *pc_variables_of(const struct frame_variables *frame,
					   const struct dwarf_scope *s)
{
	struct code_variables *all = frame->code->variables;
	size_t scope = (size_t)(s - all->scopes->list);

	if (!all->told)
		all->told = xcalloc(all->scopes->count, sizeof(struct pc_variable *));
	if (all->told[scope])
		return all->told[scope];
	struct pc_variable *told = all->told[scope] =
		xcalloc(s->variable_count, sizeof(*told));
	for (size_t i = 0; i < s->variable_count; i++)
		tell(frame, s, &s->variables[i], &told[i]);
	return told;
}

/* A closure first loads its variables out of itself: before that they are nowhere
 * else. */
static bool is_in_closure(const struct frame_variables *frame,
			  const struct dwarf_variable *d)
{
	return frame->closure && d->has_closure_offset && d->closure_offset;
}

/* A dictionary's place is not trusted if nothing has been written to it: one that is only
 * passed on has a location too. False: err says why it cannot be read, or is
 * untouched. */
static bool read_dictionary(struct frame_variables *frame, const struct dwarf_variable *d,
			    uint64_t *ret, struct err *err)
{
	uint64_t at = 0;

	if (is_in_closure(frame, d))
		at = frame->closure + d->closure_offset;
	else if (!variable_is_whole(d))
		return false;
	else if (d->pieces[0].where == DWARF_PIECE_REGISTER)
		return frame_register(frame, d->pieces[0].at, ret);
	else if (variable_is_dead(frame, d, NULL) ||
		 !variable_piece_address(frame, &d->pieces[0], &at, err))
		return false;
	return value_words(frame->rt, at, ret, 1, err);
}

/* Reports the variables of one frame. */
struct giving {
	struct frame_variables *frame;
	const struct dwarf_scope *scope;
	variable_fn *fn;
	void *arg;
	bool tried; /* find_dictionary() was called */
	struct dictionary dictionary;
	struct err why_none;
};

/* Finds the dictionary that the caller passed. */
static void find_dictionary(struct giving *g)
{
	const struct dwarf_variable *d = dictionary_variable(g->scope);
	uint64_t *addr = &g->dictionary.addr;

	g->tried = true;
	g->dictionary.why = "its dictionary was optimized out";
	g->why_none.text[0] = '\0';
	if ((d && read_dictionary(g->frame, d, addr, &g->why_none)) ||
	    dictionary_passed(g->frame, g->scope, addr) ||
	    (!d && dictionary_find(g->frame, addr)))
		return;
	*addr = 0;
	if (g->why_none.text[0])
		g->dictionary.why = g->why_none.text;
}

static void settle_type(struct giving *g, const struct dwarf_variable *d,
			struct variable *v, struct err *err)
{
	if (!dictionary_has(d, v))
		return;
	if (!g->tried)
		find_dictionary(g);
	dictionary_settle(g->frame->rt, &g->dictionary, g->frame->code->variables, d, v,
			  err);
}

static void locate_in_frame(struct frame_variables *frame, const struct pc_variable *told,
			    struct variable *v, struct err *err)
{
	variable_locate(frame, &told->at, v, err);
	if (!v->unreadable && !v->optimized_out) {
		v->dead = told->dead;
		v->may_be_unset = told->may_be_unset;
	}
	variable_follow(frame->rt, v, err);
}

static void give(struct giving *g, const struct dwarf_variable *d,
		 struct pc_variable *told)
{
	struct frame_variables *frame = g->frame;
	struct variable v = told->v;
	struct err err, why_shape;

	v.notes = &told->notes;
	if (!v.value.type && !v.unreadable &&
	    !types_at(frame->code->variables->types, told->at.type, &err))
		v.unreadable = err.text;
	else if (!v.unreadable && is_in_closure(frame, &told->at))
		closure_variable(frame->rt, g->scope, &told->at, frame->closure, &v,
				 &err);
	else if (!v.unreadable && v.value.type)
		locate_in_frame(frame, told, &v, &err);
	settle_type(g, d, &v, &why_shape);
	g->fn(g->arg, frame->rt, &v);
}

void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg)
{
	const struct dwarf_scope *s = scope_of(frame);
	struct pc_variable *told =
		s && s->variable_count ? pc_variables_of(frame, s) : NULL;
	struct giving g = { .frame = frame, .scope = s, .fn = fn, .arg = arg };

	for (size_t i = 0; told && i < s->variable_count; i++)
		if (told[i].given && told[i].v.argument == arguments)
			give(&g, &s->variables[i], &told[i]);
	if (!frame->code->variables->scopes && !arguments &&
	    !frame->code->calls[frame->call].inlined)
		frame_each_slot(frame, fn, arg);
}

/* An inlined call has none. */
struct words_notes *words_notes(const struct frame_variables *frame)
{
	if (!frame || frame->code->calls[frame->call].inlined)
		return NULL;
	const struct code_variables *v = code_variables(frame->rt, frame->code);
	return v->scopes ? (struct words_notes *)(uintptr_t)&v->notes : NULL;
}

void words_each_argument(const struct frame_variables *frame, argument_fn *fn, void *arg)
{
	const struct dwarf_scope *s = scope_of(frame);
	const struct pc_variable *told =
		s && s->variable_count ? pc_variables_of(frame, s) : NULL;

	for (size_t i = 0; told && i < s->variable_count; i++) {
		const struct dwarf_variable *d = &s->variables[i];
		struct variable v = told[i].v;
		struct err ignored;
		if (!d->parameter || !told[i].given || v.result || v.compiler)
			continue;
		v.name = d->name ? d->name : "";
		v.value.type = types_at(frame->code->variables->types, d->type, &ignored);
		v.optimized_out = true; /* its place does not matter here */
		variable_follow(frame->rt, &v, &ignored);
		fn(arg, v.name, v.value.type);
	}
}
