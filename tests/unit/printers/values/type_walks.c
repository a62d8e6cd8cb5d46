/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of types that no compiler makes: that contain themselves, that lead to nothing in more
 * ways than can be walked, whose sizes are not those of their kinds. Each walk ends, and says so
 * where it could not see all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/types/type_priv.h"
#include "goruntime/values/value_plausible.h"
#include "goruntime/variables/variables_priv.h"
#include "lib/base/limit.h"
#include "printers/goroutine/frame_words.h"
#include "printers/printers.h"
#include "redaction/redaction.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/lib/compiled.h"
#include "tests/unit/unit.h"

enum { CFA = PSEUDO_STACK + 0x8000, OBJECT = PSEUDO_FREE, CLOSURE = PSEUDO_FREE + 0x800 };

static const char assembly[] =
	".section .debug_abbrev\n"
	" .uleb128 1,0x11; .byte 1; .uleb128 3,8, 0x13,0x0b, 0,0\n"	      /* unit */
	" .uleb128 2,0x13; .byte 1; .uleb128 3,8, 0x0b,5, 0x2900,0x0b, 0,0\n" /* struct */
	" .uleb128 3,0x0d; .byte 0; .uleb128 3,8, 0x38,5, 0x49,0x13, 0,0\n"   /* member */
	" .uleb128 4,0x24; .byte 0; .uleb128 3,8, 0x3e,0x0b, 0x0b,0x0b, 0x2900,0x0b, "
	"0,0\n"
	" .uleb128 5,0x0f; .byte 0; .uleb128 3,8, 0x49,0x13, 0x2900,0x0b, 0,0\n"
	" .uleb128 6,0x0f; .byte 0; .uleb128 0x49,0x13, 0,0\n" /* a pointer without a name */
	" .uleb128 7,0x01; .byte 1; .uleb128 3,8, 0x49,0x13, 0x0b,5, 0x2900,0x0b, 0,0\n"
	" .uleb128 8,0x21; .byte 0; .uleb128 0x37,0x0b, 0,0\n" /* its count */
	" .uleb128 0\n"
	".macro base label, name, encoding, size, kind\n"
	"\\label: .uleb128 4; .string \"\\name\"; .byte \\encoding, \\size, \\kind\n"
	".endm\n"
	".macro begin label, name, size\n"
	"\\label: .uleb128 2; .string \"\\name\"; .short \\size; .byte 25\n"
	".endm\n"
	".macro member name, off, type\n"
	" .uleb128 3; .string \"\\name\"; .short \\off; .long \\type - unit\n"
	".endm\n"
	".macro end\n"
	" .uleb128 0\n"
	".endm\n"
	".macro pointer label, name, to\n"
	"\\label: .uleb128 5; .string \"\\name\"; .long \\to - unit; .byte 22\n"
	".endm\n"
	".macro array label, name, of, size, count\n"
	"\\label: .uleb128 7; .string \"\\name\"; .long \\of - unit; .short \\size; "
	".byte 17\n"
	" .uleb128 8; .byte \\count; .uleb128 0\n"
	".endm\n"
	/* A struct of so many of another. */
	".macro many label, name, of, count\n"
	" begin \\label, \\name, 0\n"
	" .rept \\count\n"
	" member x, 0, \\of\n"
	" .endr\n"
	" end\n"
	".endm\n"
	".section .debug_info\n"
	"unit: .long last - first\n"
	"first: .short 4; .long 0; .byte 8\n"
	" .uleb128 1; .string \"main\"; .byte 0x16\n"
	" base int, int, 5, 8, 2\n"
	" base shape, go.shape.int, 5, 8, 2\n"
	" base complex0, complex0, 3, 0, 16\n"
	" base complex1, complex1, 3, 1, 15\n"
	" begin two, main.two, 16\n"
	" member a, 0, int\n"
	" member b, 8, int\n"
	" end\n"
	" base byte, uint8, 7, 1, 8\n"
	" begin parts, main.parts, 128\n"
	" .set off, 0; .rept 15\n"
	" member x, off, int\n"
	" .set off, off + 8; .endr\n"
	" member y, 120, byte\n"
	" end\n"
	" begin self, main.self, 16\n"
	" member inner, 0, self\n"
	" end\n"
	" begin one, main.one, 16\n"
	" member inner, 0, other\n"
	" end\n"
	" begin other, main.other, 16\n"
	" member inner, 0, one\n"
	" end\n"
	" begin row, main.row, 16\n"
	" member inner, 0, rows\n"
	" end\n"
	" array rows, [1]main.row, row, 16, 1\n"
	" many ways0, main.ways0, ways0_, 0\n"
	"ways0_:\n"
	" many ways1, main.ways1, ways0, 16\n"
	" many ways2, main.ways2, ways1, 16\n"
	" many ways3, main.ways3, ways2, 16\n"
	" many ways4, main.ways4, ways3, 16\n"
	" many ways5, main.ways5, ways4, 16\n"
	" many ways6, main.ways6, ways5, 16\n"
	" many ways7, main.ways7, ways6, 16\n"
	" many ways8, main.ways8, ways7, 16\n"
	" many ways9, main.ways9, ways8, 16\n"
	" many wide0, main.wide0, ways0, 3000\n"
	" many wide1, main.wide1, wide0, 3000\n"
	" many wide2, main.wide2, wide1, 3000\n"
	" many wide3, main.wide3, wide2, 3000\n"
	" pointer self_at, *main.self, self\n"
	" pointer ways9_at, *main.ways9, ways9\n"
	"round: .uleb128 6; .long round - unit\n"
	"there: .uleb128 6; .long back - unit\n"
	"back: .uleb128 6; .long there - unit\n"
	" begin circles, main.circles, 16\n"
	" member round, 0, round\n"
	" member there, 8, there\n"
	" end\n"
	" .uleb128 0\n"
	"last:\n";

static const struct pseudo_func funcs[] = { { "runtime.goexit", 0, 0 },
					    { "main.f", 16, 0 } };

static struct compiled compiled;

static int compile(void **state)
{
	(void)state;
	compiled_open("assembler", "", assembly, &compiled);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	compiled_close(&compiled);
	return 0;
}

struct fixture {
	struct pseudo *p;
	struct types *types;
	struct frame_variables frame;
	struct code_variables *variables; /* of main.f */
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .p = pseudo_new(27, funcs, ARRAY_SIZE(funcs)) };
	f->types = types_new(f->p->rt, compiled.dwarf, 0);
	struct code *code = (struct code *)(uintptr_t)code_with_calls(
		f->p->rt->code, pseudo_pc(f->p, "main.f", 0), true);
	assert_non_null(code);
	code->variables = f->variables = xcalloc(1, sizeof(*f->variables));
	f->variables->types = f->types;
	f->variables->map = (struct stack_map){ .known = true };
	pseudo_put(f->p, OBJECT, OBJECT);
	f->frame = (struct frame_variables){ .rt = f->p->rt, .code = code, .cfa = CFA };
}

static void end(struct fixture *f)
{
	pseudo_free(f->p);
	types_free(f->types);
}

static const struct type *type_of(struct fixture *f, const char *name)
{
	struct err err;
	const struct type *type = types_named(f->types, name, &err);

	if (!type)
		fail_msg("%s: %s", name, err.text);
	return type;
}

static struct dwarf_variable variable(const char *name, const char *type,
				      enum dwarf_piece_at where)
{
	struct dwarf_variable d = { .name = name,
				    .parameter = true,
				    .listed = true,
				    .pieces = xcalloc(1, sizeof(*d.pieces)),
				    .piece_count = 1 };

	assert_true(dwarf_named_type(compiled.dwarf, type, &d.type));
	*d.pieces = (struct dwarf_piece){ .where = where, .size = UINT64_MAX };
	return d;
}

/* From now on main.f has these, which become its own. */
static void set_variables(struct fixture *f, const struct dwarf_variable *list, size_t n)
{
	struct dwarf_scopes *scopes = xcalloc(1, sizeof(*scopes));

	assert_null(f->variables->scopes);
	scopes->tells_closures = true;
	scopes->count = 1;
	scopes->list = xcalloc(1, sizeof(*scopes->list));
	scopes->list->variables = xcalloc(n, sizeof(*list));
	memcpy(scopes->list->variables, list, n * sizeof(*list));
	scopes->list->variable_count = n;
	f->variables->scopes = scopes;
}

struct given {
	size_t count;
	char name[32], unreadable[128], shape[128]; /* of the last one */
};

static void take(void *arg, struct runtime *rt, const struct variable *v)
{
	struct given *given = arg;

	(void)rt;
	given->count++;
	snprintf(given->name, sizeof(given->name), "%.31s", v->name);
	snprintf(given->unreadable, sizeof(given->unreadable), "%s",
		 v->unreadable ? v->unreadable : "");
	snprintf(given->shape, sizeof(given->shape), "%s",
		 v->type_unresolved ? v->type_unresolved : "");
}

static const char *const endless[] = { "main.self",  "main.one",   "main.row",
				       "main.ways9", "main.wide3", "*main.ways9" };
enum { LAST_OF_VALUES = 4 };

/* As the parameter of a function, alone and beside one whose place in memory depends on it. */
static void test_variables(void **state)
{
	(void)state;
	for (size_t i = 0; i <= LAST_OF_VALUES; i++) {
		struct fixture f;
		struct given given = { 0 };
		begin(&f);
		const struct dwarf_variable list[] = {
			variable("endless", endless[i], DWARF_PIECE_CFA),
			variable("two", "main.two", DWARF_PIECE_CFA),
		};
		set_variables(&f, list, ARRAY_SIZE(list));
		frame_each_variable(&f.frame, true, take, &given);
		assert_int_equal(given.count, 2);
		assert_string_equal(given.name, "two");
		assert_string_equal(given.unreadable, "its type has too many parts");
		end(&f);
	}
}

/* As the parameter that a dictionary is passed behind: how many registers does it take? */
static void test_dictionary(void **state)
{
	static const char *const types[] = { "main.ways5", "main.ways6", "main.ways7",
					     "main.wide3" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct fixture f;
		struct given given = { 0 };
		begin(&f);
		struct dwarf_variable list[] = {
			variable("endless", types[i], DWARF_PIECE_CFA),
			variable("x", "go.shape.int", DWARF_PIECE_CFA),
		};
		list[0].listed = list[1].listed = false;
		set_variables(&f, list, ARRAY_SIZE(list));
		frame_each_variable(&f.frame, true, take, &given);
		assert_int_equal(given.count, 2);
		assert_string_equal(given.shape, "its dictionary was optimized out");
		end(&f);
	}
}

/* It is found once for all of them, and so is where it has each shape, in however many steps. */
static void test_many_shapes(void **state)
{
	enum { MANY = 4000, DICTIONARY = PSEUDO_FREE + 0x100 };
	static const char shape[] = "go.shape.";
	AUTO(xfree) struct dwarf_variable *list = xcalloc(MANY + 1, sizeof(*list));
	AUTO(xfree) char *name = xcalloc(LIMIT_NAME_BYTES, 1);
	struct given given = { 0 };
	struct fixture f;
	(void)state;
	begin(&f);
	for (size_t i = 0; i < MANY; i++) {
		list[i] = variable("x", "go.shape.int", DWARF_PIECE_CFA);
		list[i].parameter = list[i].listed = false;
	}
	list[MANY] = variable(".dict", "int", DWARF_PIECE_CFA);
	list[MANY].listed = false;
	pseudo_put(f.p, CFA, DICTIONARY);
	set_variables(&f, list, MANY + 1);
	struct dwarf_scopes *scopes = f.variables->scopes;
	for (size_t i = 0; i + sizeof(shape) < LIMIT_NAME_BYTES; i += sizeof(shape) - 1)
		strcpy(name + i, shape);
	scopes->list->function = name;
	scopes->shapes = xcalloc(MANY, sizeof(*scopes->shapes));
	scopes->shape_count = MANY;
	for (size_t i = 0; i < MANY; i++)
		scopes->shapes[i] = (struct dwarf_shape){ list[0].type, i };
	frame_each_variable(&f.frame, false, take, &given);
	assert_int_equal(given.count, MANY);
	assert_string_equal(given.shape, "the function has several types of this shape");
	end(&f);
}

/* Is that of a variable dead? Nothing says so. */
static void test_dead(void **state)
{
	(void)state;
	for (size_t i = 0; i <= LAST_OF_VALUES; i++) {
		struct fixture f;
		struct given given = { 0 };
		begin(&f);
		struct dwarf_variable d =
			variable("endless", endless[i], DWARF_PIECE_CFA);
		d.listed = false;
		d.pieces->at = -16;
		set_variables(&f, &d, 1);
		frame_each_variable(&f.frame, true, take, &given);
		assert_int_equal(given.count, 1);
		assert_false(f.variables->resolved[0][0].dead);
		end(&f);
	}
}

/* As what a closure has captured: whether it is in there, its type says. */
static void test_captures(void **state)
{
	static const char *const types[] = { "*main.self", "*main.ways9" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct fixture f;
		struct given given = { 0 };
		begin(&f);
		struct dwarf_variable d =
			variable("&captured", types[i], DWARF_PIECE_NOWHERE);
		const struct func_value func = { pseudo_pc(f.p, "main.f", 0), CLOSURE };
		d.parameter = d.listed = false;
		d.has_closure_offset = true;
		d.closure_offset = 8;
		pseudo_put(f.p, CLOSURE + 8, OBJECT);
		set_variables(&f, &d, 1);
		runtime_each_capture(f.p->rt, &func, take, &given);
		assert_int_equal(given.count, 1);
		assert_string_equal(given.name, "captured");
		assert_string_equal(given.unreadable,
				    "ambiguous location: in the closure or elsewhere");
		end(&f);
	}
}

static void test_values(void **state)
{
	enum { POINTERS = 2 };
	struct fixture f;
	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(endless); i++) {
		const struct value v = { type_of(&f, endless[i]), OBJECT };
		struct value context;
		assert_true(value_is_plausible(f.p->rt, &v, POINTERS));
		assert_false(runtime_context_in(f.p->rt, &v, &context));
	}
	end(&f);
}

static char *print_one(struct fixture *f, const struct value *v)
{
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	const struct snapshot_time moment = { 0 };
	struct err err;
	AUTO(redaction_free) struct redaction *r = redaction_new(&options, &err);
	AUTO(sink_free) struct sink *out = sink_part_new();

	print_one_value(&(struct one_value){ .rt = f->p->rt,
					     .out = out,
					     .bounds = &value_bounds_default,
					     .moment = &moment,
					     .redaction = r,
					     .name = "v",
					     .value = *v });
	return xstrndup(sink_part_text(out), sink_part_bytes(out));
}

static void test_printed(void **state)
{
	struct fixture f;
	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(endless); i++) {
		AUTO(xfree)
		char *text =
			print_one(&f, &(struct value){ type_of(&f, endless[i]), OBJECT });
		if (!strstr(text, "limited_by"))
			fail_msg("%s: %s", endless[i], text);
	}
	end(&f);
}

/* Words of an argument that may be a secret anywhere in its type are redacted. */
static void test_words(void **state)
{
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	(void)state;
	for (size_t i = 0; i <= LAST_OF_VALUES; i++) {
		struct fixture f;
		struct err err;
		begin(&f);
		struct dwarf_variable d =
			variable("endless", endless[i], DWARF_PIECE_NOWHERE);
		AUTO(redaction_free) struct redaction *r = redaction_new(&options, &err);
		AUTO(sink_free) struct sink *out = sink_part_new();
		set_variables(&f, &d, 1);
		const struct argument_words words = { .text = "{0x1234}",
						      .len = strlen("{0x1234}"),
						      .of = &f.frame };
		print_argument_words(out, r, &words);
		AUTO(xfree)
		char *text = xstrndup(sink_part_text(out), sink_part_bytes(out));
		assert_non_null(strstr(text, "\"{redacted}\""));
		end(&f);
	}
}

/* Eight letters in a place that may be dead are somebody's; elsewhere they are not. */
static void test_dead_words(void **state)
{
	static const char given[] = "0x6867666564636261, 0x6867666564636261?, 0x1?";
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	const struct argument_words words = { .text = given, .len = strlen(given) };
	struct err err;
	AUTO(redaction_free) struct redaction *r = redaction_new(&options, &err);
	AUTO(sink_free) struct sink *out = sink_part_new();
	(void)state;
	print_argument_words(out, r, &words);
	AUTO(xfree) char *text = xstrndup(sink_part_text(out), sink_part_bytes(out));
	assert_non_null(strstr(text, "\"0x6867666564636261, redacted?, 0x1?\""));
}

/* A number of another size than its kind has is none. */
static void test_sizes(void **state)
{
	static const char *const names[] = { "complex0", "complex1" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct fixture f;
		struct given given = { 0 };
		begin(&f);
		assert_int_equal(type_kind(type_of(&f, names[i])), KIND_UNKNOWN);
		const struct dwarf_variable list[] = {
			variable("number", names[i], DWARF_PIECE_CFA),
			variable("two", "main.two", DWARF_PIECE_CFA),
		};
		set_variables(&f, list, ARRAY_SIZE(list));
		frame_each_variable(&f.frame, true, take, &given);
		assert_int_equal(given.count, 2);
		end(&f);
	}
}

/* Pointers without names are called after what they lead to. */
static void test_names(void **state)
{
	struct fixture f;
	(void)state;
	begin(&f);
	const struct type *circles = type_of(&f, "main.circles");
	assert_int_equal(type_field_count(circles), 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(type_name(type_field(circles, i)->type)[0], '*');
	end(&f);
}

/* Each is compared with all others, and not with all pairs of them. */
static void test_many_variables(void **state)
{
	enum { MANY = 4000 };
	AUTO(xfree) struct dwarf_variable *list = xcalloc(MANY, sizeof(*list));
	struct given given = { 0 };
	struct fixture f;
	(void)state;
	begin(&f);
	for (size_t i = 0; i < MANY; i++)
		list[i] = variable("same", "int", DWARF_PIECE_CFA);
	set_variables(&f, list, MANY);
	frame_each_variable(&f.frame, true, take, &given);
	assert_int_equal(given.count, 1);
	end(&f);
}

/* Their names are ends of one that no program has. */
static void test_long_names(void **state)
{
	enum { MANY = LIMIT_SCOPE_VARIABLES, LONG = 1 << 20 };
	AUTO(xfree) struct dwarf_variable *list = xcalloc(MANY, sizeof(*list));
	AUTO(xfree) char *name = xcalloc(LONG + 1, 1);
	struct given given = { 0 };
	struct fixture f;
	(void)state;
	begin(&f);
	memset(name, 'x', LONG);
	for (uint32_t i = 0; i < MANY; i++) {
		list[i] = variable(name + i, "int", DWARF_PIECE_CFA);
		list[i].parameter = list[i].listed = false;
		list[i].depth = i % 2;
	}
	set_variables(&f, list, MANY);
	frame_each_variable(&f.frame, false, take, &given);
	assert_int_equal(given.count, MANY);
	end(&f);
}

/* However many walks there are: the limit is for those of types, not for values. */
static void test_all_walks(void **state)
{
	struct fixture f;
	(void)state;
	begin(&f);
	const struct type *wide = type_of(&f, "main.wide0"),
			  *two = type_of(&f, "main.two");
	uint64_t steps = 0;
	for (;;) {
		struct type_walk walk = { 0 };
		if (!type_enter(&walk, wide))
			break;
		steps += walk.steps;
		assert_true(steps <= LIMIT_TYPE_WALKS);
	}
	struct type_walk small = { 0 }, large = { 0 };
	assert_true(type_enter(&small, two));
	assert_false(small.over);
	assert_false(type_enter(&large, wide));
	assert_true(large.over);
	struct type_walk of_value = { .of_value = true };
	assert_true(type_enter(&of_value, wide));
	end(&f);
}

/* In so many pieces of a word, and the last one of that size. */
static struct dwarf_variable in_pieces(size_t n, uint64_t last)
{
	struct dwarf_variable d = variable("x", "main.parts", DWARF_PIECE_CFA);

	d.parameter = false;
	xfree(d.pieces);
	d.pieces = xcalloc(n, sizeof(*d.pieces));
	d.piece_count = n;
	for (size_t i = 0; i < n; i++)
		d.pieces[i] = (struct dwarf_piece){ .where = DWARF_PIECE_CFA,
						    .at = -8 * (int64_t)(i + 1),
						    .size = i + 1 < n ? 8 : last };
	return d;
}

/* Which part of its type each piece is, if there is one way only. */
static void test_parts(void **state)
{
	static const struct {
		size_t pieces;
		uint64_t last;
		bool known;
	} cases[] = {
		{ 15, 8, true }, { 15, 1, false }, { 15, 2, false }, { 1, 1, true }
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;
		struct given given = { 0 };
		begin(&f);
		const size_t n = cases[i].pieces;
		const struct dwarf_variable d = in_pieces(n, cases[i].last);
		set_variables(&f, &d, 1);
		frame_each_variable(&f.frame, false, take, &given);
		const struct dwarf_variable *at = &f.variables->resolved[0][0].at;
		assert_int_equal(at->piece_count, 16);
		for (size_t k = 0; k < 16; k++) {
			const bool known = cases[i].known && (n == 1 ? k == 15 : k < n);
			assert_int_equal(at->pieces[k].where,
					 known ? DWARF_PIECE_CFA : DWARF_PIECE_NOWHERE);
		}
		end(&f);
	}
}

/* Many of these, whose last piece fits nowhere, in a frame of as many objects as there can be. */
static void test_many_parts(void **state)
{
	enum { MANY = 4000, PIECES = 8 };
	AUTO(xfree) struct dwarf_variable *list = xcalloc(MANY, sizeof(*list));
	struct given given = { 0 };
	struct fixture f;
	(void)state;
	begin(&f);
	struct stack_map *map = &f.variables->map;
	map->objects = xcalloc(STACK_OBJECTS, sizeof(*map->objects));
	map->object_count = STACK_OBJECTS;
	for (size_t i = 0; i < MANY; i++)
		list[i] = in_pieces(PIECES, 2);
	set_variables(&f, list, MANY);
	frame_each_variable(&f.frame, false, take, &given);
	assert_int_equal(given.count, MANY);
	end(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	    cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_captures),    cmocka_unit_test(test_dead),
		cmocka_unit_test(test_variables),   cmocka_unit_test(test_values),
		cmocka_unit_test(test_words),	    cmocka_unit_test(test_printed),
		cmocka_unit_test(test_all_walks),   cmocka_unit_test(test_many_variables),
		cmocka_unit_test(test_long_names),  cmocka_unit_test(test_dictionary),
		cmocka_unit_test(test_many_shapes), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_many_parts),  cmocka_unit_test(test_dead_words),
	};
	return unit_run(argc, argv, tests, compile, clean);
}
