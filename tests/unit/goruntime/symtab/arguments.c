/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/goruntime/pclntab_writer.h"
#include "tests/unit/unit.h"

enum { ADDR = 0x500000, TEXT = 0x401000, SIZE = 0x100 };

static const uint64_t block[32] = {
	1, 0x22, 0x333, 0xffffffffffffffff, 0, 0xc000012345, 7, 8, 9, 10, 11, 12,
};

/* What a function of that name was written with, in a table of a release. */
struct fixture {
	struct table table;
	struct pclntab tab;
	struct pclntab_func func;
	struct layout layout;
};

static const char *const files[] = { "/src/a.go" };

static struct bytes data_at(void *arg, uint64_t addr)
{
	const struct table *table = arg;
	return bytes_at(bytes_over(table->bytes, table->len), addr - ADDR);
}

static enum table_format format_of(int minor)
{
	return minor < 16   ? TABLE_1_2
	       : minor < 18 ? TABLE_1_16
	       : minor < 20 ? TABLE_1_18
			    : TABLE_1_20;
}

static void begin(struct fixture *f, int minor, const struct table_func *func)
{
	struct err err;

	assert_true(layout_from_table(minor, "amd64", 0, &f->layout));
	f->table = table_write(format_of(minor), ADDR, TEXT, func, 1, files, 1);
	assert_true(
		pclntab_init(&f->tab, f->table.bytes, f->table.len, ADDR, TEXT, &err));
	f->tab.gofunc = bytes_at(f->tab.all, f->table.gofunc);
	assert_true(pclntab_find(&f->tab, TEXT, &f->func));
}

static void end(struct fixture *f)
{
	xfree(f->table.bytes);
}

/* The text of a call in go1.minor at pc; outer_pc: behind inlined calls. */
static void check_at(int minor, const struct table_func *func, uint32_t pc,
		     uint32_t outer_pc, const char *expected)
{
	char text[ARGUMENTS_TEXT_MAX] = "";
	struct fixture f;

	begin(&f, minor, func);
	AUTO(xfree)
	struct arguments *a = arguments_new(&f.layout, &f.tab, &f.func, TEXT + pc,
					    TEXT + outer_pc, data_at, &f.table);
	if (a) {
		assert_in_range(a->span, 0, sizeof(block));
		text[arguments_text(a, (const uint8_t *)block, text)] = '\0';
	}
	assert_string_equal(a ? text : "none", expected);
	end(&f);
}

static void check(int minor, const struct table_func *func, const char *expected)
{
	check_at(minor, func, 0x10, 0x10, expected);
}

static struct table_func func_with(const uint8_t *info, size_t size)
{
	struct table_func func = { .name = "main.f",
				   .size = SIZE,
				   .sp = { { SIZE, 8 } },
				   .arg_info_size = (uint8_t)size };

	memcpy(func.arg_info, info, size);
	return func;
}

#define FUNC(...)                                                                        \
	func_with((const uint8_t[]){ __VA_ARGS__ },                                      \
		  sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Releases with FUNCDATA_ArgInfo, in both forms of funcdata. */
static const int minors[] = { 19, 21, 27 };

static void test_stream(void **state)
{
	const struct table_func plain = FUNC(0, 8, 8, 8, 0xff);
	const struct table_func nested =
		FUNC(0, 8, 0xfe, 8, 8, 0xfe, 0xfd, 16, 1, 0xfd, 24, 4, 0xfc, 0xff);
	const struct table_func far = FUNC(0xfb, 40, 8, 0xfe, 0xfb, 0xfc, 0xfd, 0xff);
	const struct table_func empty = FUNC(0xff), braces = FUNC(0xfe, 0xfd, 0xff);
	const struct table_func zero = FUNC(32, 8, 0xff),
				odd = FUNC(24, 0, 24, 200, 0xff);
	const struct table_func none = { .name = "main.f", .size = SIZE };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		check(minors[i], &plain, "0x1, 0x22");
		check(minors[i], &nested, "0x1, {0x22, {}, 0x33}, 0xffffffff, ...");
		check(minors[i], &far, "_, 0xc000012345, {_, ...}");
		check(minors[i], &empty, "none");
		check(minors[i], &braces, "{}");
		check(minors[i], &zero, "0x0");
		check(minors[i], &odd, "0x0, 0xffffffffffffffff");
		check(minors[i], &none, "none");
	}
}

static void test_not_live(void **state)
{
	/* The first argument is on the stack, the others came in registers. Bitmaps at 1
	 * and 2: the second alone is live, all are. */
	struct table_func func = FUNC(0, 8, 8, 8, 0xfe, 16, 8, 24, 8, 0xfd, 0xff);
	const struct table_value index[] = { { 0x20, 1 }, { 0x40, 2 }, { SIZE, -2 } };
	(void)state;
	memcpy(func.arg_live, (uint8_t[]){ 8, 0x02, 0x07 }, func.arg_live_size = 3);
	memcpy(func.arg_live_index, index, sizeof(index));
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		check_at(minors[i], &func, 0x10, 0x10,
			 "0x1, 0x22?, {0x333, 0xffffffffffffffff?}");
		check_at(minors[i], &func, 0x30, 0x30,
			 "0x1, 0x22, {0x333, 0xffffffffffffffff}");
		check_at(minors[i], &func, 0x50, 0x50,
			 "0x1, 0x22, {0x333, 0xffffffffffffffff}");
	}
	/* In an inlined call: up to 1.20 the line of the call says what is live. */
	check_at(19, &func, 0x10, 0x30, "0x1, 0x22, {0x333, 0xffffffffffffffff}");
	check_at(21, &func, 0x10, 0x30, "0x1, 0x22?, {0x333, 0xffffffffffffffff?}");
}

/* Until the first pc of which it is said what is live, what came in registers is there, and the slots
 * hold something else. */
static void test_in_registers(void **state)
{
	struct table_func func = FUNC(0, 8, 8, 8, 0xff);
	const struct table_value index[] = { { 0x20, -1 }, { 0x40, 1 }, { SIZE, -1 } };
	const struct {
		uint32_t pc;
		bool passed;
	} places[] = { { 0, true },	{ 0x10, true },	 { 0x20, true },
		       { 0x21, false }, { 0x40, false }, { SIZE - 1, false } };
	(void)state;
	memcpy(func.arg_live, (uint8_t[]){ 8, 0x01 }, func.arg_live_size = 2);
	memcpy(func.arg_live_index, index, sizeof(index));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const uint64_t pc = TEXT + places[i].pc;
		struct fixture f;
		begin(&f, 27, &func);
		AUTO(xfree)
		struct arguments *a = arguments_new(&f.layout, &f.tab, &f.func, pc, pc,
						    data_at, &f.table);
		assert_int_equal(arguments_in_registers(&f.layout, &f.tab, &f.func, pc),
				 places[i].passed);
		assert_int_equal(arguments_is_unset(a, 8), places[i].passed);
		assert_false(arguments_is_unset(a, 0)); /* that one is on the stack */
		end(&f);
	}
}

static void test_block(void **state)
{
	struct table_func func = FUNC(0, 8, 0xff);
	(void)state;
	func.args = 24;
	check(15, &func, "0x1, 0x22, 0x333");
	func.args = 15;
	check(15, &func, "0x1");
	func.args = 7;
	check(15, &func, "none");
	func.args = 80;
	check(15, &func,
	      "0x1, 0x22, 0x333, 0xffffffffffffffff, 0x0, 0xc000012345, 0x7, 0x8, 0x9, "
	      "0xa");
	func.args = 0; /* not known */
	check(15, &func,
	      "0x1, 0x22, 0x333, 0xffffffffffffffff, 0x0, 0xc000012345, 0x7, 0x8, 0x9, "
	      "0xa, "
	      "...");
	func.args = 1; /* with FUNCDATA_ArgInfo it does not matter */
	check(19, &func, "0x1");
}

/* The longest streams that are read to their end, and those that have none. */
static void test_long(void **state)
{
	uint8_t info[171];
	char expected[ARGUMENTS_TEXT_MAX] = "";
	struct table_func func;
	(void)state;
	for (size_t i = 0; i < 170; i += 2) {
		info[i] = 24;
		info[i + 1] = 8;
		strcat(expected, i ? ", 0xffffffffffffffff" : "0xffffffffffffffff");
	}
	info[170] = 0xff;
	func = func_with(info, sizeof(info));
	check(27, &func, expected);
	info[170] = 0xfe;
	func = func_with(info, sizeof(info));
	check(27, &func, "none");
	for (size_t i = 0; i < 170; i++)
		info[i] = 0xfc;
	func = func_with(info, sizeof(info));
	check(27, &func, "none");
}

/* A table of which bytes were overwritten, down to the streams: whatever is still found of
 * the arguments keeps to its sizes. */
static void test_random(void **state)
{
	static const int all[] = { 15, 17, 19, 21, 27 };
	static const uint8_t plain[] = { 0, 8, 0xfe, 8, 8, 0xfd, 16, 4, 0xff };
	uint8_t zeros[UINT8_MAX + 8] = { 0 };
	char text[ARGUMENTS_TEXT_MAX];

	(void)state;
	srand(1);
	for (size_t round = 0; round < 2000; round++) {
		struct table_func func = func_with(plain, sizeof(plain));
		struct fixture f;
		if (round % 2 == 0) {
			func.arg_info_size = sizeof(func.arg_info);
			for (size_t i = 0; i < sizeof(func.arg_info); i++)
				func.arg_info[i] = (uint8_t)(rand() % 0xff);
		}
		begin(&f, all[round % ARRAY_SIZE(all)], &func);
		for (size_t i = 0; i < round % 32; i++)
			f.table.bytes[(size_t)rand() % f.table.len] = (uint8_t)rand();
		AUTO(xfree)
		struct arguments *a = arguments_new(&f.layout, &f.tab, &f.func, TEXT + 16,
						    TEXT + 16, data_at, &f.table);
		if (a) {
			assert_in_range(a->span, 0, sizeof(zeros));
			assert_true(arguments_text(a, zeros, text) < sizeof(text));
		}
		end(&f);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream),	     cmocka_unit_test(test_not_live),
		cmocka_unit_test(test_in_registers), cmocka_unit_test(test_block),
		cmocka_unit_test(test_long),	     cmocka_unit_test(test_random),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
