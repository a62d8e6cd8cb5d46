/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

struct capture_list {
	struct printing *p;
	struct value closure;
	bool begun, full;
};

static void print_capture(void *arg, struct runtime *rt, const struct variable *v)
{
	struct capture_list *list = arg;
	struct printing *p = list->p;

	(void)rt;
	/* It may have captured itself. */
	if (!list->begun && !list->full)
		list->full = was_seen(p, &list->closure) || !may_descend(p, 1);
	if (list->full)
		return;
	if (!list->begun)
		sink_named_begin(p->out, "captures", SINK_ARRAY);
	list->begun = true;
	print_inner_variable(p, v);
}

static void print_captures(struct printing *p, const struct value *v,
			   const struct func_value *f)
{
	struct capture_list list = { .p = p, .closure = { v->type, f->closure } };

	runtime_each_capture(p->rt, f, print_capture, &list);
	if (list.begun)
		sink_end(p->out);
}

void print_func(struct printing *p, const struct value *v)
{
	struct func_value f;
	struct code_frame code;
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
	if (!runtime_code_at(p->rt, f.entry, &code)) {
		print_unreadable(p, "its code is not in a Go function");
		return;
	}
	sink_named_string(p->out, "function", code.function);
	print_captures(p, v, &f);
}
