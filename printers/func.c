/* SPDX-License-Identifier: Apache-2.0 */
#include "value_printers.h"

void print_func(struct printing *p, const struct value *v)
{
	struct func_value f;
	struct code_frame code;
	struct err err;

	if (!runtime_func(p->rt, v, &f, &err)) {
		print_unreadable(p, err.text);
		return;
	}
	if (!f.closure) {
		sink_named_bool(p->out, "nil", true);
		return;
	}
	sink_named_address(p->out, "to", f.closure);
	if (runtime_code_at(p->rt, f.entry, &code))
		sink_named_string(p->out, "function", code.function);
	else
		print_unreadable(p, "its code is in no Go function");
}
