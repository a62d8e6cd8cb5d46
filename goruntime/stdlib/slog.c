/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "goruntime/stdlib/stdlib_values.h"
#include "lib/base/err.h"

/* log/slog/value.go: since Go 1.21 a pointer in an interface leads to its bytes. */
bool runtime_slog_text(struct runtime *rt, const struct value *v, struct text_value *ret)
{
	static const char kind[] = ".stringptr";
	struct interface_value in;
	struct value any, first;
	struct err ignored;

	if (strcmp(type_name(v->type), "log/slog.Value") != 0 ||
	    !runtime_number(rt, v, "num", &ret->len) ||
	    !runtime_field(rt, v, "any", &any) || type_kind(any.type) != KIND_INTERFACE ||
	    !runtime_interface(rt, &any, &in, &ignored))
		return false;
	const char *dot = strrchr(in.name, '.');
	if (!dot || strcmp(dot, kind) != 0 || !runtime_behind(rt, &any, &first))
		return false;
	ret->addr = first.addr;
	return true;
}
