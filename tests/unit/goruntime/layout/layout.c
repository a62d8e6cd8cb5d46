/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/layout/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/limit.h"
#include "tests/unit/lib/compiled.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/unit.h"

/* The releases that there are rows for, and how their sources are named. */
static const int minors[] = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 };

static const char *kind(int minor)
{
	return minor == 16 || minor == 17 || minor == 18 || minor == 20 ? "derived"
									: "table";
}

static void test_exact_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		struct layout l;
		char source[64];
		snprintf(source, sizeof(source), "%s go1.%d amd64", kind(minors[i]),
			 minors[i]);
		assert_true(layout_from_table(minors[i], "amd64", 0, &l));
		assert_string_equal(l.source, source);
		assert_false(l.assumed);
	}
}

static void check_order(int minor, const int *expected, size_t n)
{
	struct layout l;

	for (size_t i = 0; i < n; i++) {
		char source[64];
		snprintf(source, sizeof(source), "assumed go1.%d", expected[i]);
		assert_true(layout_from_table(minor, "amd64", (unsigned)i, &l));
		assert_string_equal(l.source, source);
		assert_true(l.assumed);
	}
}

/* Nearest first; at the same distance the newer one. */
static void test_nearest(void **state)
{
	(void)state;
	check_order(28, (int[]){ 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15 },
		    13);
	check_order(14, (int[]){ 15, 16, 17, 18 }, 4);
	check_order(-1, (int[]){ 15, 16 }, 2);
}

/* Past the exact row, the one before and the one behind take turns. */
static void test_alternating(void **state)
{
	const int expected[] = { 21, 19, 22, 18, 23, 17, 24, 16, 25, 15, 26, 27 };
	struct layout l;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char source[64];
		snprintf(source, sizeof(source), "assumed go1.%d", expected[i]);
		assert_true(layout_from_table(20, "amd64", (unsigned)i + 1, &l));
		assert_string_equal(l.source, source);
	}
}

/* Every row once, then no more. */
static void test_all_ranks(void **state)
{
	struct layout l;
	(void)state;
	for (int minor = 10; minor < 40; minor++) {
		unsigned rank = 0;
		while (layout_from_table(minor, "amd64", rank, &l))
			rank++;
		assert_int_equal(rank, ARRAY_SIZE(minors));
	}
	assert_false(layout_from_table(24, "mips", 0, &l));
}

/* A slot that a row forgets would be { 0, 0 }, and nothing looks like that: a field has a
 * width, a size and a constant are not 0, and what is absent says so. */
static void test_no_slot_forgotten(void **state)
{
	struct layout l;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		assert_true(layout_from_table(minors[i], "amd64", 0, &l));
		for (int slot = 0; slot < LAYOUT_SLOTS; slot++)
			if (l.slot[slot].off == 0 && l.slot[slot].size == 0)
				fail_msg("go1.%d has no %s: tests/layout-rows, "
					 "tests/derived-rows",
					 minors[i],
					 layout_slot_info((enum layout_slot)slot)->name);
	}
}

/* What every release has is in every row; what a release does not have is absent. */
static void test_slots(void **state)
{
	struct layout l;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		assert_true(layout_from_table(minors[i], "amd64", 0, &l));
		for (int slot = 0; slot < LAYOUT_SLOTS; slot++)
			if (layout_slot_info((enum layout_slot)slot)->required)
				assert_true(layout_has(&l, (enum layout_slot)slot));
		/* runtime/runtime2.go type g, runtime/symtab.go type moduledata */
		assert_int_equal(layout_has(&l, L_g_parent), minors[i] >= 21);
		assert_int_equal(layout_has(&l, L_md_gofunc), minors[i] >= 18);
		assert_int_equal(l.slot[L_g_status].off,
				 minors[i] == 23 || minors[i] == 24 ? 152 : 144);
		assert_int_equal(l.slot[L_g_status].size, 4);
	}
}

static void test_get(void **state)
{
	const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff };
	struct layout l = { .source = "test" };
	(void)state;
	l.slot[L_g_goid] = (struct slot){ 1, 8 };
	l.slot[L_g_status] = (struct slot){ 6, 4 };
	l.slot[L_g_waitreason] = (struct slot){ 9, 1 };
	l.slot[L_g_parent] = (struct slot){ -1, 8 };
	l.slot[L_g_gopc] = (struct slot){ 3, 8 };
	l.slot[L_g_m] = (struct slot){ 0, 9 };
	l.slot[L_g_sched_sp] = (struct slot){ INT32_MAX, 8 };
	assert_int_equal(layout_get(&l, L_g_goid, bytes, 10), 0x0908070605040302);
	assert_int_equal(layout_get(&l, L_g_status, bytes, 10), 0xff090807);
	assert_int_equal(layout_get(&l, L_g_waitreason, bytes, 10), 0xff);
	assert_int_equal(layout_get(&l, L_g_parent, bytes, 10), 0); /* absent */
	assert_int_equal(layout_get(&l, L_g_gopc, bytes, 10), 0);   /* too short by one */
	assert_int_equal(layout_get(&l, L_g_m, bytes, 10), 0);	    /* too wide */
	assert_int_equal(layout_get(&l, L_g_sched_sp, bytes, 10), 0); /* far out */
}

static void test_load(void **state)
{
	uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff };
	struct layout l = { .source = "test" };
	struct err err;
	uint64_t v = 77;
	(void)state;
	const struct target_bytes_part part = { 0x1000, bytes, sizeof(bytes), NULL,
						false };
	AUTO(target_close) struct target *t = target_bytes_new(&part, 1);
	l.slot[L_g_status] = (struct slot){ 6, 4 };
	l.slot[L_g_parent] = (struct slot){ -1, 8 };
	l.slot[L_g_gopc] = (struct slot){ 3, 8 };
	assert_true(layout_load(&l, t, 0x1000, L_g_status, &v, &err));
	assert_int_equal(v, 0xff090807);
	v = 77;
	assert_false(layout_load(&l, t, 0x1000, L_g_parent, &v, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "g_parent"));
	assert_false(layout_load(&l, t, 0x1000, L_g_gopc, &v, &err));
	assert_int_equal(err.code, ERR_FAULT);
	assert_int_equal(v, 77);
}

/* Debugging information of a runtime that has what is required, and timers. G_SIZE, WHEN and
 * WHEN_BYTES are for the test to say. */
static const char assembly[] =
	".section .debug_abbrev\n"
	" .uleb128 1,0x11; .byte 1; .uleb128 3,8,0x13,0xb,0,0\n"	   /* unit */
	" .uleb128 2,0x13; .byte 1; .uleb128 3,8,0xb,6,0,0\n"		   /* struct */
	" .uleb128 3,0xd; .byte 0; .uleb128 3,8,0x38,6,0x49,0x13,0,0\n"	   /* member */
	" .uleb128 4,0x24; .byte 0; .uleb128 3,8,0x3e,0xb,0xb,0xb,0,0,0\n" /* base */
	".macro begin name, size\n"
	" .uleb128 2; .string \"\\name\"; .long \\size\n"
	".endm\n"
	".macro member name, off, type\n"
	" .uleb128 3; .string \"\\name\"; .long \\off, \\type - unit\n"
	".endm\n"
	".macro end\n"
	" .uleb128 0\n"
	".endm\n"
	".macro only name, size\n"
	" begin \\name, \\size\n"
	" end\n"
	".endm\n"
	".section .debug_info\n"
	"unit: .long last - first\n"
	"first: .short 4; .long 0; .byte 8\n"
	" .uleb128 1; .string \"runtime\"; .byte 0x16\n"
	"word: .uleb128 4; .string \"uint64\"; .byte 7, 8\n"
	"moment: .uleb128 4; .string \"int64\"; .byte 5, WHEN_BYTES\n"
	"stack: begin runtime.stack, 16\n"
	" member lo, 0, word\n"
	" member hi, 8, word\n"
	" end\n"
	"sched: begin runtime.gobuf, 24\n"
	" member sp, 0, word\n"
	" member pc, 8, word\n"
	" member g, 16, word\n"
	" end\n"
	" begin runtime.g, G_SIZE\n"
	" member stack, 0, stack\n"
	" member m, 16, word\n"
	" member sched, 24, sched\n"
	" member syscallsp, 48, word\n"
	" member syscallpc, 56, word\n"
	" member atomicstatus, 64, word\n"
	" member goid, 72, word\n"
	" member startpc, 80, word\n"
	" end\n"
	" begin runtime.m, 32\n"
	" member g0, 0, word\n"
	" member procid, 8, word\n"
	" member gsignal, 16, word\n"
	" member curg, 24, word\n"
	" end\n"
	" begin runtime.moduledata, 64\n"
	" member minpc, 0, word\n"
	" member maxpc, 8, word\n"
	" member text, 16, word\n"
	" member edata, 24, word\n"
	" member bss, 32, word\n"
	" member ebss, 40, word\n"
	" member next, 48, word\n"
	" end\n"
	" begin runtime.timer, 0x10000\n"
	" member when, WHEN, moment\n"
	" end\n"
	" only runtime.sudog, 88\n"
	" only runtime.hchan, 96\n"
	" only runtime._panic, 80\n"
	" only runtime._defer, 72\n"
	" only runtime.ancestorInfo, 40\n"
	" only runtime.maptype, 96\n"
	" only runtime.mspan, 160\n"
	" .uleb128 0\n"
	"last:\n";

static bool from_dwarf(unsigned g_size, unsigned when, unsigned when_bytes,
		       struct layout *ret, struct err *err)
{
	struct compiled c;
	AUTO(xfree)
	char *source =
		xasprintf(".set G_SIZE, %u\n.set WHEN, %u\n.set WHEN_BYTES, %u\n%s",
			  g_size, when, when_bytes, assembly);

	compiled_open("assembler", "", source, &c);
	bool ok = layout_from_dwarf(images_get(c.images, 0), ret, err);
	compiled_close(&c);
	return ok;
}

/* Whoever reads one of these structs has room for so many bytes of it. */
static void test_large_structs(void **state)
{
	static const struct {
		unsigned g_size, when;
		const char *says; /* NULL: it is taken */
	} cases[] = {
		{ LIMIT_STRUCT_BYTES, LIMIT_STRUCT_BYTES - 8, NULL },
		{ LIMIT_STRUCT_BYTES + 1, 0, "runtime.g ends at byte 4097" },
		{ 1 << 14, 0, "runtime.g ends at byte 16384" },
		{ 0, 0, "runtime.g ends at byte 0" },
		{ 400, LIMIT_STRUCT_BYTES - 7, "runtime.timer.when ends at byte 4097" },
		{ 400, INT32_MAX - 8, "runtime.timer.when ends at byte 2147483647" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct layout l;
		struct err err = { .text = "" };
		if (from_dwarf(cases[i].g_size, cases[i].when, 8, &l, &err)) {
			assert_null(cases[i].says);
			assert_int_equal(l.slot[L_g_size].off, cases[i].g_size);
			assert_int_equal(l.slot[L_timer_when].off, cases[i].when);
			continue;
		}
		if (!cases[i].says || !strstr(err.text, cases[i].says))
			fail_msg("%s", err.text);
		assert_int_equal(err.code, ERR_BAD_DATA);
	}
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		struct layout l;
		assert_true(layout_from_table(minors[i], "amd64", 0, &l));
		for (int slot = 0; slot < LAYOUT_SLOTS; slot++) {
			const struct slot_info *info =
				layout_slot_info((enum layout_slot)slot);
			if (info->kind != SLOT_CONSTANT)
				assert_true(l.slot[slot].off +
						    (int64_t)l.slot[slot].size <=
					    (info->far ? LIMIT_FAR_BYTES
						       : LIMIT_STRUCT_BYTES));
		}
	}
}

/* What has no bytes cannot be read: no field of the runtime is so. */
static void test_empty_fields(void **state)
{
	struct layout l;
	struct err err = { .text = "" };
	(void)state;
	assert_true(from_dwarf(400, 0, 1, &l, &err));
	assert_int_equal(l.slot[L_timer_when].size, 1);
	for (unsigned when = 0; when <= 8; when += 8) {
		assert_false(from_dwarf(400, when, 0, &l, &err));
		assert_non_null(strstr(err.text, "runtime.timer.when has 0 bytes"));
		assert_int_equal(err.code, ERR_BAD_DATA);
	}
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		assert_true(layout_from_table(minors[i], "amd64", 0, &l));
		for (int slot = 0; slot < LAYOUT_SLOTS; slot++)
			if (layout_slot_info((enum layout_slot)slot)->kind ==
				    SLOT_FIELD &&
			    l.slot[slot].off >= 0)
				assert_true(l.slot[slot].size > 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_rows),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_alternating),
		cmocka_unit_test(test_all_ranks),
		cmocka_unit_test(test_no_slot_forgotten),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_large_structs),
		cmocka_unit_test(test_empty_fields),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
