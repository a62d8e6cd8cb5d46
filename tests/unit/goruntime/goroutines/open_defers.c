/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred calls in open code: what the compiler describes of them, and which are due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/goroutines/defers.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum { G = PSEUDO_FREE, WILD = 0x666 };

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
};

/* The same two calls, described as each release does. */
static void test_forms(void **state)
{
	static const struct {
		int minor;
		uint8_t info[16], len;
	} cases[] = {
		{ 15, { 24, 9, 2, 16, 32, 2, 1, 2, 3, 4, 5, 6, 8, 24, 0 }, 15 },
		{ 17, { 0, 9, 2, 0, 32, 0, 0, 24, 0 }, 9 },
		{ 18, { 9, 2, 32, 24 }, 4 },
		{ 21, { 9, 2, 32, 24 }, 4 },
		{ 22, { 9, 24 }, 2 },
	};
	struct layout l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct open_frame f = { 0 };
		assert_true(layout_from_table(cases[i].minor, "amd64", 0, &l));
		assert_true(open_defers_parse(&l, bytes_over(cases[i].info, cases[i].len),
					      &f));
		assert_int_equal(f.bits, 9);
		assert_int_equal(f.slots[0], 24);
		assert_int_equal(f.slots[1], cases[i].minor < 22 ? 32 : 16);
		for (uint8_t len = 0; len < cases[i].len; len++)
			assert_false(open_defers_parse(&l, bytes_over(cases[i].info, len),
						       &f));
	}
}

static void test_hostile(void **state)
{
	static const uint8_t many[] = { 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint8_t arguments[] = {
		0, 9, 1, 0, 24, 0xff, 0xff, 0xff, 0xff, 0x0f
	};
	static const uint8_t far[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 8 };
	struct open_frame f = { 0 };
	struct layout l;

	(void)state;
	assert_true(layout_from_table(21, "amd64", 0, &l));
	assert_false(open_defers_parse(&l, bytes_over(many, sizeof(many)), &f));
	assert_false(open_defers_parse(&l, bytes_over(far, sizeof(far)), &f));
	assert_true(layout_from_table(15, "amd64", 0, &l));
	assert_false(open_defers_parse(&l, bytes_over(arguments, sizeof(arguments)), &f));
}

/* Of three slots two are in use; the last one comes first. */
static void test_open_frame(void **state)
{
	static const struct goroutine parked = { .addr = G, .sp = PSEUDO_STACK };
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));
	const struct open_frame f = {
		.varp = 0x100, .bits = 1, .slots = { 32, 24, 16 }, .count = 3
	};
	const struct open_frame wild = { .varp = WILD - PSEUDO_STACK, .bits = 1 };
	struct open_closure closures[OPEN_DEFERS_MAX];
	struct err err;

	(void)state;
	pseudo_put(p, PSEUDO_STACK + 0x100 - 8, UINT64_C(5) << 56);
	pseudo_put(p, PSEUDO_STACK + 0x100 - 32, 1000);
	pseudo_put(p, PSEUDO_STACK + 0x100 - 16, 1002);
	assert_int_equal(open_frame_closures(p->rt, &parked, &f, closures, &err), 2);
	assert_int_equal(closures[0].closure, 1002);
	assert_int_equal(closures[0].slot, PSEUDO_STACK + 0x100 - 16);
	assert_int_equal(closures[1].closure, 1000);
	assert_int_equal(open_frame_closures(p->rt, &parked, &wild, closures, &err), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_open_frame),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
