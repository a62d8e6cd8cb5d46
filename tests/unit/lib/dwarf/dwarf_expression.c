/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_expression.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/lib/compiled.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/unit.h"

enum { RBX = 3, RDI = 5, R12 = 12, RSP = 7 };

#define MEMORY UINT64_C(0x7000)
#define CFA UINT64_C(0x7ff0)
#define TLS INT64_C(0x9000)

static const char assembly[] =
	/* Calls as GNU had them before DWARF 5, and as DWARF 5 has them. */
	".ifdef gnu\n"
	".set call_tag, 0x4109; .set parameter_tag, 0x410a; .set returns, 0x11\n"
	".set origin, 0x31; .set parameter, 0x31; .set value, 0x2111; .set target, "
	"0x2113\n"
	".set tail, 0x2115; .set all, 0x2117; .set entry, 0xf3; .set conversion, 0xf7\n"
	".set constant, 0xf4\n"
	".else\n"
	".set call_tag, 0x48; .set parameter_tag, 0x49; .set returns, 0x7d\n"
	".set origin, 0x7f; .set parameter, 0x80; .set value, 0x7e; .set target, 0x83\n"
	".set tail, 0x82; .set all, 0x7a; .set entry, 0xa3; .set conversion, 0xa8\n"
	".set constant, 0xa4\n"
	".endif\n"
	".section .debug_abbrev\n"
	/* 1 unit: low_pc, high_pc, language */
	".uleb128 1, 0x11; .byte 1; .uleb128 0x11,1, 0x12,7, 0x13,0x0b, 0,0\n"
	/* 2 function: name, low_pc, high_pc, frame_base, external, all its calls are told of */
	".uleb128 2, 0x2e; .byte 1; .uleb128 3,8, 0x11,1, 0x12,7, 0x40,0x18, 0x3f,0x19\n"
	"	.uleb128 all,0x19, 0,0\n"
	/* 3 variable: name, type, location; 4 parameter: name, type */
	".uleb128 3, 0x34; .byte 0; .uleb128 3,8, 0x49,0x13, 2,0x18, 0,0\n"
	".uleb128 4, 5; .byte 0; .uleb128 3,8, 0x49,0x13, 0,0\n"
	/* 5 call: returns, origin; 6 tail call; 7 call by address: target */
	".uleb128 5, call_tag; .byte 1; .uleb128 returns,1, origin,0x13, 0,0\n"
	".uleb128 6, call_tag; .byte 0; .uleb128 returns,1, origin,0x13, tail,0x19, 0,0\n"
	".uleb128 7, call_tag; .byte 1; .uleb128 returns,1, target,0x18, 0,0\n"
	/* 8 what was passed: location, value; 9: parameter, value */
	".uleb128 8, parameter_tag; .byte 0; .uleb128 2,0x18, value,0x18, 0,0\n"
	".uleb128 9, parameter_tag; .byte 0; .uleb128 parameter,0x13, value,0x18, 0,0\n"
	/* 10 base type: name, encoding, size; 11 declaration: name, external */
	".uleb128 10, 0x24; .byte 0; .uleb128 3,8, 0x3e,0x0b, 0x0b,0x0b, 0,0\n"
	".uleb128 11, 0x2e; .byte 0; .uleb128 3,8, 0x3f,0x19, 0,0\n"
	/* 12 function of which calls are not told */
	".uleb128 12, 0x2e; .byte 1; .uleb128 3,8, 0x11,1, 0x12,7, 0,0\n"
	".uleb128 0\n"

	".section .debug_info\n"
	"unit: .long end - start\n"
	"start: .short 4; .long 0; .byte 8\n"
	".uleb128 1; .quad 0x1000, 0x5000; .byte 12\n"
	"long: .uleb128 10; .string \"long\"; .byte 5, 8\n"
	"short: .uleb128 10; .string \"short\"; .byte 5, 2\n"
	"byte: .uleb128 10; .string \"unsigned char\"; .byte 8, 1\n"
	"double: .uleb128 10; .string \"double\"; .byte 4, 8\n"
	"declared: .uleb128 11; .string \"f\"\n"
	"another: .uleb128 11; .string \"another\"\n"
	/* The caller */
	".uleb128 2; .string \"caller\"; .quad 0x1000, 0x100; .byte 1, 0x9c\n"
	".uleb128 5; .quad 0x1010; .long f - unit\n"
	".uleb128 8; .byte 1, 0x55, 4, 0x73, 1, 0x32, 0x1e\n" /* rdi: (rbx + 1) * 2 */
	".uleb128 8; .byte 1, 0x54, 3, entry, 1, 0x55\n"      /* rsi: what rdi was here */
	".uleb128 9; .long given - unit; .byte 2, 8, 99\n"
	".uleb128 0\n"
	".uleb128 5; .quad 0x1020; .long another - unit\n"
	".uleb128 8; .byte 1, 0x55, 1, 0x31\n"
	".uleb128 0\n"
	".uleb128 7; .quad 0x1030; .byte 2, 0x7c, 0\n" /* the address in r12 */
	".uleb128 8; .byte 1, 0x55, 1, 0x37\n"
	".uleb128 0\n"
	".uleb128 5; .quad 0x1040; .long declared - unit\n"
	".uleb128 8; .byte 1, 0x55, 1, 0x38\n"
	".uleb128 0\n"
	".uleb128 5; .quad 0x1050; .long round - unit\n"
	".uleb128 8; .byte 1, 0x55, 1, 0x31\n"
	".uleb128 0\n"
	".uleb128 5; .quad 0x1060; .long untold - unit\n"
	".uleb128 8; .byte 1, 0x55, 1, 0x31\n"
	".uleb128 0\n"
	".uleb128 0\n"
	/* What it calls, and what computes */
	"f: .uleb128 2; .string \"f\"; .quad 0x2000, 0x100; .byte 1, 0x9c\n"
	"given: .uleb128 4; .string \"given\"; .long long - unit\n"
	".macro variable name, bytes:vararg\n"
	".uleb128 3; .string \"\\name\"; .long long - unit\n"
	".byte 9f - 8f\n"
	"8: .byte \\bytes\n"
	"9:\n"
	".endm\n"
	"variable entry, entry, 1, 0x55, 0x9f\n"
	"variable nested, entry, 1, 0x54, 0x9f\n"
	"variable unpassed, entry, 1, 0x52, 0x9f\n"
	"variable preserved, entry, 1, 0x53, 0x9f\n"
	"variable reference, 0xfa, (given - unit) "
	"& 255, (given - unit) >> 8, 0, 0, 0x9f\n"
	"variable sum, 0x73, 0x7b, 8, 200, 0x22, 0x9f\n"       /* rbx - 5 + 200 */
	"variable address, 0x9c, 0x8, 16, 0x1c\n"	       /* CFA - 16 */
	"variable based, 0x91, 0x70, 0x31, 0x1c\n"	       /* fbreg - 16 - 1 */
	"variable memory, 0xa, 0, 0x70, 6, 8, 3, 0x1b, 0x9f\n" /* *0x7000 / 3 */
	"variable part, 0xa, 0, 0x70, 0x94, 1, 0x9f\n"
	"variable typed, 0xa, 0, 0x70, 0xa6, 2, short - unit, 0x9f\n"
	/* Behind a constant that is skipped one byte short, there is one of four bytes. */
	"variable fixed, constant, short - unit, 2, 0x2a, 0xc, 0x9f\n"
	"variable negative, constant, short - unit, 2, 0xfe, 0xff, 0x9f\n"
	"variable narrow, 9, 0xfe, conversion, byte - unit, 0x9f\n" /* (unsigned char)-2 */
	"variable sign, 8, 0xfe, conversion, byte - unit, conversion, short - unit, "
	"0x9f\n"
	"variable wide, 0xa, 0xff, 0xff, conversion, short - unit, conversion, 0, 0x9f\n"
	"variable right, 9, 0xf0, 0x32, 0x26, 0x9f\n" /* -16 >> 2 */
	"variable shifted, 9, 0xf0, 8, 60, 0x25, 0x9f\n"
	"variable left, 0x31, 8, 70, 0x24, 0x9f\n"
	"variable rest, 9, 0xff, 8, 10, 0x1d, 0x9f\n" /* without a sign */
	"variable quotient, 9, 0xf6, 0x33, 0x1b, 0x9f\n"
	"variable less, 9, 0xff, 0x30, 0x2d, 0x9f\n"
	"variable turned, 0x31, 0x32, 0x33, 0x17, 0x1c, 0x1e, 0x9f\n" /* 3 * (1 - 2) */
	"variable picked, 0x35, 0x36, 0x15, 1, 0x14, 0x12, 0x22, 0x22, 0x9f\n"
	"variable jumped, 0x31, 0x28, 2, 0, 0x35, 0x9f, 0x36, 0x9f\n"
	"variable endless, 0x2f, 0xfd, 0xff\n"
	"variable zero, 0x31, 0x30, 0x1b, 0x9f\n"
	"variable empty, 0x22, 0x9f\n"
	"variable lost, 0x71, 0, 0x31, 0x22, 0x9f\n"
	"variable unmapped, 0x30, 0x20, 6, 0x31, 0x22\n"
	"variable real, 0x31, conversion, double - unit, 0x9f\n"
	"variable thread, 8, 24, 0x9b\n"
	"variable gnu_thread, 8, 32, 0xe0\n"
	"variable threadless, 0x9b\n"
	".uleb128 0\n"
	/* Two that jump to each other, and one of which nobody knows. */
	"round: .uleb128 2; .string \"round\"; .quad 0x3000, 0x100; .byte 1, 0x9c\n"
	".uleb128 6; .quad 0x3010; .long about - unit\n"
	"variable entered, entry, 1, 0x55, 0x9f\n"
	".uleb128 0\n"
	"about: .uleb128 2; .string \"about\"; .quad 0x3100, 0x100; .byte 1, 0x9c\n"
	".uleb128 6; .quad 0x3110; .long round - unit\n"
	".uleb128 0\n"
	"untold: .uleb128 12; .string \"untold\"; .quad 0x3200, 0x100\n"
	"variable entered, entry, 1, 0x55, 0x9f\n"
	".uleb128 0\n"
	".uleb128 0\n"
	"end:\n";

struct called {
	struct compiled c;
	struct target *target;
	struct regs regs[2];
	uint64_t pc, return_pc;
	bool interrupted, no_tls;
};

static bool frame(void *arg, size_t i, struct dwarf_frame *ret)
{
	struct called *called = arg;

	if (i >= 2)
		return false;
	*ret = (struct dwarf_frame){ .dwarf = called->c.dwarf,
				     .bias = 0x10000,
				     .pc = 0x10000 + (i ? called->return_pc : called->pc),
				     .at_instruction = !i || called->interrupted,
				     .cfa = i ? 0 : CFA,
				     .regs = &called->regs[i] };
	return true;
}

static bool tls(void *arg, size_t i, uint64_t *ret, struct err *err)
{
	const struct called *called = arg;

	assert_int_equal(i, 0);
	*ret = TLS;
	return !called->no_tls || err_set(err, ERR_NOT_FOUND, "not yet used by");
}

static void begin(struct called *called, const char *flags)
{
	static const int64_t memory = -100;
	const struct target_bytes_part part = { .addr = MEMORY,
						.bytes = &memory,
						.len = sizeof(memory) };

	*called = (struct called){ .pc = 0x2010, .return_pc = 0x1010 };
	compiled_open("assembler", flags, assembly, &called->c);
	called->target = target_bytes_new(&part, 1);
	reg_set(&called->regs[0], RBX, 1);
	reg_set(&called->regs[1], RBX, 20);
	reg_set(&called->regs[1], R12, 0x12000);
	reg_set(&called->regs[1], RSP, CFA);
}

static void end(struct called *called)
{
	target_close(called->target);
	compiled_close(&called->c);
}

static bool compute(struct called *called, const char *name, struct dwarf_result *ret,
		    struct err *err)
{
	const struct dwarf_stack stack = { called->target, frame, tls, called };
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *s = dwarf_scopes_at(called->c.dwarf, called->pc, true, err);

	assert_non_null(s);
	for (size_t i = 0; i < s->list[0].variable_count; i++) {
		const struct dwarf_variable *v = &s->list[0].variables[i];
		if (strcmp(v->name, name) != 0)
			continue;
		assert_int_equal(v->piece_count, 1);
		assert_int_equal(v->pieces[0].where, DWARF_PIECE_EXPRESSION);
		return dwarf_piece_compute(&stack, 0, &v->pieces[0], ret, err);
	}
	fail_msg("there is no %s", name);
	return false;
}

static void check(struct called *called, const char *name, bool is_value, int64_t wanted)
{
	struct dwarf_result found;
	struct err err;

	if (!compute(called, name, &found, &err))
		fail_msg("%s: %s", name, err.text);
	if (found.is_value != is_value || found.number != (uint64_t)wanted)
		fail_msg("%s is %d %lld", name, found.is_value, (long long)found.number);
}

static void check_unknown(struct called *called, const char *name, const char *words)
{
	struct dwarf_result found;
	struct err err;

	if (compute(called, name, &found, &err))
		fail_msg("%s is %lld", name, (long long)found.number);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", name, err.text);
}

static void check_numbers(const char *flags)
{
	static const struct {
		const char *name;
		int64_t value;
	} values[] = {
		{ "sum", 196 },	   { "memory", -33 },  { "part", 0x9c },
		{ "typed", -100 }, { "fixed", 0xc2a }, { "negative", -2 },
		{ "narrow", 254 }, { "sign", 254 },    { "wide", -1 },
		{ "right", -4 },   { "shifted", 15 },  { "left", 0 },
		{ "rest", 5 },	   { "quotient", -3 }, { "less", 1 },
		{ "turned", -3 },  { "picked", 17 },   { "jumped", 6 },
	};
	static const struct {
		const char *name, *words;
	} unknown[] = {
		{ "endless", "unsupported DWARF location" },
		{ "zero", "unsupported DWARF location" },
		{ "empty", "unsupported DWARF location" },
		{ "lost", "register that was not saved" },
		{ "unmapped", "not a valid address" },
		{ "real", "unsupported DWARF location" },
		{ "threadless", "unsupported DWARF location" },
	};
	struct called called;

	begin(&called, flags);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		check(&called, values[i].name, true, values[i].value);
	check(&called, "address", false, (int64_t)CFA - 16);
	check(&called, "based", false, (int64_t)CFA - 17);
	check(&called, "thread", false, TLS + 24);
	check(&called, "gnu_thread", false, TLS + 32);
	called.no_tls = true;
	check_unknown(&called, "thread", "not yet used by");
	for (size_t i = ARRAY_SIZE(unknown); i-- > 0;)
		check_unknown(&called, unknown[i].name, unknown[i].words);
	end(&called);
}

static void test_numbers(void **state)
{
	(void)state;
	check_numbers("");
	check_numbers("-Wa,--defsym,gnu=1");
}

static void check_calls(const char *flags)
{
	struct called called;

	begin(&called, flags);
	check(&called, "entry", true, 42);
	check(&called, "preserved", true, 20);
	check(&called, "reference", true, 99);
	check_unknown(&called, "nested", "the caller has no call-site");
	check_unknown(&called, "unpassed", "the caller has no call-site");
	called.return_pc = 0x1020;
	check_unknown(&called, "entry", "called another function");
	called.return_pc = 0x1030;
	check(&called, "entry", true, 7);
	called.regs[1].value[R12]++;
	check_unknown(&called, "entry", "called another function");
	called.return_pc = 0x1040;
	check(&called, "entry", true, 8);
	called.return_pc = 0x1011;
	check_unknown(&called, "entry", "the caller has no call-site");
	called.return_pc = 0x1010;
	called.interrupted = true;
	check_unknown(&called, "entry", "the caller has no call-site");
	check_unknown(&called, "preserved", "the caller has no call-site");
	called.interrupted = false;
	called.pc = 0x3020;
	called.return_pc = 0x1050;
	check_unknown(&called, "entered", "a tail call may have");
	called.pc = 0x3220;
	called.return_pc = 0x1060;
	check_unknown(&called, "entered", "a tail call may have");
	end(&called);
}

static void test_calls(void **state)
{
	(void)state;
	check_calls("");
	check_calls("-Wa,--defsym,gnu=1");
}

/* The same file, as if it were for a processor that nothing is known of. */
static void make_foreign(struct compiled *c)
{
	const uint16_t machine = EM_SPARCV9;
	int fd = open(c->path, O_WRONLY | O_CLOEXEC);
	struct err err;

	dwarf_close(c->dwarf);
	images_close(c->images);
	assert_int_equal(
		pwrite(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)),
		sizeof(machine));
	close(fd);
	c->images = images_open_file(c->path, &err);
	assert_non_null(c->images);
	c->dwarf = dwarf_open(images_get(c->images, 0), &err);
	assert_non_null(c->dwarf);
}

/* Which registers a function hands back is not known there. */
static void test_foreign(void **state)
{
	struct called called;
	(void)state;
	begin(&called, "");
	make_foreign(&called.c);
	check(&called, "entry", true, 42);
	check_unknown(&called, "preserved", "the caller has no call-site");
	end(&called);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_foreign),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
