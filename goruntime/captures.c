/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that function values carry with them. A closure is struct { F uintptr; captured
 * variables }, each where DW_AT_go_closure_offset says (from Go 1.23 on); a method value "T.M-fm"
 * is struct { F uintptr; receiver } (cmd/compile/internal/typecheck ClosureType, MethodValueType,
 * 1.27). */
#include <string.h>

#include "runtime_priv.h"
#include "type.h"
#include "variable_kind.h"
#include "variables.h"

enum { RECEIVER = 8 };

static const struct dwarf_scope *scope_at(struct runtime *rt, uint64_t entry,
					  struct types **ret_types, const char **ret_name)
{
	const struct code *c =
		rt->code && entry ? code_with_calls(rt->code, entry, true) : NULL;
	const struct code_variables *v =
		c && c->call_count ? code_variables(rt, c) : NULL;

	if (!v || !v->scopes || !v->scopes->count)
		return NULL;
	*ret_types = v->types;
	*ret_name = c->calls[c->call_count - 1].name;
	return &v->scopes->list[v->scopes->count - 1];
}

static void give(struct runtime *rt, struct types *types, const struct dwarf_variable *d,
		 uint64_t addr, variable_fn *fn, void *arg)
{
	struct err err;
	struct variable v = { .name = d->name,
			      .captured = true,
			      .line = d->line,
			      .value = { types_at(types, d->type, &err), addr } };

	if (!v.value.type)
		v.unreadable = err.text;
	variable_follow(rt, &v, &err);
	fn(arg, rt, &v);
}

static const struct dwarf_variable *first_parameter(const struct dwarf_scope *s)
{
	for (size_t i = 0; i < s->variable_count; i++)
		if (s->variables[i].parameter && !s->variables[i].result)
			return &s->variables[i];
	return NULL;
}

/* What the method itself says of its receiver: its wrapper says nothing. */
static void give_receiver(struct runtime *rt, const char *wrapper, uint64_t closure,
			  variable_fn *fn, void *arg)
{
	AUTO(xfree) char *method = xstrndup(wrapper, strlen(wrapper) - strlen("-fm"));
	struct types *types;
	const char *name;
	uint64_t end;
	const struct dwarf_scope *s =
		scope_at(rt, modules_function(rt->modules, method, &end), &types, &name);
	const struct dwarf_variable *d = s ? first_parameter(s) : NULL;

	if (d && d->name)
		give(rt, types, d, closure + RECEIVER, fn, arg);
}

void runtime_each_capture(struct runtime *rt, const struct func_value *f, variable_fn *fn,
			  void *arg)
{
	struct types *types;
	const char *name;
	const struct dwarf_scope *s = scope_at(rt, f->entry, &types, &name);
	size_t len = s && name ? strlen(name) : 0;

	if (!s)
		return;
	for (size_t i = 0; i < s->variable_count; i++) {
		const struct dwarf_variable *d = &s->variables[i];
		if (d->has_closure_offset && !variable_is_compilers(d))
			give(rt, types, d, f->closure + d->closure_offset, fn, arg);
	}
	if (len > 3 && strcmp(name + len - 3, "-fm") == 0)
		give_receiver(rt, name, f->closure, fn, arg);
}
