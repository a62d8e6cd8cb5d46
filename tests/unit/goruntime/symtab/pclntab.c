/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/pclntab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/limit.h"
#include "lib/base/util.h"
#include "tests/unit/goruntime/pclntab_writer.h"
#include "tests/unit/unit.h"

enum {
	ADDR = 0x500000,
	TEXT = 0x401000,
	ROUNDS = 4000, /* of random damage, each format */
};

static const char *const files[] = { "/src/a.go", "/src/b.go", "/src/c.go" };

static const struct table_func funcs[] = {
	{ .name = "runtime.text",
	  .size = 0x20,
	  .id = 3,
	  .flags = PCLNTAB_TOPFRAME,
	  .sp = { { 0x20, 0 } },
	  .file = { { 0x20, 1 } },
	  .line = { { 0x20, 7 } } },
	{ .name = "main.outer",
	  .size = 0x100,
	  .id = 0,
	  .flags = PCLNTAB_SPWRITE,
	  .sp = { { 4, 0 }, { 0xf0, 0x1238 }, { 0x100, 0 } },
	  .file = { { 0x40, 1 }, { 0x80, 2 }, { 0x90, 3 }, { 0x100, 1 } },
	  .line = { { 0x40, 100 },
		    { 0x60, 20 },
		    { 0x80, 21 },
		    { 0x90, 300 },
		    { 0x100, 40 } },
	  .index = { { 0x40, -1 }, { 0x80, 0 }, { 0x90, 1 }, { 0x100, -1 } },
	  .tree = { { "main.inner", 0, 0x10 }, { "main.(*T).innermost", 22, 0x70 } } },
	{ .name = "racecall", .size = 0x10, .flags = PCLNTAB_ASM }, /* no frame sizes */
	{ .name = "main.last",
	  .size = 0x30,
	  .id = 21,
	  .sp = { { 0x30, 8 } },
	  .file = { { 0x30, 3 } },
	  .line = { { 0x30, 70000 } } },
};

enum { OUTER = TEXT + 0x20, RACECALL = TEXT + 0x120, LAST = TEXT + 0x130 };

struct fixture {
	enum table_format format;
	struct table table;
	struct pclntab tab;
};

static bool open_table(struct fixture *f, const void *bytes, size_t len)
{
	struct err err;

	if (!pclntab_init(&f->tab, bytes, len, ADDR, TEXT, &err))
		return false;
	f->tab.gofunc = bytes_at(bytes_over(bytes, len), f->table.gofunc);
	return true;
}

/* Before 1.18 funcdata is an address in the process; here the table is all there is. */
static struct bytes bytes_of(void *arg, uint64_t addr)
{
	const struct fixture *f = arg;
	return bytes_at(f->tab.all, addr - ADDR);
}

static struct fixture fixture_of(enum table_format format)
{
	struct fixture f = { .format = format };

	f.table = table_write(format, ADDR, TEXT, funcs, ARRAY_SIZE(funcs), files,
			      ARRAY_SIZE(files));
	assert_true(open_table(&f, f.table.bytes, f.table.len));
	return f;
}

#define EACH_FORMAT(f)                                                                   \
	for (struct fixture f, *once = &f; f.format = (enum table_format)0, once;        \
	     once = NULL)                                                                \
		for (int format_ = 0; format_ < TABLE_FORMATS;                           \
		     free(f.table.bytes), format_++)                                     \
			if (f = fixture_of((enum table_format)format_), true)

static void test_functions(void **state)
{
	(void)state;
	EACH_FORMAT(f)
	{
		struct pclntab_func func;
		assert_false(pclntab_find(&f.tab, TEXT - 1, &func));
		assert_true(pclntab_find(&f.tab, TEXT, &func));
		assert_string_equal(pclntab_name(&f.tab, &func), "runtime.text");
		assert_true(pclntab_find(&f.tab, OUTER - 1, &func));
		assert_int_equal(func.entry, TEXT);
		assert_int_equal(func.end, OUTER);
		assert_int_equal(func.id, 3);
		assert_int_equal(func.flags,
				 f.format == TABLE_1_2 ? 0 : PCLNTAB_TOPFRAME);
		assert_true(pclntab_find(&f.tab, OUTER, &func));
		assert_string_equal(pclntab_name(&f.tab, &func), "main.outer");
		assert_int_equal(func.flags, f.format == TABLE_1_2 ? 0 : PCLNTAB_SPWRITE);
		assert_true(pclntab_find(&f.tab, LAST + 0x2f, &func));
		assert_string_equal(pclntab_name(&f.tab, &func), "main.last");
		assert_int_equal(func.end, f.table.end_pc);
		assert_int_equal(pclntab_end(&f.tab), f.table.end_pc);
		assert_false(pclntab_find(&f.tab, f.table.end_pc, &func));
		assert_false(pclntab_find(&f.tab, 0, &func));
		assert_false(pclntab_find(&f.tab, UINT64_MAX, &func));
	}
}

static void test_frame_size(void **state)
{
	(void)state;
	EACH_FORMAT(f)
	{
		struct pclntab_func func;
		assert_true(pclntab_find(&f.tab, OUTER, &func));
		assert_true(pclntab_has_frame_size(&f.tab, &func));
		assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER), 0);
		assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 3), 0);
		assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 4), 0x1238);
		assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 0xef), 0x1238);
		assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 0xf0), 0);
		assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 0x100), -1);
		assert_true(pclntab_find(&f.tab, RACECALL, &func));
		assert_false(pclntab_has_frame_size(&f.tab, &func));
		assert_int_equal(pclntab_frame_size(&f.tab, &func, RACECALL), -1);
	}
}

static void check_call(const struct pclntab_call *call, const char *name,
		       const char *file, unsigned line, bool inlined, unsigned id)
{
	assert_non_null(call->name);
	assert_string_equal(call->name, name);
	assert_non_null(call->file);
	assert_string_equal(call->file, file);
	assert_int_equal(call->line, line);
	assert_int_equal(call->inlined, inlined);
	assert_int_equal(call->id, id);
}

static size_t calls_at(struct fixture *f, uint64_t pc, struct pclntab_call *ret,
		       size_t max)
{
	struct pclntab_func func;

	assert_true(pclntab_find(&f->tab, pc, &func));
	return pclntab_calls(&f->tab, &func, pc, bytes_of, f, ret, max);
}

static void test_lines(void **state)
{
	(void)state;
	EACH_FORMAT(f)
	{
		struct pclntab_call calls[8];
		assert_int_equal(calls_at(&f, LAST + 5, calls, 8), 1);
		check_call(&calls[0], "main.last", "/src/c.go", 70000, false, 21);
		assert_int_equal(calls_at(&f, OUTER + 0x3f, calls, 8), 1);
		check_call(&calls[0], "main.outer", "/src/a.go", 100, false, 0);
		assert_int_equal(calls_at(&f, OUTER + 0x90, calls, 8), 1);
		check_call(&calls[0], "main.outer", "/src/a.go", 40, false, 0);
		/* Code of others has neither file nor line. */
		assert_int_equal(calls_at(&f, RACECALL, calls, 8), 1);
		assert_string_equal(calls[0].name, "racecall");
		assert_null(calls[0].file);
		assert_int_equal(calls[0].line, 0);
	}
}

static void test_inlined(void **state)
{
	(void)state;
	EACH_FORMAT(f)
	{
		struct pclntab_call calls[8];
		assert_int_equal(calls_at(&f, OUTER + 0x40, calls, 8), 2);
		check_call(&calls[0], "main.inner", "/src/b.go", 20, true, 0);
		check_call(&calls[1], "main.outer", "/src/a.go", 100, false, 0);
		/* Three deep: its parent pc lies in main.inner. */
		assert_int_equal(calls_at(&f, OUTER + 0x85, calls, 8), 3);
		check_call(&calls[0], "main.(*T).innermost", "/src/c.go", 300, true, 22);
		check_call(&calls[1], "main.inner", "/src/b.go", 21, true, 0);
		check_call(&calls[2], "main.outer", "/src/a.go", 100, false, 0);
		/* No more than asked for; the function itself is always there. */
		assert_int_equal(calls_at(&f, OUTER + 0x85, calls, 2), 2);
		assert_string_equal(calls[1].name, "main.outer");
		assert_false(calls[1].inlined);
	}
}

/* An inline tree that leads back to itself. */
static void test_inline_cycle(void **state)
{
	static const struct table_func cyclic = {
		.name = "main.f",
		.size = 0x20,
		.sp = { { 0x20, 0 } },
		.file = { { 0x20, 1 } },
		.line = { { 0x20, 1 } },
		.index = { { 0x20, 0 } },
		.tree = { { "main.g", 0, 0x10 } },
	};
	(void)state;
	for (int i = 0; i < TABLE_FORMATS; i++) {
		struct fixture f = { .format = (enum table_format)i };
		struct pclntab_call calls[64];
		f.table = table_write(f.format, ADDR, TEXT, &cyclic, 1, files, 3);
		assert_true(open_table(&f, f.table.bytes, f.table.len));
		assert_int_equal(calls_at(&f, TEXT + 1, calls, 64), 64);
		assert_true(calls[62].inlined);
		assert_false(calls[63].inlined);
		free(f.table.bytes);
	}
}

struct seen {
	size_t n, stop_after;
	uint64_t last_end;
};

static bool see(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	struct seen *s = arg;

	assert_string_equal(name, funcs[s->n].name);
	assert_int_equal(end - entry, funcs[s->n].size);
	s->last_end = end;
	return ++s->n < s->stop_after;
}

static void test_each(void **state)
{
	(void)state;
	EACH_FORMAT(f)
	{
		struct seen all = { .stop_after = 100 }, two = { .stop_after = 2 };
		pclntab_each(&f.tab, see, &all);
		assert_int_equal(all.n, ARRAY_SIZE(funcs));
		assert_int_equal(all.last_end, f.table.end_pc);
		pclntab_each(&f.tab, see, &two);
		assert_int_equal(two.n, 2);
	}
}

static void test_headers(void **state)
{
	static const struct {
		uint8_t bytes[8];
		bool known;
	} headers[] = {
		{ { 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8 }, true },
		{ { 0xf1, 0xff, 0xff, 0xff, 0, 0, 4, 8 }, true },
		{ { 0xf0, 0xff, 0xff, 0xff, 0, 0, 1, 8 }, true },
		{ { 0xfa, 0xff, 0xff, 0xff, 0, 0, 1, 8 }, true },
		{ { 0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8 }, true },
		{ { 0xf2, 0xff, 0xff, 0xff, 0, 0, 1, 8 }, true }, /* obfuscated */
		{ { 0xf1, 0xff, 0xff, 0xff, 1, 0, 1, 8 }, false },
		{ { 0xf1, 0xff, 0xff, 0xff, 0, 1, 1, 8 }, false },
		{ { 0xf1, 0xff, 0xff, 0xff, 0, 0, 2, 8 }, false },
		{ { 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 4 }, false },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		assert_int_equal(pclntab_probe(headers[i].bytes) != NULL,
				 headers[i].known);
}

static volatile size_t used; /* so that nothing is left out */

static bool touch(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	size_t *n = arg;
	(void)entry;
	(void)end;
	*n += strlen(name);
	return true;
}

/* Everything that the reader offers, over a table that may be damaged in any way: it may
 * say anything, but it must come back and stay inside. */
static void exercise(struct fixture *f, const void *bytes, size_t len)
{
	struct pclntab_call calls[16];
	struct pclntab_func func;
	size_t sum = 0;

	if (!open_table(f, bytes, len))
		return;
	for (uint64_t pc = TEXT - 3; pc < TEXT + 0x170; pc += 5) {
		if (!pclntab_find(&f->tab, pc, &func))
			continue;
		const char *name = pclntab_name(&f->tab, &func);
		sum += name ? strlen(name) : 0;
		sum += (size_t)pclntab_frame_size(&f->tab, &func, pc);
		size_t n = pclntab_calls(&f->tab, &func, pc, bytes_of, f, calls, 16);
		assert_in_range(n, 1, 16);
		for (size_t i = 0; i < n; i++) {
			sum += strlen(calls[i].name);
			sum += calls[i].file ? strlen(calls[i].file) : 0;
		}
	}
	pclntab_each(&f->tab, touch, &sum);
	used = sum;
}

/* Bytes that end where a page ends that cannot be read: one too many is a crash. */
struct edge {
	uint8_t *map;
	size_t room;
};

static struct edge edge_new(size_t room)
{
	struct edge e = { .room = (room + 4095) & ~(size_t)4095 };

	e.map = mmap(NULL, e.room + 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(e.map != MAP_FAILED);
	assert_int_equal(mprotect(e.map + e.room, 4096, PROT_NONE), 0);
	return e;
}

static uint8_t *edge_put(const struct edge *e, const uint8_t *bytes, size_t len)
{
	return memcpy(e->map + e->room - len, bytes, len);
}

static void test_truncated(void **state)
{
	(void)state;
	EACH_FORMAT(f)
	{
		struct edge e = edge_new(f.table.len);
		for (size_t len = 0; len <= f.table.len; len++)
			exercise(&f, edge_put(&e, f.table.bytes, len), len);
		munmap(e.map, e.room + 4096);
	}
}

static void test_random(void **state)
{
	static const uint8_t favourites[] = { 0, 1, 0x7f, 0x80, 0xff };
	(void)state;
	srand(1);
	EACH_FORMAT(f)
	{
		struct edge e = edge_new(f.table.len);
		for (int round = 0; round < ROUNDS; round++) {
			uint8_t *bytes = edge_put(&e, f.table.bytes, f.table.len);
			for (int i = rand() % 8; i >= 0; i--)
				bytes[8 + (size_t)rand() % (f.table.len - 8)] =
					rand() % 2 ? (uint8_t)rand()
						   : favourites[rand() % 5];
			exercise(&f, bytes, f.table.len);
		}
		munmap(e.map, e.room + 4096);
	}
}

/* A table whose every look-up walks far: the counter ends it. */
static void test_bounded_work(void **state)
{
	enum { PAIRS = 1 << 20 };
	struct fixture f = fixture_of(TABLE_1_20);
	size_t len = f.table.len + 2 * PAIRS;
	uint8_t *bytes = malloc(len);
	struct pclntab_func func;
	uint64_t values_at, steps = 0, before;

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, f.table.bytes, f.table.len);
	memset(bytes + f.table.len, 0, 2 * PAIRS);
	for (size_t i = 0; i < PAIRS; i++) /* value + 1, pc + 0, for ever */
		bytes[f.table.len + 2 * i] = 2;
	assert_true(open_table(&f, bytes, len));
	f.tab.steps = &steps;
	assert_true(pclntab_find(&f.tab, OUTER, &func));
	memcpy(&values_at, bytes + 56, 8);
	uint32_t off = (uint32_t)(f.table.len - values_at);
	memcpy(bytes + (func.record.at - bytes) + 16, &off, 4);
	assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 8), -1);
	assert_true(steps >= PAIRS);
	before = steps;
	assert_non_null(pclntab_name(&f.tab, &func));
	assert_true(steps > before);
	steps = LIMIT_PCLNTAB_STEPS;
	assert_null(pclntab_name(&f.tab, &func));
	assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 8), -1);
	free(bytes);
	free(f.table.bytes);
}

/* Where nothing is left, nothing is read: the values, and another name of the function, lie before
 * and in what cannot be read. */
static void test_nothing_left(void **state)
{
	enum { PAIRS = 100, PAGE = 4096 };
	struct fixture f = fixture_of(TABLE_1_20);
	const size_t len = f.table.len + 2 * PAIRS;
	struct edge e = edge_new(len);
	uint8_t *bytes = e.map + e.room - len;
	uint64_t names_at, values_at, steps = 0;
	struct pclntab_func func;

	(void)state;
	memcpy(bytes, f.table.bytes, f.table.len);
	for (size_t i = 0; i < PAIRS; i++) { /* value + 1, pc + 0 */
		bytes[f.table.len + 2 * i] = 2;
		bytes[f.table.len + 2 * i + 1] = 0;
	}
	assert_true(open_table(&f, bytes, len + PAGE));
	f.tab.steps = &steps;
	assert_true(pclntab_find(&f.tab, OUTER, &func));
	memcpy(&names_at, bytes + 32, 8);
	memcpy(&values_at, bytes + 56, 8);
	const uint32_t values = (uint32_t)(f.table.len - values_at);
	const uint32_t unreadable[] = { (uint32_t)(len - names_at),
					(uint32_t)(len - values_at) };
	uint8_t *record = bytes + (func.record.at - bytes);
	memcpy(record + 16, &values, 4);
	steps = LIMIT_PCLNTAB_STEPS - PAIRS;
	assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 8), -1);
	assert_int_equal(steps, LIMIT_PCLNTAB_STEPS);
	memcpy(record + 4, &unreadable[0], 4);
	memcpy(record + 16, &unreadable[1], 4);
	assert_int_equal(pclntab_frame_size(&f.tab, &func, OUTER + 8), -1);
	assert_null(pclntab_name(&f.tab, &func));
	assert_int_equal(steps, LIMIT_PCLNTAB_STEPS);
	munmap(e.map, e.room + PAGE);
	free(f.table.bytes);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),    cmocka_unit_test(test_frame_size),
		cmocka_unit_test(test_lines),	     cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_inline_cycle), cmocka_unit_test(test_each),
		cmocka_unit_test(test_headers),	     cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_random),	     cmocka_unit_test(test_bounded_work),
		cmocka_unit_test(test_nothing_left),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
