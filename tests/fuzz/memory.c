/* SPDX-License-Identifier: Apache-2.0 */
/* Memory under the printers: the types are sound, the input is what a struct that has one of
 * each kind consists of and leads to. */
#include <assert.h>
#include <string.h>

#include "goruntime/types/type_priv.h"
#include "goruntime/values/value_plausible.h"
#include "lib/dwarf/dwarf_names.h"
#include "lib/elf/image.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/printed.h"
#include "tests/unit/goruntime/pseudo.h"

enum { SPACE = 0x1000, POINTERS = 2 };

static const struct pseudo_func funcs[] = { { "runtime.goexit", 0, 0 },
					    { "main.f", 16, 0 } };

static struct images *types_file(void)
{
	static struct images *images;
	struct err err;

	if (!images)
		images = images_open_file(FUZZ_TYPES, &err);
	assert(images);
	return images;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "main.all", "main.newer" };
	static const int minors[] = { 21, 27 };
	struct err err;

	if (size < 1)
		return 0;
	size_t form = *data % ARRAY_SIZE(names);
	AUTO(pseudo_free)
	struct pseudo *p = pseudo_new(minors[form], funcs, ARRAY_SIZE(funcs));
	AUTO(dwarf_close)
	struct dwarf *d = dwarf_open(images_get(types_file(), 0), &err);
	assert(d);
	AUTO(types_free) struct types *types = types_new(p->rt, d, 0);
	const struct type *type = types_named(types, names[form], &err);
	assert(type);
	memcpy(p->data + (PSEUDO_FREE - PSEUDO_DATA), data + 1,
	       size - 1 < SPACE ? size - 1 : SPACE);
	const struct value v = { type, PSEUDO_FREE };
	value_is_plausible(p->rt, &v, POINTERS);
	printed(p->rt, &v);
	return 0;
}
