/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/variables_priv.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/value.h"
#include "goruntime/variables/dictionary.h"
#include "goruntime/variables/slots.h"
#include "goruntime/variables/liveness.h"
#include "goruntime/variables/variable_kind.h"
#include "goruntime/variables/variable_place.h"

bool variables_begin(struct frame_variables *frame, const char **ret_why)
{
	const struct code_variables *v = code_variables(frame->rt, frame->code);

	if (!frame->cfa)
		*ret_why = "frame address unknown";
	else if (!v->scopes)
		*ret_why = v->why.text;
	return frame->cfa && (v->scopes || v->map.known);
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
struct report {
	struct frame_variables *frame;
	const struct dwarf_scope *scope;
	variable_fn *fn;
	void *arg;
	bool tried; /* find_dictionary() was called */
	struct dictionary dictionary;
	struct err why_none;
};

/* Finds the dictionary that the caller passed. */
static void find_dictionary(struct report *g)
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

static void settle_type(struct report *g, const struct dwarf_variable *d,
			struct variable *v, struct err *err)
{
	if (!dictionary_has(d, v))
		return;
	if (!g->tried)
		find_dictionary(g);
	dictionary_settle(g->frame->rt, &g->dictionary, g->frame->code->variables, d, v,
			  err);
}

static void locate_in_frame(struct frame_variables *frame,
			    const struct pc_variable *resolved, struct variable *v,
			    struct err *err)
{
	variable_locate(frame, &resolved->at, v, err);
	if (!v->unreadable && !v->optimized_out) {
		v->dead = resolved->dead;
		v->may_be_unset = resolved->may_be_unset;
	}
	variable_follow(frame->rt, v, err);
}

static void report_variable(struct report *g, const struct dwarf_variable *d,
			    struct pc_variable *resolved)
{
	struct frame_variables *frame = g->frame;
	struct variable v = resolved->v;
	struct err err, why_shape;

	v.notes = &resolved->notes;
	if (!v.value.type && !v.unreadable &&
	    !types_at(frame->code->variables->types, resolved->at.type, &err))
		v.unreadable = err.text;
	else if (!v.unreadable && is_in_closure(frame, &resolved->at))
		closure_variable(frame->rt, g->scope, &resolved->at, frame->closure, &v,
				 &err);
	else if (!v.unreadable && v.value.type)
		locate_in_frame(frame, resolved, &v, &err);
	settle_type(g, d, &v, &why_shape);
	g->fn(g->arg, frame->rt, &v);
}

void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg)
{
	const struct dwarf_scope *s = pc_variables_scope(frame);
	struct pc_variable *resolved =
		s && s->variable_count ? pc_variables_of(frame, s) : NULL;
	struct report g = { .frame = frame, .scope = s, .fn = fn, .arg = arg };

	for (size_t i = 0; resolved && i < s->variable_count; i++)
		if (resolved[i].reported && resolved[i].v.argument == arguments)
			report_variable(&g, &s->variables[i], &resolved[i]);
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
	const struct dwarf_scope *s = pc_variables_scope(frame);
	const struct pc_variable *resolved =
		s && s->variable_count ? pc_variables_of(frame, s) : NULL;

	for (size_t i = 0; resolved && i < s->variable_count; i++) {
		const struct dwarf_variable *d = &s->variables[i];
		struct variable v = resolved[i].v;
		struct err ignored;
		if (!d->parameter || !resolved[i].reported || v.result || v.compiler)
			continue;
		v.name = d->name ? d->name : "";
		v.value.type = types_at(frame->code->variables->types, d->type, &ignored);
		v.optimized_out = true; /* its place does not matter here */
		variable_follow(frame->rt, &v, &ignored);
		fn(arg, v.name, v.value.type);
	}
}
