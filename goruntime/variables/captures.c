/* SPDX-License-Identifier: Apache-2.0 */
/* Variables captured by function values. A closure is struct { F uintptr; captured
 * variables }, with each variable at DW_AT_go_closure_offset (from Go 1.23 on). A method
 * value "T.M-fm" is struct { F uintptr; receiver } (cmd/compile/internal/typecheck
 * ClosureType, MethodValueType, 1.27). */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/debug.h"
#include "goruntime/types/type_name.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/values/value.h"
#include "goruntime/values/value_plausible.h"
#include "goruntime/variables/dictionary.h"
#include "goruntime/variables/variable_kind.h"

/* The compiler's name for the receiver in the wrapper of a method value. */
static const char THIS[] = ".this";

enum {
	RECEIVER = 8,
	BY_VALUE_MAX = 128,
	REGISTERS_MAX = 4, /* words, and fields, of a value kept in registers */
	POINTERS = 1,	   /* to follow when checking whether a value makes sense */
};

struct closure {
	struct runtime *rt;
	struct code_variables *variables;
	const struct dwarf_scope *scope;
	struct dictionary dictionary;
	variable_fn *fn;
	void *arg;
};

static const struct code *code_of(struct runtime *rt, uint64_t entry)
{
	const struct code *code =
		rt->code && entry ? code_with_calls(rt->code, entry, true) : NULL;

	return code && code->call_count ? code : NULL;
}

static bool look_up(struct closure *c, uint64_t entry)
{
	const struct code *code = code_of(c->rt, entry);

	if (!code)
		return false;
	c->variables = (struct code_variables *)(uintptr_t)code_variables(c->rt, code);
	if (!c->variables->scopes || !c->variables->scopes->count)
		return false;
	c->scope = &c->variables->scopes->list[c->variables->scopes->count - 1];
	return true;
}

static bool fits_registers(struct type_walk *w, const struct type *type);

static bool parts_fit(struct type_walk *w, const struct type *type)
{
	const size_t n = type_field_count(type);

	if (type_kind(type) == KIND_ARRAY)
		return type_count(type) <= 1 && type_elem(type) &&
		       fits_registers(w, type_elem(type));
	if (type_kind(type) != KIND_STRUCT)
		return true;
	for (size_t i = 0; i < n && n <= REGISTERS_MAX; i++)
		if (!type_field(type, i)->type ||
		    !fits_registers(w, type_field(type, i)->type))
			return false;
	return n <= REGISTERS_MAX;
}

/* cmd/compile/internal/ssa/value.go CanSSA */
static bool fits_registers(struct type_walk *w, const struct type *type)
{
	if (type_size(type) > REGISTERS_MAX * sizeof(uint64_t) || !type_enter(w, type))
		return false;
	bool fits = parts_fit(w, type);
	type_leave(w);
	return fits;
}

/* The space up to the next described variable. */
static uint64_t room_of(const struct dwarf_scope *scope, const struct dwarf_variable *d)
{
	uint64_t room = UINT64_MAX;

	for (size_t i = 0; i < scope->variable_count; i++) {
		const struct dwarf_variable *other = &scope->variables[i];
		uint64_t more = other->closure_offset - d->closure_offset;
		if (other->has_closure_offset &&
		    other->closure_offset > d->closure_offset && more < room)
			room = more;
	}
	return room;
}

static const struct type *first_part(const struct type *type)
{
	if (type_kind(type) == KIND_STRUCT && type_field_count(type))
		return type_field(type, 0)->type;
	return type_kind(type) == KIND_ARRAY ? type_elem(type) : NULL;
}

static bool begins_with_pointer(struct type_walk *w, const struct type *type)
{
	for (const struct type *inner; (inner = first_part(type)); type = inner)
		if (!type_enter(w, type))
			return false;
	return type_kind(type) < KIND_BOOL || type_kind(type) > KIND_COMPLEX128;
}

enum place { SHARED, INSIDE, EITHER };

/* "&v" has an address in the closure if v is shared, and also if v itself is there but
 * does not fit into registers (cmd/compile/internal/ssagen/ssa.go, escape.go flowClosure,
 * 1.27). */
static enum place place_of(struct runtime *rt, uint64_t room, const struct type *type,
			   uint64_t addr)
{
	const struct value inside = { type, addr };
	struct value shared = { type, 0 };
	struct type_walk fits = { .of_value = true }, begins = fits;
	struct err ignored;

	if (type_size(type) > BY_VALUE_MAX || room < type_size(type) ||
	    fits_registers(&fits, type) ||
	    !value_words(rt, addr, &shared.addr, 1, &ignored))
		return SHARED;
	const bool pointer = begins_with_pointer(&begins, type);
	if (fits.over || begins.over)
		return EITHER;
	if (!shared.addr || !value_is_plausible(rt, &shared, POINTERS))
		return INSIDE;
	/* A number is rarely a valid address of that kind. */
	return pointer && value_is_plausible(rt, &inside, POINTERS) ? EITHER : SHARED;
}

static void take_from_closure(struct runtime *rt, uint64_t room, struct variable *v,
			      struct err *err)
{
	const struct type *type = v->value.type ? type_elem(v->value.type) : NULL;
	enum place place = v->name[0] == '&' && type
				   ? place_of(rt, room, type, v->value.addr)
				   : SHARED;

	if (place == SHARED) {
		variable_follow(rt, v, err);
		return;
	}
	v->name++;
	v->value.type = type;
	if (place == EITHER)
		v->unreadable = "ambiguous location: in the closure or elsewhere";
}

void closure_variable(struct runtime *rt, const struct dwarf_scope *scope,
		      const struct dwarf_variable *d, uint64_t closure,
		      struct variable *v, struct err *err)
{
	v->value.addr = closure + d->closure_offset;
	take_from_closure(rt, room_of(scope, d), v, err);
}

static void give(const struct closure *c, const struct dwarf_variable *d, uint64_t addr)
{
	struct err err, why_shape;
	struct variable v = { .name = d->name,
			      .captured = true,
			      .line = d->line,
			      .value = { types_at(c->variables->types, d->type, &err),
					 addr } };

	if (!v.value.type)
		v.unreadable = err.text;
	take_from_closure(c->rt, room_of(c->scope, d), &v, &err);
	if (dictionary_has(d, &v))
		dictionary_settle(c->rt, &c->dictionary, c->variables, d, &v, &why_shape);
	c->fn(c->arg, c->rt, &v);
}

static const struct dwarf_variable *first_parameter(const struct dwarf_scope *s)
{
	for (size_t i = 0; i < s->variable_count; i++)
		if (s->variables[i].parameter && !s->variables[i].result)
			return &s->variables[i];
	return NULL;
}

/* Uses the method's description of its receiver, as the wrapper has none. False: no such
 * method, or it is not described, as when the compiler inlined every call of it. */
static bool give_as_method(struct closure c, const char *method, uint64_t closure)
{
	uint64_t end;
	const struct dwarf_variable *d =
		look_up(&c, modules_function(c.rt->modules, method, &end))
			? first_parameter(c.scope)
			: NULL;

	if (!d || !d->name || variable_is_compilers(d))
		return false;
	give(&c, d, closure + RECEIVER);
	return true;
}

/* From what the wrapper says about the method, if that is inlined in it; otherwise from
 * the name alone. */
static void find_bound(struct runtime *rt, const struct code *code, const char *method,
		       struct code_variables *ret)
{
	struct dwarf *d;
	struct types *types;
	struct err ignored;

	ret->bound_tried = true;
	if (debug_of_module(rt, code->module, &d, &types, &ignored) &&
	    dwarf_inlined_parameter(d, code->entry - ret->bias, method, &ret->bound) &&
	    !variable_is_compilers(&ret->bound))
		ret->bound_type = types_at(types, ret->bound.type, &ignored);
	if (ret->bound_type)
		return;
	AUTO(xfree) char *type = type_of_receiver(method);
	ret->bound = (struct dwarf_variable){ .name = THIS };
	if (type)
		ret->bound_type = runtime_type_named(rt, type, &ignored);
}

static void give_receiver(struct closure *c, const struct code *wrapper, const char *name,
			  uint64_t closure)
{
	AUTO(xfree) char *method = xstrndup(name, strlen(name) - strlen("-fm"));
	struct code_variables *v =
		(struct code_variables *)(uintptr_t)code_variables(c->rt, wrapper);

	if (give_as_method(*c, method, closure))
		return;
	if (!v->bound_tried)
		find_bound(c->rt, wrapper, method, v);
	const struct variable receiver = { .name = v->bound.name,
					   .captured = true,
					   .line = v->bound.line,
					   .value = { v->bound_type,
						      closure + RECEIVER } };
	if (v->bound_type)
		c->fn(c->arg, c->rt, &receiver);
}

static void find_dictionary(struct closure *c, uint64_t closure, struct err *err)
{
	const struct dwarf_variable *d = dictionary_variable(c->scope);

	c->dictionary.why = "the closure has no dictionary";
	if (d && d->has_closure_offset && d->closure_offset &&
	    !target_read(c->rt->target, closure + d->closure_offset, &c->dictionary.addr,
			 sizeof(c->dictionary.addr), err))
		c->dictionary.why = err->text;
}

static void each_captured(struct closure *c, const struct func_value *f)
{
	struct err err;

	find_dictionary(c, f->closure, &err);
	for (size_t i = 0; i < c->scope->variable_count; i++) {
		const struct dwarf_variable *d = &c->scope->variables[i];
		if (d->has_closure_offset && d->closure_offset &&
		    !variable_is_compilers(d))
			give(c, d, f->closure + d->closure_offset);
	}
}

void runtime_each_capture(struct runtime *rt, const struct func_value *f, variable_fn *fn,
			  void *arg)
{
	struct closure c = { .rt = rt, .fn = fn, .arg = arg };
	const struct code *code = code_of(rt, f->entry);
	const char *name = code ? code_own_call(code)->name : "";
	const size_t len = strlen(name);

	if (look_up(&c, f->entry))
		each_captured(&c, f);
	if (len > 3 && strcmp(name + len - 3, "-fm") == 0)
		give_receiver(&c, code, name, f->closure);
}
