/* SPDX-License-Identifier: Apache-2.0 */
/* Words of frames as the collector's maps tell of them, where these maps, or the names of
 * functions, are damaged. */
#include "goruntime/variables/slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/arguments.h"
#include "goruntime/types/type_name.h"
#include "goruntime/variables/stack_map.h"
#include "goruntime/variables/variables_priv.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum { CFA = PSEUDO_STACK + 0xf000, OBJECT_BYTES = 16 };

static const struct pseudo_func funcs[] = { { "runtime.goexit", 0, 0 },
					    { "main.f", 16, 0 } };

struct fixture {
	struct pseudo *p;
	struct code *code;
	struct frame_variables frame;
	struct code_variables *variables;
};

static void begin(struct fixture *f, int minor)
{
	*f = (struct fixture){ .p = pseudo_new(minor, funcs, ARRAY_SIZE(funcs)) };
	f->code = (struct code *)(uintptr_t)code_with_calls(
		f->p->rt->code, pseudo_pc(f->p, "main.f", 0), true);
	assert_non_null(f->code);
	f->code->variables = f->variables = xcalloc(1, sizeof(*f->variables));
	f->frame =
		(struct frame_variables){ .rt = f->p->rt, .code = f->code, .cfa = CFA };
}

static void end(struct fixture *f)
{
	pseudo_free(f->p);
}

struct given {
	size_t count;
	char name[32], unreadable[128]; /* of the last one */
};

static void take(void *arg, struct runtime *rt, const struct variable *v)
{
	struct given *given = arg;

	(void)rt;
	given->count++;
	snprintf(given->name, sizeof(given->name), "%s", v->name ? v->name : "");
	snprintf(given->unreadable, sizeof(given->unreadable), "%s",
		 v->unreadable ? v->unreadable : "");
}

/* The map says that these many local words are pointers. */
static void set_locals(struct fixture *f, uint32_t n, const uint8_t *bits)
{
	f->variables->map.known = true;
	f->variables->map.local_count = n;
	f->variables->map.locals = -(int64_t)n * WORD;
	f->variables->map.local_bits = bytes_over(bits, (n + 7) / 8);
}

/* As many objects as there can be, each of which says to be very large: time is no longer than
 * for one of them, and it is said. */
static void test_endless_objects(void **state)
{
	static uint8_t bits[STACK_OBJECTS / 8], pointers[1];
	struct given given = { 0 };
	struct fixture f;
	(void)state;
	begin(&f, 27);
	struct stack_map *map = &f.variables->map;
	memset(bits, 0xff, sizeof(bits));
	set_locals(&f, STACK_OBJECTS, bits);
	map->objects = xcalloc(STACK_OBJECTS, sizeof(*map->objects));
	map->object_count = STACK_OBJECTS;
	for (size_t i = 0; i < STACK_OBJECTS; i++) {
		const int64_t off = -0xc000 + (int64_t)i * OBJECT_BYTES;
		map->objects[i] = (struct stack_object){
			.off = off,
			.size = OBJECT_BYTES,
			.pointers = bytes_over(pointers, sizeof(pointers)),
			.pointer_words = UINT64_C(1) << 28,
		};
		pseudo_put(f.p, CFA + (uint64_t)map->locals + i * WORD,
			   CFA + (uint64_t)off);
	}
	target_budget_unit(f.p->target);
	frame_each_slot(&f.frame, take, &given);
	assert_string_equal(given.name, "");
	assert_non_null(strstr(given.unreadable, "its work budget"));
	assert_int_equal(given.count, STACK_OBJECTS + 1);
	end(&f);
}

static void test_many_slots(void **state)
{
	enum { SLOTS = 4097 };
	static uint8_t bits[SLOTS / 8 + 1];
	struct fixture f;
	(void)state;
	memset(bits, 0xff, sizeof(bits));
	for (uint32_t n = SLOTS - 1; n <= SLOTS; n++) {
		struct given given = { 0 };
		begin(&f, 27);
		set_locals(&f, n, bits);
		frame_each_slot(&f.frame, take, &given);
		assert_int_equal(given.count, n);
		if (n == SLOTS) {
			assert_string_equal(given.name, "");
			assert_string_equal(given.unreadable, "too many stack slots");
		} else {
			assert_non_null(strstr(given.name, "sp+"));
		}
		end(&f);
	}
}

/* An object is in its frame, whatever is said. */
static void test_far_objects(void **state)
{
	static const int64_t offsets[] = { INT64_MIN, INT64_MIN + 8, INT64_MAX };
	struct stack_object object = { .size = UINT64_MAX };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct stack_map map = { .known = true,
					 .objects = &object,
					 .object_count = 1 };
		object.off = offsets[i];
		assert_false(stack_map_is_dead(&map, INT64_MAX - 7));
		assert_false(stack_map_is_needed(&map, 8));
	}
}

/* Bytes of the file as it was read. */
static uint8_t *file_at(const struct fixture *f, uint64_t addr)
{
	struct bytes b = modules_bytes(f->p->rt->modules, addr);

	assert_false(b.bad);
	return (uint8_t *)(uintptr_t)b.at;
}

/* The same, read from the table of Go 1.15: struct { count uintptr; off int; typ *_type }. */
static void test_far_objects_read(void **state)
{
	enum { FUNCDATA_OBJECTS = 56 + 3 * WORD, LIST = PSEUDO_IMAGE + 0x1ff00 };
	static const int64_t offsets[] = { INT64_MIN, INT64_MIN + 1, INT64_MAX,
					   INT64_C(1) << 31 };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		const uint64_t list[] = { 1, (uint64_t)offsets[i], PSEUDO_FREE },
			       at = LIST;
		struct pclntab_func func;
		struct stack_map map;
		struct fixture f;
		begin(&f, 15);
		assert_true(pclntab_find(&f.code->module->tab, f.code->entry, &func));
		memcpy((uint8_t *)(uintptr_t)func.record.at + FUNCDATA_OBJECTS, &at,
		       sizeof(at));
		memcpy(file_at(&f, LIST), list, sizeof(list));
		stack_map_read(f.p->rt, f.code, &map);
		assert_int_equal(map.object_count, 0);
		stack_map_deinit(&map);
		end(&f);
	}
}

/* Of a pc in a function whose name leads nowhere, with that name alone, or with another one of a
 * function that is inlined there. */
static void damage_name(struct fixture *f, uint32_t call_count)
{
	enum { NAME = 4 }; /* of _func, in 1.27 */
	const uint32_t nowhere = UINT32_MAX;
	struct pclntab_func func;

	assert_true(pclntab_find(&f->code->module->tab, f->code->entry, &func));
	memcpy((uint8_t *)(uintptr_t)func.record.at + NAME, &nowhere, sizeof(nowhere));
	const struct pclntab_call call =
		pclntab_outer_call(&f->code->module->tab, &func, f->code->pc);
	xfree(f->code->calls);
	f->code->calls = xcalloc(call_count, sizeof(call));
	f->code->call_count = call_count;
	for (uint32_t i = 0; i < call_count; i++)
		f->code->calls[i] = call;
	assert_string_equal(call.name, "?");
	assert_false(call.named);
}

/* What could be the receiver of a method is none by its name. */
static void test_damaged_name(void **state)
{
	static const uint8_t bits[] = { 1 };
	struct given given = { 0 };
	struct fixture f;
	struct code_frame frame;
	(void)state;
	begin(&f, 27);
	damage_name(&f, 1);
	f.code->arguments = xcalloc(1, sizeof(*f.code->arguments) + 3);
	f.code->arguments->len = 3;
	f.code->arguments->form[2] = WORD;
	set_locals(&f, 1, bits);
	frame_each_slot(&f.frame, take, &given);
	assert_int_equal(given.count, 1);
	assert_non_null(strstr(given.name, "sp+"));
	assert_true(runtime_code_at(f.p->rt, f.code->pc, &frame));
	assert_null(frame.function);
	end(&f);
}

static void test_receivers(void **state)
{
	static const struct {
		const char *method, *type; /* NULL: none */
	} cases[] = {
		{ "net/http.(*conn).serve", "*net/http.conn" },
		{ "time.Time.String", "time.Time" },
		{ "a.b/c-d/e%2ef.T.M", "a.b/c-d/e.f.T" },
		{ "main.list[int].Len", "main.list[int]" },
		{ "main.(*list[int]).Len", "*main.list[int]" },
		{ "a.b/c.(*m[string,d.e/f-g.T]).Len", "*a.b/c.m[string,d.e/f-g.T]" },
		{ "main.n[main.list[int]].Len", "main.n[main.list[int]]" },
		{ "main.(*list[go.shape.int]).Len", NULL },
		{ "main.list[...].Len", NULL },
		{ "main.f", NULL },
		{ "main.f[int]", NULL },
		{ "main.f.func1", "main.f" }, /* no type has this name */
		{ "main.(*T).M.func1", NULL },
		{ "main.(*list[int]).M.func1", NULL },
		{ "main.(*T).M-range1", NULL },
		{ "main", NULL },
		{ "]", NULL },
		{ "].[", NULL },
		{ "main.[].M", NULL },
		{ "main.(*).M", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *type = type_of_receiver(cases[i].method);
		if (!cases[i].type)
			assert_null(type);
		else
			assert_string_equal(type ? type : "none", cases[i].type);
		xfree(type);
	}
}

/* Scopes of the debugging information are told apart by it, where they are more than the calls. */
static void test_damaged_name_of_scope(void **state)
{
	struct given given = { 0 };
	struct fixture f;
	(void)state;
	begin(&f, 27);
	damage_name(&f, 2);
	struct dwarf_scopes *scopes = xcalloc(1, sizeof(*scopes));
	scopes->count = 3;
	scopes->list = xcalloc(scopes->count, sizeof(*scopes->list));
	for (size_t i = 0; i < scopes->count; i++)
		scopes->list[i].function = "main.f";
	f.variables->scopes = scopes;
	frame_each_variable(&f.frame, true, take, &given);
	assert_int_equal(given.count, 0);
	end(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_receivers),
		cmocka_unit_test(test_damaged_name),
		cmocka_unit_test(test_damaged_name_of_scope),
		cmocka_unit_test(test_far_objects),
		cmocka_unit_test(test_far_objects_read),
		cmocka_unit_test(test_many_slots),
		cmocka_unit_test(test_endless_objects),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
