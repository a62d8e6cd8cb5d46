/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/pc_variables.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/debug.h"
#include "goruntime/variables/closure_code.h"
#include "goruntime/variables/liveness.h"
#include "goruntime/variables/variable_kind.h"
#include "goruntime/variables/variable_parts.h"
#include "goruntime/variables/variable_place.h"
#include "goruntime/variables/variables_priv.h"

static void free_pc_variables(struct code_variables *variables)
{
	const struct dwarf_scopes *scopes = variables->scopes;

	for (size_t i = 0; variables->resolved && i < scopes->count; i++) {
		struct pc_variable *resolved = variables->resolved[i];
		for (size_t k = 0; resolved && k < scopes->list[i].variable_count; k++) {
			xfree(resolved[k].notes);
			xfree(resolved[k].pieces);
		}
		xfree(resolved);
	}
	xfree(variables->resolved);
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

/* pclntab and debugging information have the same calls at a pc, except for those that
 * one of them leaves out. They are matched from the outermost on, or by name if the
 * numbers differ. */
const struct dwarf_scope *pc_variables_scope(const struct frame_variables *frame)
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

static void keep_pieces(struct pc_variable *resolved, const struct dwarf_piece *pieces,
			size_t count)
{
	struct dwarf_piece *own = xcalloc(count, sizeof(*own));

	memcpy(own, pieces, count * sizeof(*own));
	xfree(resolved->pieces);
	resolved->at.pieces = resolved->pieces = own;
	resolved->at.piece_count = count;
}

static void resolve(const struct frame_variables *frame, const struct dwarf_scope *s,
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
	ret->reported = ret->v.captured ||
			(!variable_is_later(d, frame->code->calls[frame->call].line) &&
			 !variable_is_moved(s, d) && !variable_is_repeated(s, d));
	if (!ret->reported)
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

struct pc_variable *pc_variables_of(const struct frame_variables *frame,
				    const struct dwarf_scope *s)
{
	struct code_variables *all = frame->code->variables;
	size_t scope = (size_t)(s - all->scopes->list);

	if (!all->resolved)
		all->resolved = xcalloc(all->scopes->count, sizeof(struct pc_variable *));
	if (all->resolved[scope])
		return all->resolved[scope];
	struct pc_variable *resolved = all->resolved[scope] =
		xcalloc(s->variable_count, sizeof(*resolved));
	for (size_t i = 0; i < s->variable_count; i++)
		resolve(frame, s, &s->variables[i], &resolved[i]);
	return resolved;
}
