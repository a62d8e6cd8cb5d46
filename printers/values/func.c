/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

struct capture_list {
	struct printing *p;
	struct value closure;
	bool begun, full;
};

static bool is_number_or_text(const struct type *type)
{
	const enum type_kind kind = type ? type_kind(type) : KIND_BOOL;

	return kind == KIND_STRING || (kind >= KIND_INT && kind <= KIND_COMPLEX128);
}

/* A function with a secret's name may have captured the secret, but also the server that it
 * belongs to, and all that this refers to. */
static bool may_be_secret(const struct type *type)
{
	if (type && type_kind(type) == KIND_POINTER)
		type = type_elem(type);
	if (type && (type_kind(type) == KIND_SLICE || type_kind(type) == KIND_ARRAY))
		type = type_elem(type);
	return is_number_or_text(type);
}

static void print_capture(void *arg, struct runtime *rt, const struct variable *v)
{
	struct capture_list *list = arg;
	struct printing *p = list->p;

	(void)rt;
	/* It may have captured itself. */
	if (!list->begun && !list->full)
		list->full = (!p->objects && was_seen(p, &list->closure)) ||
			     !may_descend(p, 1);
	if (list->full)
		return;
	if (!list->begun)
		sink_named_begin(p->out, "captures", SINK_ARRAY);
	list->begun = true;
	const char *before = p->redacted;
	if (before && !may_be_secret(v->value.type) && !redaction_is_users_rule(before))
		p->redacted = NULL;
	print_inner_variable(p, v);
	p->redacted = before;
}

static void print_captures(struct printing *p, const struct value *closure,
			   const struct func_value *f)
{
	struct capture_list list = { .p = p, .closure = *closure };

	runtime_each_capture(p->rt, f, print_capture, &list);
	if (list.begun)
		sink_end(p->out);
}

/* False: it has none; printed why. */
static bool print_function(struct printing *p, const struct func_value *f)
{
	struct code_frame code;

	if (!runtime_code_at(p->rt, f->entry, &code)) {
		print_unreadable(p, "its code is not in a Go function");
		return false;
	}
	sink_named_string(p->out, "function", code.function);
	return true;
}

void print_func_at(struct printing *p, const struct value *v)
{
	struct func_value f;
	struct err err;

	if (!runtime_func_at(p->rt, v->addr, &f, &err))
		print_failure(p, &err);
	else if (print_function(p, &f))
		print_captures(p, v, &f);
}

void print_func(struct printing *p, const struct value *v)
{
	struct func_value f;
	struct err err;

	if (!runtime_func(p->rt, v, &f, &err)) {
		print_failure(p, &err);
		return;
	}
	if (!f.closure) {
		sink_named_bool(p->out, "nil", true);
		return;
	}
	sink_named_address(p->out, "to", f.closure);
	if (!print_function(p, &f))
		return;
	const struct value closure = { v->type, f.closure };
	if (!p->objects)
		print_captures(p, &closure, &f);
	else if (!runtime_in_file(p->rt, f.closure)) /* else it captures nothing */
		print_reference(p, &closure, true);
}
