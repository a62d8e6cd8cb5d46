/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/dwarf/dwarf_names.h"
#include "lib/dwarf/dwarf_priv.h"
#include "lib/dwarf/dwarf_scopes.h"
#include "tests/unit/lib/compiled.h"
#include "tests/unit/unit.h"

/* What the compiler says of sizes and offsets is asked of the compiler: the same text is
 * compiled into this test. */
#define DECLARATIONS                                                                     \
	enum colour { RED, GREEN = 5, BLUE = -3 };                                       \
	enum big { BIG = 0x80000000u, BIGGER };                                          \
	union either {                                                                   \
		int number;                                                              \
		double real;                                                             \
	};                                                                               \
	typedef struct node {                                                            \
		char tag;                                                                \
		struct node *next;                                                       \
		unsigned low : 3, high : 7;                                              \
		long long wide : 40;                                                     \
		const volatile char *text;                                               \
		int grid[2][3][4];                                                       \
		union either either;                                                     \
		int (*call)(int, char);                                                  \
		enum colour colour;                                                      \
		enum big big;                                                            \
		struct never *never;                                                     \
		void *any;                                                               \
		float real;                                                              \
		char rest[];                                                             \
	} node_t;

DECLARATIONS

#define TEXT(...) TEXT_(__VA_ARGS__)
#define TEXT_(...) #__VA_ARGS__

static const char source[] =
	TEXT(DECLARATIONS) "\nint look(node_t of) { return of.tag; }\n";

/* The type of the first parameter of a function. */
static uint64_t parameter_type(const struct compiled *c, const char *function)
{
	struct err err;
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *s =
		dwarf_scopes_at(c->dwarf, compiled_symbol(c, function), true, &err);

	if (!s)
		fail_msg("%s", err.text);
	return s->list[s->count - 1].variables[0].type;
}

static struct dwarf_type read_type(const struct compiled *c, uint64_t ref)
{
	struct dwarf_type type;
	struct err err;

	if (!dwarf_type_read(c->dwarf, ref, &type, &err))
		fail_msg("%s", err.text);
	assert_int_equal(type.ref, ref);
	return type;
}

struct search {
	const char *name;
	struct dwarf_field field;
	size_t count;
	bool found;
};

static bool match(void *arg, const struct dwarf_field *field)
{
	struct search *s = arg;

	s->count++;
	s->found = strcmp(field->name, s->name) == 0;
	s->field = *field;
	return !s->found;
}

static struct dwarf_field field_of(const struct compiled *c, uint64_t ref,
				   const char *name)
{
	struct search s = { .name = name };

	dwarf_type_each_field(c->dwarf, ref, match, &s);
	if (!s.found)
		fail_msg("no member %s", name);
	return s.field;
}

static struct dwarf_type field_type(const struct compiled *c, uint64_t ref,
				    const char *name)
{
	return read_type(c, field_of(c, ref, name).of);
}

static void check_type(struct dwarf_type type, enum dwarf_type_tag tag, const char *name,
		       uint64_t size)
{
	assert_int_equal(type.tag, tag);
	if (name)
		assert_string_equal(type.name, name);
	else
		assert_null(type.name);
	assert_true(type.has_size);
	assert_int_equal(type.size, size);
	assert_false(type.go);
}

/* The bits of a field as its description says, from the bytes of the structure. */
static uint64_t bits_of(const void *bytes, struct dwarf_field field)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)bytes + field.off,
	       (field.bit_off + field.bit_size + 7) / 8);
	return v >> field.bit_off & ((UINT64_C(1) << field.bit_size) - 1);
}

static void check_bits(const struct compiled *c, uint64_t ref)
{
	node_t n;

	memset(&n, 0, sizeof(n));
	n.low = 5;
	n.high = 77;
	n.wide = 0x1234567890;
	assert_int_equal(field_of(c, ref, "low").bit_size, 3);
	assert_int_equal(field_of(c, ref, "high").bit_size, 7);
	assert_int_equal(field_of(c, ref, "wide").bit_size, 40);
	assert_int_equal(bits_of(&n, field_of(c, ref, "low")), 5);
	assert_int_equal(bits_of(&n, field_of(c, ref, "high")), 77);
	assert_int_equal(bits_of(&n, field_of(c, ref, "wide")), 0x1234567890);
}

static void check_fields(const struct compiled *c, uint64_t ref)
{
	struct search all = { .name = "" };

	dwarf_type_each_field(c->dwarf, ref, match, &all);
	assert_int_equal(all.count, 15);
	assert_int_equal(field_of(c, ref, "next").off, offsetof(node_t, next));
	assert_int_equal(field_of(c, ref, "grid").off, offsetof(node_t, grid));
	assert_int_equal(field_of(c, ref, "rest").off, offsetof(node_t, rest));
	assert_int_equal(field_of(c, ref, "next").bit_size, 0);
	assert_false(field_of(c, ref, "either").embedded);
	check_type(field_type(c, ref, "tag"), DWARF_TYPE_BASE, "char", 1);
	check_type(field_type(c, ref, "real"), DWARF_TYPE_BASE, "float", sizeof(float));
	check_type(field_type(c, ref, "either"), DWARF_TYPE_UNION, "either",
		   sizeof(union either));
	assert_int_equal(field_type(c, ref, "tag").encoding, 6);  /* DW_ATE_signed_char */
	assert_int_equal(field_type(c, ref, "real").encoding, 4); /* DW_ATE_float */
	check_type(field_type(c, ref, "colour"), DWARF_TYPE_ENUM, "colour",
		   sizeof(enum colour));
}

static void check_pointers(const struct compiled *c, uint64_t ref)
{
	struct dwarf_type type = field_type(c, ref, "next");

	check_type(type, DWARF_TYPE_POINTER, NULL, sizeof(void *));
	assert_int_equal(type.of, ref);
	type = field_type(c, ref, "any");
	check_type(type, DWARF_TYPE_POINTER, NULL, sizeof(void *));
	assert_int_equal(type.of, 0);
	type = read_type(c, field_type(c, ref, "never").of);
	assert_int_equal(type.tag, DWARF_TYPE_STRUCT);
	assert_true(type.declaration);
	assert_false(type.has_size);
	assert_int_equal(read_type(c, field_type(c, ref, "call").of).tag,
			 DWARF_TYPE_FUNCTION);
	type = read_type(c, field_type(c, ref, "text").of);
	assert_int_equal(type.tag, DWARF_TYPE_QUALIFIER);
	type = read_type(c, type.of);
	assert_int_equal(type.tag, DWARF_TYPE_QUALIFIER);
	check_type(read_type(c, type.of), DWARF_TYPE_BASE, "char", 1);
}

static void check_arrays(const struct compiled *c, uint64_t ref)
{
	struct dwarf_type grid = field_type(c, ref, "grid");
	struct dwarf_type rest = field_type(c, ref, "rest");

	assert_int_equal(grid.tag, DWARF_TYPE_ARRAY);
	assert_int_equal(grid.dimension_count, 3);
	assert_int_equal(grid.dimensions[0], 2);
	assert_int_equal(grid.dimensions[1], 3);
	assert_int_equal(grid.dimensions[2], 4);
	check_type(read_type(c, grid.of), DWARF_TYPE_BASE, "int", sizeof(int));
	assert_int_equal(rest.dimension_count, 1);
	assert_int_equal(rest.dimensions[0], UINT64_MAX);
}

static bool add_enumerator(void *arg, const struct dwarf_enumerator *e)
{
	char *text = arg;

	sprintf(text + strlen(text), "%s %lld;", e->name, (long long)e->value);
	return true;
}

static void check_enumerators(const struct compiled *c, uint64_t ref)
{
	char text[128] = "";

	dwarf_type_each_enumerator(c->dwarf, field_of(c, ref, "colour").of,
				   add_enumerator, text);
	assert_string_equal(text, "RED 0;GREEN 5;BLUE -3;");
	*text = '\0';
	dwarf_type_each_enumerator(c->dwarf, field_of(c, ref, "big").of, add_enumerator,
				   text);
	assert_string_equal(text, "BIG 2147483648;BIGGER 2147483649;");
	*text = '\0';
	dwarf_type_each_enumerator(c->dwarf, ref, add_enumerator, text);
	assert_string_equal(text, "");
}

/* Each version of the format has its own way for offsets of members and of bits. */
static void test_c(void **state)
{
	static const char *const flags[] = { "-g -gdwarf-5 -gstrict-dwarf",
					     "-g -gdwarf-4",
					     "-g -gdwarf-3 -gstrict-dwarf",
					     "-g -gdwarf-2 -gstrict-dwarf", "-g -gz" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct compiled c;
		compiled_open("c", flags[i], source, &c);
		struct dwarf_type type = read_type(&c, parameter_type(&c, "look"));
		assert_int_equal(type.tag, DWARF_TYPE_TYPEDEF);
		assert_string_equal(type.name, "node_t");
		type = read_type(&c, type.of);
		check_type(type, DWARF_TYPE_STRUCT, "node", sizeof(node_t));
		check_fields(&c, type.ref);
		check_bits(&c, type.ref);
		check_pointers(&c, type.ref);
		check_arrays(&c, type.ref);
		check_enumerators(&c, type.ref);
		compiled_close(&c);
	}
}

static bool count_enumerator(void *arg, const struct dwarf_enumerator *e)
{
	(void)e;
	++*(size_t *)arg;
	return true;
}

static void test_no_type(void **state)
{
	struct compiled c;
	struct dwarf_type type;
	struct err err;
	(void)state;
	compiled_open("c", "-g", source, &c);
	/* None, a header, a unit, past the end. */
	const uint64_t refs[] = { 0, 1, 12, 1 << 20, UINT64_MAX };
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++) {
		assert_false(dwarf_type_read(c.dwarf, refs[i], &type, &err));
		assert_int_equal(err.code, ERR_NOT_FOUND);
		dwarf_type_each_field(c.dwarf, refs[i], match, NULL);
	}
	/* Between entries there is nothing that can be relied on, but it ends. */
	for (uint64_t ref = 0; ref < 1024; ref++) {
		size_t count = 0;
		if (dwarf_type_read(c.dwarf, ref, &type, &err))
			dwarf_type_each_enumerator(c.dwarf, ref, count_enumerator,
						   &count);
	}
	compiled_close(&c);
}

/* By the name of the unit, as Go's packages are looked up; members with dots. */
static void test_members(void **state)
{
	struct compiled c;
	uint64_t off, size;
	(void)state;
	compiled_open("c", "-g", source, &c);
	assert_true(dwarf_type_size(c.dwarf, "<stdin>", "node", &size));
	assert_int_equal(size, sizeof(node_t));
	assert_true(dwarf_member(c.dwarf, "<stdin>", "node", "either", &off, &size));
	assert_int_equal(off, offsetof(node_t, either));
	assert_int_equal(size, sizeof(union either));
	assert_true(dwarf_member(c.dwarf, "<stdin>", "node", "either.real", &off, &size));
	assert_int_equal(off, offsetof(node_t, either));
	assert_int_equal(size, sizeof(double));
	assert_true(dwarf_member(c.dwarf, "<stdin>", "node", "text", &off, &size));
	assert_int_equal(off, offsetof(node_t, text));
	assert_int_equal(size, sizeof(char *));
	assert_false(dwarf_member(c.dwarf, "<stdin>", "node", "text.x", &off, &size));
	assert_false(dwarf_member(c.dwarf, "<stdin>", "node", "", &off, &size));
	assert_false(dwarf_member(c.dwarf, "<stdin>", "nod", "text", &off, &size));
	assert_false(dwarf_member(c.dwarf, "other", "node", "text", &off, &size));
	assert_false(dwarf_type_size(c.dwarf, "<stdin>", "either", &size));
	compiled_close(&c);
}

/* A member whose sibling is itself, of the type that it is in. */
static void test_circle(void **state)
{
	static const char circle[] =
		".section .debug_abbrev\n"
		".uleb128 1, 0x11; .byte 1; .uleb128 3,8, 0,0\n"
		".uleb128 2, 0x13; .byte 1; .uleb128 3,8, 0x0b,0x0b, 0,0\n"
		".uleb128 3, 0x0d; .byte 0; .uleb128 3,8, 1,0x13, 0x49,0x13, 0x38,0x0b, "
		"0,0\n"
		".uleb128 5, 0x27; .byte 0; .uleb128 3,8, 0x1c,0x0d, 0,0\n"
		".uleb128 0\n"
		".section .debug_info\n"
		"unit: .long end - start\n"
		"start: .short 4; .long 0; .byte 8\n"
		".uleb128 1; .string \"unit\"\n"
		"ring: .uleb128 2; .string \"ring\"; .byte 8\n"
		"member: .uleb128 3; .string \"next\"; .long member - unit, ring - unit; "
		".byte 4\n"
		".uleb128 0\n"
		".uleb128 5; .string \"seven\"; .sleb128 -7\n"
		".uleb128 0\n"
		"end:\n";
	struct compiled c;
	uint64_t off, size;
	int64_t value;
	(void)state;
	compiled_open("assembler", "", circle, &c);
	assert_true(dwarf_type_size(c.dwarf, "unit", "ring", &size));
	assert_int_equal(size, 8);
	assert_true(dwarf_member(c.dwarf, "unit", "ring", "next.next.next", &off, &size));
	assert_int_equal(off, 12);
	assert_true(dwarf_constant_value(c.dwarf, "unit", "seven", &value));
	assert_int_equal(value, -7);
	assert_false(dwarf_constant_value(c.dwarf, "unit", "ring", &value));
	compiled_close(&c);
}

/* One of a structure whose member is of a type of another unit: name, then the reference. */
#define UNIT32(name, version, address, reference)                                        \
	".long end_" name " - start_" name "\nstart_" name ": .short " version           \
	"; .long 0; .byte " address "\n" ENTRIES(name, reference)
#define UNIT64(name, version, address, reference)                                        \
	".long 0xffffffff; .quad end_" name " - start_" name "\nstart_" name             \
	": .short " version "; .quad 0; .byte " address "\n" ENTRIES(name, reference)
#define ENTRIES(name, reference)                                                         \
	".uleb128 1; .string \"" name "\"\n"                                             \
	".uleb128 2; .string \"node\"; .byte 16\n"                                       \
	".uleb128 3; .string \"first\"; " reference " word - info; .byte 4\n"            \
	".uleb128 3; .string \"second\"; " reference " half - info; .byte 8\n"           \
	".uleb128 0; .uleb128 0\nend_" name ":\n"

/* Up to version 2 it is as wide as an address, from 3 on as an offset. */
static void test_ref_addr(void **state)
{
	static const char source_of_all[] =
		".section .debug_abbrev\n"
		".uleb128 1, 0x11; .byte 1; .uleb128 3,8, 0,0\n"
		".uleb128 2, 0x13; .byte 1; .uleb128 3,8, 0x0b,0x0b, 0,0\n"
		".uleb128 3, 0x0d; .byte 0; .uleb128 3,8, 0x49,0x10, 0x38,0x0b, 0,0\n"
		".uleb128 4, 0x24; .byte 0; .uleb128 3,8, 0x0b,0x0b, 0,0\n"
		".uleb128 0\n"
		".section .debug_info\n"
		"info: .long end_types - start_types\n"
		"start_types: .short 2; .long 0; .byte 8\n"
		".uleb128 1; .string \"types\"\n"
		"word: .uleb128 4; .string \"word\"; .byte 4\n"
		"half: .uleb128 4; .string \"half\"; .byte 2\n"
		".uleb128 0\nend_types:\n" UNIT32("two", "2", "8", ".quad")
			UNIT32("two_of_four", "2", "4", ".long")
				UNIT32("three", "3", "8", ".long")
					UNIT64("three_of_eight", "3", "8", ".quad")
						UNIT32("four", "4", "8", ".long");
	static const char *const units[] = { "two", "two_of_four", "three",
					     "three_of_eight", "four" };
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", source_of_all, &c);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		uint64_t off, size;
		assert_true(
			dwarf_member(c.dwarf, units[i], "node", "first", &off, &size));
		assert_int_equal(off, 4);
		assert_int_equal(size, 4);
		assert_true(
			dwarf_member(c.dwarf, units[i], "node", "second", &off, &size));
		assert_int_equal(off, 8);
		assert_int_equal(size, 2);
	}
	compiled_close(&c);
}

/* COUNT structs of one name, one whose name is longer, one that has it inline, and a function of
 * COUNT variables of that name. */
enum { COUNT = 50, LONG = LIMIT_NAME_BYTES - 1, STRUCT = 6 /* bytes of its entry */ };

static const char long_names[] =
	".section .debug_str\n"
	"long: .fill LONG, 1, 'n'; .byte 0\n"
	"longer: .fill LONG + 1, 1, 'n'; .byte 0\n"
	".section .debug_abbrev\n"
	".uleb128 1, 0x11; .byte 1; .uleb128 3,8, 0x11,1, 0x12,6, 0,0\n"
	".uleb128 2, 0x13; .byte 0; .uleb128 3,14, 0x0b,0x0b, 0,0\n"
	".uleb128 3, 0x13; .byte 0; .uleb128 3,8, 0x0b,0x0b, 0,0\n"
	".uleb128 4, 0x2e; .byte 1; .uleb128 3,8, 0x11,1, 0x12,6, 0,0\n"
	".uleb128 5, 0x34; .byte 0; .uleb128 3,14, 0,0\n"
	".uleb128 0\n"
	".section .debug_info\n"
	".long end - start\n"
	"start: .short 4; .long 0; .byte 8\n"
	".uleb128 1; .string \"of_one\"; .quad 0x1000; .long 0x100\n"
	".uleb128 4; .string \"f\"; .quad 0x1000; .long 0x100\n"
	".rept COUNT\n"
	".uleb128 5; .long long\n"
	".endr\n"
	".uleb128 0\n"
	".uleb128 2; .long longer; .byte 8\n"
	".rept COUNT\n"
	".uleb128 2; .long long; .byte 8\n"
	".endr\n"
	".uleb128 3; .fill LONG, 1, 'n'; .byte 0, 8\n"
	".uleb128 0\n"
	"end:\n";

static struct dwarf_entries *open_long_names(struct compiled *ret)
{
	AUTO(xfree)
	char *text =
		xasprintf(".set LONG, %d\n.set COUNT, %d\n%s", LONG, COUNT, long_names);

	compiled_open("assembler", "", text, ret);
	return dwarf_entries(ret->dwarf);
}

/* Names are looked at, however many have the same: that counts. */
static void test_long_names(void **state)
{
	const uint64_t once = dwarf_steps_of(LONG);
	AUTO(xfree) char *name = xcalloc(LONG + 2, 1);
	struct compiled c;
	struct dwarf_entries *es = open_long_names(&c);
	struct dwarf_entry e;
	uint64_t ref, left = es->steps;
	(void)state;

	memset(name, 'n', LONG);
	assert_true(dwarf_named_type(c.dwarf, name, &ref));
	assert_true(left - es->steps >= (COUNT + 2) * once);
	assert_string_equal(read_type(&c, ref).name, name);
	/* One more is none. */
	assert_null(read_type(&c, ref - STRUCT).name);
	name[LONG] = 'n';
	assert_false(dwarf_named_type(c.dwarf, name, &ref));
	/* To find the end of what is inline, all of it is looked at. */
	left = es->steps;
	assert_true(dwarf_entry_at(es, ref + COUNT * STRUCT, &e));
	assert_true(left - es->steps >= once);
	assert_int_equal(strlen(dwarf_entry_string(es, &e, AT_NAME)), LONG);
	compiled_close(&c);
}

/* Variables of one scope are compared, each with all others. */
static void test_long_variables(void **state)
{
	enum { PAIRS = COUNT * (COUNT - 1) / 2 };
	struct compiled c;
	struct dwarf_entries *es = open_long_names(&c);
	const uint64_t before = es->steps;
	struct err err;
	(void)state;

	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *s = dwarf_scopes_at(c.dwarf, 0x1010, true, &err);
	assert_non_null(s);
	assert_int_equal(s->list[0].variable_count, COUNT);
	assert_true(before - es->steps >= PAIRS * (uint64_t)(LONG / 64));
	compiled_close(&c);
}

/* Where nothing is left, no more is looked at. */
static void test_too_many_long_names(void **state)
{
	struct compiled c;
	struct dwarf_entries *es = open_long_names(&c);
	struct err err;
	uint64_t ref;
	(void)state;

	es->steps = COUNT / 2 * dwarf_steps_of(LONG);
	assert_false(dwarf_named_type(c.dwarf, "other", &ref));
	assert_int_equal(es->steps, 0);
	assert_null(dwarf_scopes_at(c.dwarf, 0x1010, true, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	compiled_close(&c);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_no_type),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_ref_addr),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_long_variables),
		cmocka_unit_test(test_too_many_long_names),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
