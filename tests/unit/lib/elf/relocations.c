/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers in the file of a position-independent program: this one. */
#include "lib/elf/target_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/target/target.h"
#include "tests/unit/unit.h"

extern const char __executable_start;

struct pointers {
	uint64_t before;
	const void *to;
	uint64_t behind;
};
static struct pointers pointers = { 1, &pointers, 2 };
struct pointers *volatile used = &pointers; /* so that it is not optimized away */

static uint64_t in_file(const volatile void *p)
{
	return (uint64_t)((const volatile char *)p - &__executable_start);
}

static int open_self(void **state)
{
	struct err err;

	*state = images_open_file("/proc/self/exe", &err);
	return *state ? 0 : -1;
}

static int close_self(void **state)
{
	images_close(*state);
	return 0;
}

/* Also of a part of the word, from either side. */
static void pointers_lead_into_the_file(void **state)
{
	struct err err;
	AUTO(target_close)
	struct target *t = target_image_new(images_get(*state, 0), &err);
	struct pointers whole;
	const uint64_t at = in_file(used), wanted = at;
	uint8_t part[WORD];

	assert_non_null(t);
	assert_true(target_read(t, at, &whole, sizeof(whole), &err));
	assert_int_equal(whole.before, 1);
	assert_int_equal((uintptr_t)whole.to, wanted);
	assert_int_equal(whole.behind, 2);
	for (size_t i = 0; i < WORD; i++) {
		assert_true(target_read(t, at + offsetof(struct pointers, to) + i, part,
					WORD - i, &err));
		assert_memory_equal(part, (const uint8_t *)&wanted + i, WORD - i);
		assert_true(target_read(t, at + offsetof(struct pointers, to), part,
					i + 1, &err));
		assert_memory_equal(part, &wanted, i + 1);
	}
}

static void offsets(void **state)
{
	const struct image *img = images_get(*state, 0);
	uint64_t offset = 1;

	assert_true(image_file_offset(img, 0, &offset));
	assert_int_equal(offset, 0);
	assert_false(image_file_offset(img, UINT64_MAX, &offset));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pointers_lead_into_the_file, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(offsets, open_self, close_self),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
