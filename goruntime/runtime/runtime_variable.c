/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/runtime_variable.h"

#include "goruntime/runtime/runtime_priv.h"

enum { REFERENCES_MAX = 256 };

/* ref: what the code refers to, the variable or one of its fields. */
static uint64_t begins_at(struct runtime *rt, const struct runtime_variable *v,
			  uint64_t ref)
{
	if (v->agrees(rt, ref))
		return ref;
	for (size_t i = 0; i < v->field_count; i++) {
		const struct slot *field = &rt->layout.slot[v->fields[i]];
		if (field->off > 0 && v->agrees(rt, ref - (uint64_t)field->off))
			return ref - (uint64_t)field->off;
	}
	return 0;
}

uint64_t runtime_variable_find(struct runtime *rt, const struct runtime_variable *v)
{
	struct image_range symbol;
	uint64_t refs[REFERENCES_MAX];

	if (!rt->modules)
		return 0;
	if (image_symbol(rt->image, v->symbol, &symbol) &&
	    (v->agrees_by_symbol ? v->agrees_by_symbol : v->agrees)(rt, symbol.addr))
		return symbol.addr;
	for (size_t f = 0; f < VARIABLE_FUNCTIONS && v->functions[f]; f++) {
		size_t n = modules_references(rt->modules, v->functions[f], refs,
					      REFERENCES_MAX);
		for (size_t i = 0; i < n; i++) {
			uint64_t addr = begins_at(rt, v, refs[i]);
			if (addr)
				return addr;
		}
	}
	return 0;
}
