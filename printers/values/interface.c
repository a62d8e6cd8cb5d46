/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

void print_interface(struct printing *p, const struct value *v)
{
	struct interface_value inside;
	struct err err;

	if (!runtime_interface(p->rt, v, &inside, &err)) {
		print_failure(p, &err);
		return;
	}
	if (!inside.descriptor) {
		sink_named_bool(p->out, "nil", true);
		return;
	}
	if (inside.name[0])
		sink_named_string(p->out, "dynamic_type", inside.name);
	if (!inside.inside.type) {
		print_unreadable(p, inside.unknown);
		return;
	}
	if (may_descend(p, 1))
		print_named_value(p, "dynamic_value", &inside.inside);
}
