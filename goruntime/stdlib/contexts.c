/* SPDX-License-Identifier: Apache-2.0 */
/* context.Context: context/context.go of Go 1.15 to 1.27. */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/stdlib/stdlib_values.h"
#include "goruntime/types/globals.h"
#include "goruntime/types/type.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/values/values.h"
#include "lib/base/limit.h"

static const struct form {
	const char *type;
	enum context_kind kind;
	const char *parent; /* field; NULL: none */
	bool cancels;
} forms[] = {
	{ "context.cancelCtx", CONTEXT_CANCEL, "Context", true },
	{ "context.timerCtx", CONTEXT_DEADLINE, "cancelCtx.Context", true },
	{ "context.valueCtx", CONTEXT_VALUE, "Context", false },
	{ "context.withoutCancelCtx", CONTEXT_WITHOUT_CANCEL, "c", false },
	{ "context.afterFuncCtx", CONTEXT_AFTER_FUNC, "cancelCtx.Context", true },
	{ "context.stopCtx", CONTEXT_STOP, "Context", false },
	{ "context.backgroundCtx", CONTEXT_BACKGROUND, NULL, false },
	{ "context.todoCtx", CONTEXT_TODO, NULL, false },
	{ "context.emptyCtx", CONTEXT_EMPTY, NULL, false }, /* up to 1.20 */
};

static const char interface_name[] = "context.Context";

static const struct form *form_of(const struct type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (strcmp(type_name(type), forms[i].type) == 0)
			return &forms[i];
	return NULL;
}

/* The dynamic value of a non-nil interface. */
static bool holds(struct runtime *rt, const struct value *v, const char *paths,
		  struct value *ret)
{
	struct interface_value in;
	struct err ignored;
	struct value field;

	if (!runtime_field(rt, v, paths, &field) ||
	    type_kind(field.type) != KIND_INTERFACE ||
	    !runtime_interface(rt, &field, &in, &ignored) || !in.descriptor)
		return false;
	*ret = in.inside.type ? in.inside : field;
	return true;
}

/* Up to 1.20 the two contexts that are never cancelled are told apart by address. */
static enum context_kind kind_of_empty(struct runtime *rt, uint64_t addr)
{
	static const struct {
		const char *name;
		enum context_kind kind;
	} globals[] = { { "context.background", CONTEXT_BACKGROUND },
			{ "context.todo", CONTEXT_TODO } };
	struct value global;
	struct err ignored;
	uint64_t to;

	for (size_t i = 0; i < ARRAY_SIZE(globals); i++)
		if (runtime_global(rt, globals[i].name, &global, &ignored) &&
		    runtime_bytes(rt, global.addr, &to, sizeof(to), &ignored) &&
		    to == addr)
			return globals[i].kind;
	return CONTEXT_EMPTY;
}

static void read_form(struct runtime *rt, const struct form *form, struct context *ret)
{
	struct value deadline;

	ret->kind = form->kind;
	if (form->kind == CONTEXT_EMPTY)
		ret->kind = kind_of_empty(rt, ret->value.addr);
	if (form->cancels) {
		/* The error is in an atomic.Value from 1.25 on; causes exist since
		 * 1.20. */
		holds(rt, &ret->value, "err.v|err|cancelCtx.err.v|cancelCtx.err",
		      &ret->error);
		holds(rt, &ret->value, "cause|cancelCtx.cause", &ret->cause);
	}
	if (form->kind == CONTEXT_DEADLINE)
		ret->has_deadline =
			runtime_field(rt, &ret->value, "deadline", &deadline) &&
			runtime_time(rt, &deadline, &ret->deadline);
	if (form->kind == CONTEXT_VALUE &&
	    (!runtime_field(rt, &ret->value, "key", &ret->key) ||
	     !runtime_field(rt, &ret->value, "val", &ret->element)))
		ret->key.type = ret->element.type = NULL;
}

/* The parent of a context of another package: its first field that is a context. */
static bool parent_in(const struct value *v, struct value *ret)
{
	struct type_walk walk = { .of_value = true };

	if (!type_enter(&walk, v->type))
		return false;
	for (size_t i = 0; i < type_field_count(v->type); i++) {
		const struct type_field *f = type_field(v->type, i);
		if (!f->type || strcmp(type_name(f->type), interface_name) != 0)
			continue;
		*ret = (struct value){ f->type, v->addr + f->off };
		return true;
	}
	return false;
}

bool runtime_is_context(const struct type *type)
{
	return type && type_kind(type) == KIND_INTERFACE &&
	       strcmp(type_name(type), interface_name) == 0;
}

void runtime_each_context(struct runtime *rt, const struct value *v, context_fn *fn,
			  void *arg)
{
	struct value at = *v;

	for (unsigned i = 0; i < LIMIT_CONTEXTS; i++) {
		struct context c = { .kind = CONTEXT_OTHER };
		if (!runtime_behind(rt, &at, &c.value))
			return;
		const struct form *form = form_of(c.value.type);
		if (form)
			read_form(rt, form, &c);
		if (!fn(arg, &c))
			return;
		if (form ? !form->parent ||
				    !runtime_field(rt, &c.value, form->parent, &at)
			 : !parent_in(&c.value, &at))
			return;
	}
}

enum { NESTED_MAX = 3 };

struct finding {
	bool (*wanted)(const struct type *);
	struct type_walk walk;
};

/* Finds the first context in a struct, or else its first *http.Request, which has one. */
static bool find_in(struct finding *f, const struct type *type, uint64_t off,
		    struct type_field *ret)
{
	bool found = false;

	if (f->walk.depth > NESTED_MAX || !type_enter(&f->walk, type))
		return false;
	for (size_t i = 0; !found && i < type_field_count(type); i++) {
		const struct type_field *field = type_field(type, i);
		if (field->type && f->wanted(field->type)) {
			*ret = *field;
			ret->off += off;
			found = true;
		} else if (field->type && type_kind(field->type) == KIND_STRUCT) {
			found = find_in(f, field->type, off + field->off, ret);
		}
	}
	type_leave(&f->walk);
	return found;
}

static bool is_request(const struct type *type)
{
	return type_kind(type) == KIND_POINTER &&
	       strcmp(type_name(type), "*net/http.Request") == 0;
}

/* Searched once: the same type occurs in a hundred thousand goroutines. */
static const struct type_field *place_in(const struct type *type)
{
	struct type *t = (struct type *)(uintptr_t)type;

	if (!t->has_context_place) {
		t->has_context_place = true;
		struct finding context = { .wanted = runtime_is_context };
		struct finding request = { .wanted = is_request };
		if (!find_in(&context, type, 0, &t->context_place))
			find_in(&request, type, 0, &t->context_place);
	}
	return t->context_place.type ? &t->context_place : NULL;
}

bool runtime_context_in(struct runtime *rt, const struct value *v, struct value *ret)
{
	const struct type_field *place;
	struct value at = *v;

	if (runtime_is_context(v->type)) {
		*ret = *v;
		return true;
	}
	for (int i = 0; i < 2; i++) {
		const struct type *type = at.type;
		if (type && type_kind(type) == KIND_POINTER)
			type = type_elem(type);
		if (!type || type_kind(type) != KIND_STRUCT ||
		    !(place = place_in(type)) || !runtime_behind(rt, &at, &at))
			return false;
		at = (struct value){ place->type, at.addr + place->off };
		if (runtime_is_context(at.type)) {
			*ret = at;
			return true;
		}
	}
	return false;
}
