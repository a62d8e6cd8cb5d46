/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_scopes.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "lib/dwarf/dwarf_types.h"
#include "tests/unit/lib/compiled.h"
#include "tests/unit/unit.h"

/* Runs here, and tells where its variables were and where it called from. */
struct seen {
	char *cfa;
	int *at[5];
	char *pc[5];
	int *counted;
};

static const char source[] =
	"struct seen { char *cfa; int *at[5]; char *pc[5]; int *counted; };\n"
	"__attribute__((visibility(\"hidden\"))) volatile int sink;\n"
	"static __attribute__((noinline)) void take(struct seen *seen, int i, int *at)\n"
	"{\n"
	"	seen->at[i] = at;\n"
	"	seen->pc[i] = __builtin_return_address(0);\n"
	"	sink += *at;\n"
	"}\n"
	"static inline __attribute__((always_inline)) int twice(struct seen *to, int i)\n"
	"{\n"
	"	int inner = sink;\n"
	"	take(to, i, &inner);\n"
	"	return inner * 2;\n"
	"}\n"
	"__attribute__((noinline)) int outer(struct seen *seen, int second)\n"
	"{\n"
	"	static int counted;\n"
	"	const int fixed = 42;\n"
	"	int whole = second;\n"
	"	seen->cfa = __builtin_dwarf_cfa();\n"
	"	seen->counted = &counted;\n"
	"	take(seen, 0, &whole);\n"
	"	{\n"
	"		int in_block = whole;\n"
	"		take(seen, 1, &in_block);\n"
	"		{\n"
	"			int deep = in_block;\n"
	"			take(seen, 2, &deep);\n"
	"		}\n"
	"	}\n"
	"	whole += twice(seen, 3) + counted++ + fixed;\n"
	"	take(seen, 4, &whole);\n"
	"	return whole + second;\n"
	"}\n";

static struct dwarf_scopes *scopes(const struct compiled *c, uint64_t pc,
				   bool at_instruction)
{
	struct err err;
	struct dwarf_scopes *s = dwarf_scopes_at(c->dwarf, pc, at_instruction, &err);

	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static const struct dwarf_variable *find(const struct dwarf_scope *scope,
					 const char *name)
{
	for (size_t i = 0; i < scope->variable_count; i++)
		if (strcmp(scope->variables[i].name, name) == 0)
			return &scope->variables[i];
	return NULL;
}

static const struct dwarf_variable *variable(const struct dwarf_scope *scope,
					     const char *name)
{
	const struct dwarf_variable *v = find(scope, name);

	if (!v)
		fail_msg("%s has no variable %s", scope->function, name);
	return v;
}

static void check_piece(const struct dwarf_variable *v, enum dwarf_piece_at where,
			int64_t at, int64_t more)
{
	assert_int_equal(v->piece_count, 1);
	if (v->pieces[0].where != where || v->pieces[0].at != at ||
	    v->pieces[0].more != more)
		fail_msg("%s is at %d %lld %lld, not at %d %lld %lld", v->name,
			 v->pieces[0].where, (long long)v->pieces[0].at,
			 (long long)v->pieces[0].more, where, (long long)at,
			 (long long)more);
	assert_int_equal(v->pieces[0].size, UINT64_MAX);
}

static void check_type(const struct compiled *c, const struct dwarf_variable *v,
		       const char *name)
{
	struct dwarf_type type;
	struct err err;

	assert_true(dwarf_type_read(c->dwarf, v->type, &type, &err));
	assert_string_equal(type.name, name);
}

static void run(const struct compiled *c, struct seen *ret, char **ret_base)
{
	void *lib = dlopen(c->path, RTLD_NOW | RTLD_LOCAL);
	Dl_info info;

	assert_non_null(lib);
	void *symbol = dlsym(lib, "outer");
	int (*outer)(struct seen *, int);
	memcpy(&outer, &symbol, sizeof(outer));
	outer(ret, 3);
	assert_true(dladdr(symbol, &info));
	*ret_base = info.dli_fbase;
	dlclose(lib);
}

/* Version 2 has no word for the CFA: offsets are from rbp, which is kept at CFA - 16. */
static void check_place(const struct dwarf_variable *v, int64_t from_cfa, bool old)
{
	if (old)
		check_piece(v, DWARF_PIECE_BASE, 6, from_cfa + 16);
	else
		check_piece(v, DWARF_PIECE_CFA, from_cfa, 0);
}

/* Where the compiler says that the variables are is where they were. */
static void check_function(const struct compiled *c, const struct seen *seen,
			   const char *base, bool old)
{
	static const char *const names[] = { "whole", "in_block", "deep", "inner",
					     "whole" };
	static const unsigned depths[] = { 0, 1, 2, 0, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool inlined = i == 3;
		AUTO(dwarf_scopes_free)
		struct dwarf_scopes *s = scopes(c, (uint64_t)(seen->pc[i] - base), false);
		const struct dwarf_scope *function = &s->list[s->count - 1];

		assert_int_equal(s->count, inlined ? 2 : 1);
		assert_string_equal(function->function, "outer");
		assert_false(function->inlined);
		const struct dwarf_variable *v = variable(&s->list[0], names[i]);
		check_place(v, (char *)seen->at[i] - seen->cfa, old);
		check_type(c, v, "int");
		assert_false(v->parameter || v->result);
		if (!inlined)
			assert_int_equal(v->depth, depths[i]);
		assert_int_equal(!!find(function, "in_block"), i == 1 || i == 2);
		assert_int_equal(!!find(function, "deep"), i == 2);
		v = variable(function, "counted");
		check_piece(v, DWARF_PIECE_ADDRESS, (char *)seen->counted - base, 0);
		assert_int_equal(v->line, 17);
		assert_true(function->variables[0].parameter);
		assert_string_equal(function->variables[0].name, "seen");
		assert_true(function->variables[1].parameter);
		assert_string_equal(function->variables[1].name, "second");
		assert_int_equal(function->variables[1].line, 15);
		if (inlined) {
			assert_true(s->list[0].inlined);
			assert_string_equal(s->list[0].function, "twice");
			assert_true(variable(&s->list[0], "to")->parameter);
			assert_true(variable(&s->list[0], "i")->parameter);
		}
	}
}

static void test_c(void **state)
{
	static const char *const flags[] = { "-g -O0",		 "-g -O2",
					     "-g -O0 -gdwarf-4", "-g -O2 -gdwarf-4",
					     "-g -O0 -gdwarf-2", "-g -O2 -gdwarf-3",
					     "-g -O2 -gz" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct compiled c;
		struct seen seen = { .cfa = NULL };
		char *base;
		compiled_open("c", flags[i], source, &c);
		run(&c, &seen, &base);
		check_function(&c, &seen, base, strstr(flags[i], "dwarf-2"));
		/* System V: the first two arguments come in rdi and rsi. */
		AUTO(dwarf_scopes_free)
		struct dwarf_scopes *s = scopes(&c, compiled_symbol(&c, "outer"), true);
		if (strstr(flags[i], "-O2")) {
			check_piece(variable(s->list, "seen"), DWARF_PIECE_REGISTER, 5,
				    0);
			check_piece(variable(s->list, "second"), DWARF_PIECE_REGISTER, 4,
				    0);
			check_piece(variable(s->list, "fixed"), DWARF_PIECE_VALUE, 42, 0);
		}
		compiled_close(&c);
	}
}

static void test_nothing_there(void **state)
{
	struct compiled c;
	const uint64_t pcs[] = { 0, 1, 0x12345678, UINT64_MAX };
	struct err err;
	(void)state;
	compiled_open("c", "-g", source, &c);
	for (size_t i = 0; i < ARRAY_SIZE(pcs); i++) {
		assert_null(dwarf_scopes_at(c.dwarf, pcs[i], true, &err));
		assert_int_equal(err.code, ERR_NOT_FOUND);
		assert_null(dwarf_scopes_at(c.dwarf, pcs[i], false, &err));
		assert_int_equal(err.code, ERR_NOT_FOUND);
	}
	compiled_close(&c);
}

/* What Go's compiler writes, and what nobody should: as numbers, to be changed at will. */
static const char assembly[] =
	/* Abbreviations: code, tag, children, then pairs of attribute and form. */
	".section .debug_abbrev\n"
	/* 1 unit: low_pc addr, high_pc data8, language data1 */
	".uleb128 1, 0x11; .byte 1; .uleb128 0x11,1, 0x12,7, 0x13,0x0b, 0,0\n"
	/* 2 function: name string, low_pc, high_pc data8, frame_base block1 */
	".uleb128 2, 0x2e; .byte 1; .uleb128 3,8, 0x11,1, 0x12,7, 0x40,0x0a, 0,0\n"
	/* 3, 4 parameter, variable: name, result flag, line data1, type ref_addr, list */
	".uleb128 3, 5; .byte 0; .uleb128 3,8, 0x4b,0x0c, 0x3b,0x0b, 0x49,0x10, 2,0x17, "
	"0,0\n"
	".uleb128 4, 0x34; .byte 0; .uleb128 3,8, 0x3b,0x0b, 0x49,0x10, 2,0x0a, 0,0\n"
	/* 5 constant: name, type, const_value sdata */
	".uleb128 5, 0x34; .byte 0; .uleb128 3,8, 0x49,0x10, 0x1c,0x0d, 0,0\n"
	/* 6 captured: name, type, closure offset udata, block1 */
	".uleb128 6, 0x34; .byte 0; .uleb128 3,8, 0x49,0x10, 0x2907,0x0f, 2,0x0a, 0,0\n"
	/* 7 block: ranges sec_offset; 8 block without; 9 call: origin ref_addr, low, high */
	".uleb128 7, 0x0b; .byte 1; .uleb128 0x55,0x17, 0,0\n"
	".uleb128 8, 0x0b; .byte 1; .uleb128 0,0\n"
	".uleb128 9, 0x1d; .byte 1; .uleb128 0x31,0x10, 0x11,1, 0x12,7, 0,0\n"
	/* 10 parameter of a call: origin, block1 */
	".uleb128 10, 5; .byte 0; .uleb128 0x31,0x10, 2,0x0a, 0,0\n"
	/* 11 abstract function: name, inline data1; 12 its parameter: name, line, type */
	".uleb128 11, 0x2e; .byte 1; .uleb128 3,8, 0x20,0x0b, 0,0\n"
	".uleb128 12, 5; .byte 0; .uleb128 3,8, 0x3b,0x0b, 0x49,0x10, 0,0\n"
	/* 13 base type: name, encoding, size, kind; 14 typedef: name, type, dict index */
	".uleb128 13, 0x24; .byte 0; .uleb128 3,8, 0x3e,0x0b, 0x0b,0x0b, 0x2900,0x0b, "
	"0,0\n"
	".uleb128 14, 0x16; .byte 0; .uleb128 3,8, 0x49,0x10, 0x2906,0x0f, 0,0\n"
	/* 16 unit: low, high, dwo_name string; 17 variable: name, GNU_ref_alt, const_value */
	".uleb128 16, 0x11; .byte 0; .uleb128 0x11,1, 0x12,7, 0x76,8, 0,0\n"
	".uleb128 17, 0x34; .byte 0; .uleb128 3,8, 0x49,0x1f20, 0x1c,0x0d, 0,0\n"
	/* 15 function with a sibling: name, sibling ref4, low, high; its own origin */
	".uleb128 15, 0x2e; .byte 1; .uleb128 3,8, 1,0x13, 0x31,0x10, 0x11,1, 0x12,7, "
	"0,0\n"
	".uleb128 0\n"

	".section .debug_info\n"
	"unit: .long end - start\n"
	"start: .short 4; .long 0; .byte 8\n"
	".uleb128 1; .quad 0x1000, 0x3000; .byte 22\n"
	"type: .uleb128 13; .string \"int\"; .byte 5, 8, 2\n"
	"string: .uleb128 13; .string \"string\"; .byte 5, 16, 24\n"
	"shape: .uleb128 14; .string \".param3\"; .long type - unit; .uleb128 3\n"
	"abstract: .uleb128 11; .string \"main.inlined\"; .byte 1\n"
	"argument: .uleb128 12; .string \"argument\"; .byte 77; .long type - unit\n"
	".uleb128 0\n"
	".uleb128 2; .string \"main.f\"; .quad 0x1000, 0x100; .byte 1, 0x9c\n"
	".uleb128 3; .string \"spilled\"; .byte 0, 9; .long type - unit, spilled\n"
	".uleb128 3; .string \"text\"; .byte 0, 9; .long string - unit, text\n"
	".uleb128 3; .string \"repeated\"; .byte 0, 9; .long string - unit, repeated\n"
	".uleb128 3; .string \"twice\"; .byte 0, 9; .long string - unit, twice\n"
	".uleb128 3; .string \"torn\"; .byte 0, 9; .long string - unit, torn\n"
	".uleb128 3; .string \"doubled\"; .byte 0, 9; .long string - unit, doubled\n"
	".uleb128 14; .string \".param5\"; .long string - unit; .uleb128 5\n"
	".uleb128 3; .string \"~r0\"; .byte 1, 9; .long type - unit, result\n"
	".uleb128 4; .string \"&escaped\"; .byte 10; .long type - unit\n"
	"	.byte 2, 0x91; .sleb128 -8\n"
	".uleb128 4; .string \"escaped\"; .byte 10; .long type - unit\n"
	"	.byte 3, 0x91; .sleb128 -8; .byte 6\n"
	".uleb128 4; .string \"global\"; .byte 11; .long shape - unit\n"
	"	.byte 9, 3; .quad 0x5000\n"
	".uleb128 4; .string \"entry\"; .byte 12; .long type - unit\n"
	"	.byte 4, 0xa3, 1, 0x50, 0x9f\n"
	".uleb128 4; .string \"literal\"; .byte 12; .long type - unit\n"
	"	.byte 2, 0x35, 0x9f\n"
	".uleb128 4; .string \"nothing\"; .byte 12; .long type - unit; .byte 0\n"
	".uleb128 4; .string \"cut\"; .byte 12; .long type - unit; .byte 1, 0x91\n"
	".uleb128 4; .string \"invented\"; .byte 12; .long type - unit; .byte 1, 0xe0\n"
	".uleb128 5; .string \"constant\"; .long type - unit; .sleb128 -7\n"
	".uleb128 6; .string \"captured\"; .long type - unit; .uleb128 16; .byte 1, "
	"0x50\n"
	".uleb128 7; .long empty\n"
	".uleb128 5; .string \"hidden\"; .long type - unit; .sleb128 1\n"
	".uleb128 0\n"
	".uleb128 8\n"
	".uleb128 5; .string \"shown\"; .long type - unit; .sleb128 1\n"
	".uleb128 0\n"
	".uleb128 9; .long abstract - unit; .quad 0x1040, 0x10\n"
	".uleb128 10; .long argument - unit; .byte 2, 0x91; .sleb128 -48\n"
	/* An origin that is itself. */
	"self: .uleb128 10; .long self - unit; .byte 2, 0x91; .sleb128 -56\n"
	".uleb128 0\n"
	".uleb128 5; .string \"last\"; .long type - unit; .sleb128 1\n"
	".uleb128 0\n"
	/* A closure has the types of the function around it, not those of another. */
	".uleb128 2; .string \"main.g[go.shape.int].func10\"; .quad 0x2200, 0x100\n"
	"	.byte 1, 0x9c\n"
	".uleb128 14; .string \".param6\"; .long string - unit; .uleb128 6\n"
	".uleb128 0\n"
	".uleb128 2; .string \"main.g[go.shape.int]\"; .quad 0x2300, 0x100\n"
	"	.byte 1, 0x9c\n"
	".uleb128 14; .string \".param7\"; .long type - unit; .uleb128 7\n"
	".uleb128 0\n"
	".uleb128 2; .string \"main.g[go.shape.int].func1\"; .quad 0x2400, 0x100\n"
	"	.byte 1, 0x9c\n"
	".uleb128 4; .string \"fixed\"; .byte 10; .long type - unit\n"
	"	.byte 2, 0x91; .sleb128 -8\n"
	".uleb128 0\n"
	/* Its sibling and its origin are itself. */
	"ring: .uleb128 15; .string \"ring\"; .long ring - unit, ring - unit\n"
	"	.quad 0x2000, 0x100\n"
	".uleb128 5; .string \"inside\"; .long type - unit; .sleb128 1\n"
	".uleb128 17; .string \"shared\"; .long 0x100; .sleb128 1\n"
	".uleb128 0\n"
	".uleb128 0\n"
	"end:\n"
	".long split_end - split\n"
	"split: .short 4; .long 0; .byte 8\n"
	".uleb128 16; .quad 0x8000, 0x100; .string \"split.dwo\"\n"
	"split_end:\n"

	".section .debug_loc\n"
	".set spilled, . - .debug_loc\n"
	".quad 0, 0x20; .short 1; .byte 0x50\n"
	".quad 0x20, 0x100; .short 2; .byte 0x91; .sleb128 -24\n"
	".quad 0, 0\n"
	".set text, . - .debug_loc\n"
	".quad 0, 0x20; .short 7; .byte 0x91, 8, 0x93, 8, 0x51, 0x93, 8\n"
	".quad 0x20, 0x100; .short 7; .byte 0x93, 8, 0x91, 16, 0x93, 8, 0x96\n"
	".quad 0, 0\n"
	".set repeated, . - .debug_loc\n"
	".quad 0, 0x100; .short 13\n"
	"	.byte 0x91, 8, 0x93, 8, 0x91, 8, 0x93, 8, 0x93, 8, 0x52, 0x93, 8\n"
	".quad 0, 0\n"
	".set twice, . - .debug_loc\n"
	".quad 0, 0x100; .short 24\n"
	"	.byte 0x91, 8, 0x93, 8, 0x91, 16, 0x93, 8, 0x91, 8, 0x93, 8\n"
	"	.byte 0x91, 24, 0x93, 8, 0x91, 24, 0x93, 8, 0x91, 24, 0x93, 8\n"
	".quad 0, 0\n"
	".set doubled, . - .debug_loc\n"
	".quad 0, 0x100; .short 12\n"
	"	.byte 0x91, 8, 0x93, 8, 0x91, 8, 0x93, 8, 0x91, 16, 0x93, 8\n"
	".quad 0, 0\n"
	".set torn, . - .debug_loc\n"
	".quad 0, 0x100; .short 10; .byte 0x91, 8, 0x93, 8, 0x93, 8, 0x91, 16, 0x93, 8\n"
	".quad 0, 0\n"
	".set result, . - .debug_loc\n"
	/* Another base, then all of it. */
	".quad -1, 0x1080, 0, 0x80; .short 1; .byte 0x9c\n"
	".quad 0, 0\n"
	".section .debug_ranges\n"
	".set empty, . - .debug_ranges\n"
	".quad 0, 0\n";

static struct dwarf_piece piece(enum dwarf_piece_at where, int64_t at)
{
	return (struct dwarf_piece){ .where = where, .at = at, .size = 8 };
}

static void check_pieces(const struct dwarf_variable *v, const struct dwarf_piece *pieces,
			 size_t n)
{
	assert_int_equal(v->piece_count, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(v->pieces[i].where, pieces[i].where);
		assert_int_equal(v->pieces[i].at, pieces[i].at);
		assert_int_equal(v->pieces[i].size, pieces[i].size);
		assert_int_equal(v->pieces[i].twice, pieces[i].twice);
		assert_int_equal(v->pieces[i].other, pieces[i].other);
	}
}

static void test_locations(void **state)
{
	const struct dwarf_piece once[] = { piece(DWARF_PIECE_CFA, 8),
					    piece(DWARF_PIECE_REGISTER, 2) };
	const struct dwarf_piece twice[] = { { .where = DWARF_PIECE_CFA,
					       .at = 8,
					       .size = 8,
					       .twice = true,
					       .other = 16 },
					     piece(DWARF_PIECE_CFA, 24) };
	const struct dwarf_piece doubled[] = { piece(DWARF_PIECE_CFA, 8),
					       piece(DWARF_PIECE_CFA, 16) };
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", assembly, &c);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *s = scopes(&c, 0x1010, true);
	const struct dwarf_scope *f = &s->list[0];
	assert_int_equal(s->count, 1);
	assert_string_equal(f->function, "main.f");
	check_piece(variable(f, "spilled"), DWARF_PIECE_REGISTER, 0, 0);
	assert_true(variable(f, "spilled")->parameter);
	assert_false(variable(f, "spilled")->result);
	assert_true(variable(f, "~r0")->result);
	check_piece(variable(f, "~r0"), DWARF_PIECE_NOWHERE, 0, 0);
	check_piece(variable(f, "&escaped"), DWARF_PIECE_CFA, -8, 0);
	check_piece(variable(f, "escaped"), DWARF_PIECE_INDIRECT, -8, 0);
	check_piece(variable(f, "global"), DWARF_PIECE_ADDRESS, 0x5000, 0);
	check_piece(variable(f, "entry"), DWARF_PIECE_UNKNOWN, 0, 0);
	/* Go says words twice, or nobody knows what. */
	check_pieces(variable(f, "repeated"), once, 2);
	check_pieces(variable(f, "twice"), twice, 2);
	check_pieces(variable(f, "doubled"), doubled, 2);
	assert_true(variable(f, "doubled")->listed);
	assert_false(variable(f, "doubled")->alone);
	/* In a register in one item of its list, in the frame in another. */
	assert_true(variable(f, "spilled")->alone);
	assert_true(variable(f, "spilled")->in_register);
	assert_true(variable(f, "~r0")->alone);
	assert_false(variable(f, "~r0")->in_register);
	assert_false(variable(f, "&escaped")->listed);
	assert_true(s->tells_closures);
	assert_int_equal(s->shape_count, 1);
	assert_int_equal(s->shapes[0].index, 5);
	check_piece(variable(f, "torn"), DWARF_PIECE_UNKNOWN, 0, 0);
	check_piece(variable(f, "literal"), DWARF_PIECE_VALUE, 5, 0);
	check_piece(variable(f, "nothing"), DWARF_PIECE_NOWHERE, 0, 0);
	check_piece(variable(f, "cut"), DWARF_PIECE_UNKNOWN, 0, 0);
	check_piece(variable(f, "invented"), DWARF_PIECE_UNKNOWN, 0, 0);
	check_piece(variable(f, "constant"), DWARF_PIECE_VALUE, -7, 0);
	check_piece(variable(f, "captured"), DWARF_PIECE_REGISTER, 0, 0);
	assert_true(variable(f, "captured")->has_closure_offset);
	assert_int_equal(variable(f, "captured")->closure_offset, 16);
	assert_false(variable(f, "global")->has_closure_offset);
	assert_true(variable(f, "global")->has_dict_index);
	assert_int_equal(variable(f, "global")->dict_index, 3);
	assert_false(variable(f, "entry")->has_dict_index);
	assert_int_equal(variable(f, "entry")->line, 12);
	assert_null(find(f, "hidden"));
	assert_int_equal(variable(f, "shown")->depth, 0);
	assert_string_equal(f->variables[f->variable_count - 1].name, "last");
	compiled_close(&c);
}

/* At the return address the list says where the call has left it. */
static void test_return_address(void **state)
{
	const struct dwarf_piece both[] = { piece(DWARF_PIECE_CFA, 8),
					    piece(DWARF_PIECE_REGISTER, 1) };
	const struct dwarf_piece first[] = { piece(DWARF_PIECE_CFA, 8),
					     piece(DWARF_PIECE_NOWHERE, 0) };
	const struct dwarf_piece merged[] = { piece(DWARF_PIECE_CFA, 8),
					      piece(DWARF_PIECE_CFA, 16) };
	const struct dwarf_piece second[] = { piece(DWARF_PIECE_NOWHERE, 0),
					      piece(DWARF_PIECE_CFA, 16) };
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", assembly, &c);
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *at_instruction = scopes(&c, 0x101f, true);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *before = scopes(&c, 0x101f, false);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *border = scopes(&c, 0x1020, false);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *behind = scopes(&c, 0x1021, false);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *end = scopes(&c, 0x1100, false);
	check_pieces(variable(at_instruction->list, "text"), both, 2);
	check_pieces(variable(before->list, "text"), first, 2);
	check_pieces(variable(border->list, "text"), merged, 2);
	check_pieces(variable(behind->list, "text"), second, 2);
	check_piece(variable(at_instruction->list, "spilled"), DWARF_PIECE_REGISTER, 0,
		    0);
	check_piece(variable(before->list, "spilled"), DWARF_PIECE_NOWHERE, 0, 0);
	check_piece(variable(border->list, "spilled"), DWARF_PIECE_CFA, -24, 0);
	/* A call that does not return ends the function, and its lists. */
	check_piece(variable(end->list, "spilled"), DWARF_PIECE_CFA, -24, 0);
	check_piece(variable(end->list, "~r0"), DWARF_PIECE_CFA, 0, 0);
	check_piece(variable(border->list, "captured"), DWARF_PIECE_NOWHERE, 0, 0);
	compiled_close(&c);
}

static void test_shapes(void **state)
{
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", assembly, &c);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *outer = scopes(&c, 0x2310, true);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *closure = scopes(&c, 0x2410, true);
	assert_int_equal(outer->shape_count, 1);
	assert_int_equal(outer->shapes[0].index, 7);
	assert_int_equal(closure->shape_count, 1);
	assert_int_equal(closure->shapes[0].index, 7);
	assert_int_equal(closure->shapes[0].type, outer->shapes[0].type);
	assert_false(variable(closure->list, "fixed")->listed);
	compiled_close(&c);
}

static void test_inlined(void **state)
{
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", assembly, &c);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *outside = scopes(&c, 0x1040, false);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *inside = scopes(&c, 0x1050, false);
	assert_int_equal(outside->count, 1);
	assert_int_equal(inside->count, 2);
	const struct dwarf_scope *call = &inside->list[0];
	assert_true(call->inlined);
	assert_string_equal(call->function, "main.inlined");
	assert_int_equal(call->variable_count, 2);
	assert_string_equal(call->variables[0].name, "argument");
	assert_int_equal(call->variables[0].line, 77);
	assert_true(call->variables[0].parameter);
	check_type(&c, &call->variables[0], "int");
	check_piece(&call->variables[0], DWARF_PIECE_CFA, -48, 0);
	assert_null(call->variables[1].name);
	const struct dwarf_scope *f = &inside->list[1];
	assert_string_equal(f->function, "main.f");
	assert_string_equal(f->variables[f->variable_count - 1].name, "last");
	compiled_close(&c);
}

static void test_circles(void **state)
{
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", assembly, &c);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *s = scopes(&c, 0x2080, true);
	assert_string_equal(s->list[0].function, "ring");
	assert_int_equal(s->list[0].variable_count, 2);
	compiled_close(&c);
}

/* What dwz and -gsplit-dwarf have put into other files. */
static void test_elsewhere(void **state)
{
	struct compiled c;
	struct err err;
	(void)state;
	compiled_open("assembler", "", assembly, &c);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *s = scopes(&c, 0x2080, true);
	assert_int_equal(variable(&s->list[0], "shared")->type, 0);
	assert_null(dwarf_scopes_at(c.dwarf, 0x8080, true, &err));
	assert_non_null(strstr(err.text, ".dwo"));
	assert_null(dwarf_scopes_at(c.dwarf, 0x8200, true, &err));
	assert_null(strstr(err.text, ".dwo"));
	compiled_close(&c);
}

/* Version 2 has references between units as wide as an address. */
static void test_old_references(void **state)
{
	static const char old[] =
		".section .debug_abbrev\n"
		".uleb128 1, 0x11; .byte 1; .uleb128 0x11,1, 0x12,1, 0,0\n"
		".uleb128 2, 0x2e; .byte 1; .uleb128 3,8, 0x11,1, 0x12,1, 0,0\n"
		".uleb128 3, 5; .byte 0; .uleb128 0x49,0x10, 3,8, 0,0\n"
		".uleb128 4, 0x24; .byte 0; .uleb128 3,8, 0,0\n"
		".uleb128 0\n"
		".section .debug_info\n"
		"unit: .long end - start\n"
		"start: .short 2; .long 0; .byte 8\n"
		".uleb128 1; .quad 0x1000, 0x2000\n"
		"type: .uleb128 4; .string \"old\"\n"
		".uleb128 2; .string \"f\"; .quad 0x1000, 0x1100\n"
		".uleb128 3; .quad type - unit; .string \"x\"\n"
		".uleb128 0, 0\n"
		"end:\n";
	struct compiled c;
	(void)state;
	compiled_open("assembler", "", old, &c);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *s = scopes(&c, 0x1000, true);
	check_type(&c, variable(&s->list[0], "x"), "old");
	compiled_close(&c);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),	  cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_locations), cmocka_unit_test(test_return_address),
		cmocka_unit_test(test_shapes),	  cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_circles),	  cmocka_unit_test(test_old_references),
		cmocka_unit_test(test_elsewhere),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
