/* SPDX-License-Identifier: Apache-2.0 */
/* Type descriptors: the input is a byte for the Go release and what is where the module's types
 * are; the values are of the same bytes. */
#include <assert.h>
#include <string.h>

#include "goruntime/types/type_priv.h"
#include "goruntime/values/value_plausible.h"
#include "goruntime/variables/variable_parts.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/printed.h"
#include "tests/unit/goruntime/pseudo.h"

enum {
	SPACE = PSEUDO_DATA + PSEUDO_DATA_SIZE - PSEUDO_TYPES,
	DESCRIPTORS = 32,
	APART = 64,
	FIELDS_MAX = 16,
	POINTERS = 2,
};

static const struct pseudo_func funcs[] = { { "runtime.goexit", 0, 0 },
					    { "main.f", 16, 0 } };

static void look(const struct type *type)
{
	assert(type_name(type) && strlen(type_name(type)) < SPACE + 64);
	assert(type_kind(type) < TYPE_KINDS);
	type_elem(type);
	type_key(type);
	type_header(type);
	type_has_methods(type);
	for (size_t i = 0; i < type_field_count(type) && i < FIELDS_MAX; i++) {
		const struct type_field *f = type_field(type, i);
		assert(f && f->name);
		assert(type_field_named(type, f->name));
	}
}

/* What else goes through all that a type consists of. */
static void walk(struct runtime *rt, const struct value *v)
{
	struct dwarf_piece piece = { .where = DWARF_PIECE_REGISTER, .size = UINT64_MAX };
	const struct dwarf_variable d = { .alone = true,
					  .pieces = &piece,
					  .piece_count = 1 };
	struct value context;

	value_is_plausible(rt, v, POINTERS);
	variable_is_one_part(&d, v->type);
	runtime_context_in(rt, v, &context);
}

static void fill(struct pseudo *p, uint64_t addr, const uint8_t *data, size_t size,
		 size_t most)
{
	memcpy(p->data + (addr - PSEUDO_DATA), data, size < most ? size : most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int minors[] = { 15, 17, 19, 21, 23, 25, 26, 27 };
	struct err err;

	if (size < 1)
		return 0;
	AUTO(pseudo_free)
	struct pseudo *p =
		pseudo_new(minors[*data % ARRAY_SIZE(minors)], funcs, ARRAY_SIZE(funcs));
	fill(p, PSEUDO_TYPES, data + 1, size - 1, SPACE);
	fill(p, PSEUDO_FREE, data + 1, size - 1, SPACE);
	for (uint64_t i = 0; i < DESCRIPTORS; i++) {
		uint64_t at = PSEUDO_TYPES + (i + 1) * APART;
		const struct type *type = runtime_type_at(p->rt, at, &err);
		if (!type)
			continue;
		look(type);
		const struct value v = { type, PSEUDO_FREE };
		walk(p->rt, &v);
		printed(p->rt, &v);
	}
	return 0;
}
