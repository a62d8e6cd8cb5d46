/* SPDX-License-Identifier: Apache-2.0 */
/* allgs and the g structs, as a hostile subject may have them. */
#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/sched/sched.h"
#include "goruntime/session/runtime_steps.h"
#include "goruntime/symtab/pclntab.h"
#include "goruntime/waits/wait.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum {
	ALLGS = PSEUDO_FREE,	     /* the slice header */
	ARRAY = PSEUDO_FREE + 0x100, /* of pointers */
	GS = PSEUDO_FREE + 0x2000,   /* g structs, G_ROOM apart */
	G_ROOM = 0x400,
	COUNT = 20,
};

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "main.main", 0x28, 0 },
	{ "runtime.gopark", 0x18, 0 },
	{ "runtime.bgsweep", 0x18, 0 },
	{ "runtime.main", 0x18, 0 },
	{ "runtime.runfinq", 0x18, 0 },
	{ "runtime.text", 0, 0 },
};

static uint64_t g_at(size_t i)
{
	return GS + i * G_ROOM;
}

/* Goroutine i + 1, parked in gopark, called from main.main. */
static void put_goroutine(struct pseudo *p, size_t i)
{
	uint64_t g = g_at(i), sp = PSEUDO_STACK + i * 0x100;

	pseudo_put(p, ARRAY + i * 8, g);
	pseudo_field(p, g, L_g_goid, i + 1);
	pseudo_field(p, g, L_g_status, GOROUTINE_WAITING);
	pseudo_field(p, g, L_g_stack_lo, sp);
	pseudo_field(p, g, L_g_stack_hi, sp + 0x100);
	pseudo_field(p, g, L_g_sched_sp, sp + 0x10);
	pseudo_field(p, g, L_g_sched_pc, pseudo_pc(p, "runtime.gopark", 0x40));
	pseudo_field(p, g, L_g_sched_g, g);
	pseudo_field(p, g, L_g_startpc, pseudo_pc(p, "main.main", 0));
	pseudo_field(p, g, L_g_gopc, pseudo_pc(p, "runtime.main", 0x80));
	pseudo_put(p, sp + 0x10 + 0x18, pseudo_pc(p, "main.main", 0x40));
	pseudo_put(p, sp + 0x10 + 0x20 + 0x28, pseudo_pc(p, "runtime.goexit", 1));
}

static void put_slice(struct pseudo *p, uint64_t array, uint64_t len, uint64_t cap)
{
	pseudo_put(p, ALLGS, array);
	pseudo_put(p, ALLGS + 8, len);
	pseudo_put(p, ALLGS + 16, cap);
}

static struct pseudo *subject(int minor)
{
	struct pseudo *p = pseudo_new(minor, funcs, ARRAY_SIZE(funcs));

	for (size_t i = 0; i < COUNT; i++)
		put_goroutine(p, i);
	put_slice(p, ARRAY, COUNT, COUNT);
	p->rt->allgs = ALLGS;
	return p;
}

static bool find(struct pseudo *p)
{
	struct err err;

	p->rt->allgs = 0;
	return allgs_find(p->rt, &err);
}

static bool read_all(struct pseudo *p)
{
	struct err err;

	return goroutines_read(p->rt, &err);
}

static bool warned(const struct pseudo *p, const char *part)
{
	for (size_t i = 0; i < warnings_count(p->warnings); i++)
		if (strstr(warnings_what(p->warnings, i), part))
			return true;
	return false;
}

static void test_read(void **state)
{
	static const int minors[] = { 15, 19, 21, 23, 25, 27 };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		AUTO(pseudo_free) struct pseudo *p = subject(minors[i]);
		assert_true(find(p));
		assert_int_equal(p->rt->allgs, ALLGS);
		assert_true(read_all(p));
		assert_int_equal(p->rt->goroutine_count, COUNT);
		runtime_decode(p->rt);
		for (size_t j = 0; j < COUNT; j++) {
			const struct goroutine *g = runtime_goroutine(p->rt, j);
			assert_int_equal(g->id, j + 1);
			assert_int_equal(g->state, STACK_COMPLETE);
			assert_int_equal(runtimes_stack(p->all, g->stack).count, 3);
			assert_false(g->system);
		}
		assert_int_equal(runtimes_stack_count(p->all), 1);
		assert_int_equal(warnings_count(p->warnings), 0);
	}
}

/* syscallpc and syscallsp, when there are any, are where the runtime itself would start. */
static void test_start(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	pseudo_field(p, g_at(3), L_g_status, GOROUTINE_SYSCALL | 0x1000);
	pseudo_field(p, g_at(3), L_g_syscallsp, PSEUDO_STACK + 0x330);
	pseudo_field(p, g_at(3), L_g_syscallpc, pseudo_pc(p, "main.main", 0x40));
	assert_true(read_all(p));
	const struct goroutine *g = goroutine_by_addr(p->rt, g_at(3));
	assert_non_null(g);
	assert_int_equal(g->status, GOROUTINE_SYSCALL);
	assert_true(g->syscall);
	assert_int_equal(g->pc, pseudo_pc(p, "main.main", 0x40));
	assert_int_equal(g->sp, PSEUDO_STACK + 0x330);
	g = goroutine_by_addr(p->rt, g_at(4));
	assert_false(g->syscall);
	assert_int_equal(g->pc, pseudo_pc(p, "runtime.gopark", 0x40));
	assert_null(goroutine_by_addr(p->rt, g_at(4) + 8));
}

static void test_order(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	pseudo_field(p, g_at(0), L_g_goid, 900);
	pseudo_field(p, g_at(1), L_g_startpc, pseudo_pc(p, "runtime.bgsweep", 0));
	pseudo_field(p, g_at(2), L_g_startpc, pseudo_pc(p, "runtime.main", 0));
	pseudo_field(p, g_at(3), L_g_startpc, 0); /* brought by a C thread */
	/* It runs finalizers: main.main is on its stack. */
	pseudo_field(p, g_at(4), L_g_startpc, pseudo_pc(p, "runtime.runfinq", 0));
	/* This one has none to run. */
	pseudo_field(p, g_at(5), L_g_startpc, pseudo_pc(p, "runtime.runfinq", 0));
	pseudo_put(p, PSEUDO_STACK + 0x510 + 0x18, pseudo_pc(p, "runtime.goexit", 1));
	assert_true(read_all(p));
	runtime_decode(p->rt);
	for (size_t i = 0; i < COUNT; i++) {
		const struct goroutine *g = runtime_goroutine(p->rt, i);
		assert_int_equal(g->system, g->id == 2 || g->id == 6);
		if (i > 0 && g->system == runtime_goroutine(p->rt, i - 1)->system)
			assert_true(g->id > runtime_goroutine(p->rt, i - 1)->id);
	}
	assert_int_equal(runtime_goroutine(p->rt, COUNT - 1)->id, 6);
	assert_int_equal(runtime_goroutine(p->rt, COUNT - 3)->id, 900);
}

/* Of the program, of the runtime, and one of each: those without a double are not marked. */
static void test_same_id(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	for (size_t i = 5; i < 9; i++)
		pseudo_field(p, g_at(i), L_g_startpc, pseudo_pc(p, "runtime.bgsweep", 0));
	pseudo_field(p, g_at(1), L_g_goid, 100);
	pseudo_field(p, g_at(3), L_g_goid, 100);
	pseudo_field(p, g_at(5), L_g_goid, 200);
	pseudo_field(p, g_at(6), L_g_goid, 200);
	pseudo_field(p, g_at(2), L_g_goid, 300);
	pseudo_field(p, g_at(8), L_g_goid, 300);
	assert_true(read_all(p));
	runtime_decode(p->rt);
	for (size_t i = 0; i < COUNT; i++) {
		const struct goroutine *g = runtime_goroutine(p->rt, i);
		assert_int_equal(g->same_id, g->id % 100 == 0);
	}
}

static void test_huge_length(void **state)
{
	static const uint64_t lengths[] = { UINT64_C(1) << 40, UINT64_C(1) << 61,
					    UINT64_MAX, LIMIT_GOROUTINES + 1 };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		AUTO(pseudo_free) struct pseudo *p = subject(24);
		put_slice(p, ARRAY, lengths[i], lengths[i]);
		assert_false(find(p));
		p->rt->allgs = ALLGS; /* it became so after it was found */
		assert_true(read_all(p));
		assert_true(warned(p, "allgs claims"));
		assert_in_range(p->rt->goroutine_count, COUNT, PSEUDO_DATA_SIZE / 8);
		runtime_decode(p->rt);
	}
}

static void test_doubled(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	for (size_t i = 10; i < COUNT; i++)
		pseudo_put(p, ARRAY + i * 8, i % 2 ? g_at(3) : 0);
	assert_true(read_all(p));
	assert_int_equal(p->rt->goroutine_count, 10);
	assert_true(warned(p, "10 entries of allgs are zero, duplicate or misaligned"));
}

static void test_nowhere(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	for (size_t i = 0; i < 5; i++)
		pseudo_put(p, ARRAY + i * 8, 0xdead00000000 + i * 0x1000);
	assert_true(read_all(p));
	assert_int_equal(p->rt->goroutine_count, COUNT - 5);
	assert_true(warned(p, "5 of 20 could not be read"));
	put_slice(p, 0xdead00000000, COUNT, COUNT);
	runtime_decode(p->rt);
	assert_false(find(p));
}

static void test_array_nowhere(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	struct err err;
	put_slice(p, 0xdead00000000, COUNT, COUNT);
	goroutines_read(p->rt, &err);
	assert_int_equal(p->rt->goroutine_count, 0);
	assert_true(warned(p, "allgs claims 20 goroutines, memory holds at most 0"));
}

static size_t count_changed(const struct pseudo *p)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT; i++)
		n += goroutine_by_addr(p->rt, g_at(i))->changed;
	return n;
}

/* Each of these says that a goroutine ran while it was read; standing still says nothing. */
static void test_changed(void **state)
{
	static const struct {
		enum layout_slot slot;
		uint64_t value;
	} changes[] = {
		{ L_g_goid, 777 },
		{ L_g_status, GOROUTINE_RUNNABLE },
		{ L_g_sched_sp, PSEUDO_STACK + 0x420 },
		{ L_g_sched_pc, PSEUDO_TEXT },
		{ L_g_stack_lo, PSEUDO_STACK },
		{ L_g_waitsince, 12345 },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		AUTO(pseudo_free) struct pseudo *p = subject(24);
		assert_true(read_all(p));
		goroutines_mark_changed(p->rt, p->target);
		assert_int_equal(count_changed(p), 0);
		pseudo_field(p, g_at(4), changes[i].slot, changes[i].value);
		goroutines_mark_changed(p->rt, p->target);
		assert_int_equal(count_changed(p), 1);
		assert_true(goroutine_by_addr(p->rt, g_at(4))->changed);
	}
}

static bool holds(void *arg, uint64_t addr, uint64_t len)
{
	uint64_t at = *(const uint64_t *)arg;

	return addr <= at && at - addr < len;
}

/* By its stack, or by its own struct. */
static void test_changeable(void **state)
{
	uint64_t at[] = { PSEUDO_STACK + 6 * 0x100, PSEUDO_STACK + 7 * 0x100 - 1,
			  g_at(6) };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	assert_true(read_all(p));
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		goroutines_mark_changeable(p->rt, holds, &at[i]);
		assert_int_equal(count_changed(p), 1);
		assert_true(goroutine_by_addr(p->rt, g_at(6))->changed);
	}
}

/* A pointer that happens to be to a goroutine is no list. */
static void test_one_is_no_list(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	put_slice(p, ARRAY, 1, COUNT);
	assert_false(find(p));
	put_slice(p, ARRAY, 2, COUNT);
	assert_true(find(p));
}

/* A slice is believed only when what it holds agrees with the layout. */
static void test_judgement(void **state)
{
	static const struct {
		enum layout_slot slot;
		uint64_t value;
	} wrong[] = {
		{ L_g_status, 99 },	      { L_g_goid, 0 },
		{ L_g_stack_lo, ~0UL },	      { L_g_sched_sp, PSEUDO_STACK - 8 },
		{ L_g_sched_sp, 0x31000000 }, { L_g_sched_pc, 0x1234 },
		{ L_g_sched_g, GS + 8 },      { L_g_startpc, 0x1234 },
		{ L_g_startpc, 0 },	      { L_g_gopc, 0x1234 },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		AUTO(pseudo_free) struct pseudo *p = subject(24);
		assert_true(find(p));
		/* One that changed while we looked is forgiven, three are not. */
		pseudo_field(p, g_at(0), wrong[i].slot, wrong[i].value);
		assert_true(find(p));
		pseudo_field(p, g_at(1), wrong[i].slot, wrong[i].value);
		pseudo_field(p, g_at(2), wrong[i].slot, wrong[i].value);
		assert_false(find(p));
	}
}

/* The dead, the running and those of C threads say nothing against it. */
static void test_judgement_silent(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	for (size_t i = 0; i < 15; i++) {
		if (i < 5)
			pseudo_field(p, g_at(i), L_g_status, GOROUTINE_DEAD);
		else if (i < 10)
			pseudo_field(p, g_at(i), L_g_status, GOROUTINE_RUNNING);
		else /* brought by a C thread */
			pseudo_field(p, g_at(i), L_g_startpc, 0);
		pseudo_field(p, g_at(i), i < 10 ? L_g_sched_sp : L_g_gopc, 0);
	}
	assert_true(find(p));
	/* But nothing speaks for a slice of the dead alone. */
	for (size_t i = 0; i < COUNT; i++)
		pseudo_field(p, g_at(i), L_g_status, GOROUTINE_DEAD);
	assert_false(find(p));
}

/* Data segments without end: the search comes back. */
static void test_endless_segments(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	struct err err;
	pseudo_field(p, PSEUDO_MODULE, L_md_bss, 0x1000);
	pseudo_field(p, PSEUDO_MODULE, L_md_ebss, UINT64_MAX);
	pseudo_field(p, PSEUDO_MODULE, L_md_edata, UINT64_MAX);
	modules_close(p->rt->modules);
	p->rt->modules = modules_open_at(p->target, p->images, &p->rt->layout,
					 PSEUDO_MODULE, &err);
	assert_non_null(p->rt->modules);
	find(p);
	wait_reasons_read(p->rt);
	assert_null(runtime_wait_reason(p->rt, 1));
}

/* At the end of all addresses, where a step further leads to their beginning. */
static void test_last_addresses(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	struct err err;
	pseudo_field(p, PSEUDO_MODULE, L_md_bss, UINT64_MAX - 0x1800);
	pseudo_field(p, PSEUDO_MODULE, L_md_ebss, UINT64_MAX);
	pseudo_field(p, PSEUDO_MODULE, L_md_edata, UINT64_MAX);
	modules_close(p->rt->modules);
	p->rt->modules = modules_open_at(p->target, p->images, &p->rt->layout,
					 PSEUDO_MODULE, &err);
	assert_non_null(p->rt->modules);
	assert_false(find(p));
	/* A segment of the file, as long as can be, and one that ends there. */
	static const uint64_t segments[][2] = { { 0, INT64_MAX },
						{ UINT64_MAX - 0x1800, 0x1800 } };
	for (size_t i = 0; i < ARRAY_SIZE(segments); i++) {
		Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(p->image + sizeof(Elf64_Ehdr));
		ph->p_flags = PF_R | PF_W | PF_X;
		ph->p_vaddr = segments[i][0];
		ph->p_filesz = ph->p_memsz = segments[i][1];
		AUTO(images_close) struct images *images = images_open(p->target);
		assert_null(modules_open(p->target, images, images_get(images, 1),
					 &p->rt->layout, &err));
	}
}

/* Nothing to read is nothing to do, whatever its size. */
static void test_nothing(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	struct_scan(p->target, NULL, 0, 0, NULL, NULL);
	struct_scan(p->target, NULL, 0, SIZE_MAX, NULL, NULL);
}

/* Each k-th read fails: fewer goroutines, never wrong ones, and it is said. */
static void test_faults(void **state)
{
	(void)state;
	for (uint64_t k = 1; k < 30; k++) {
		AUTO(pseudo_free) struct pseudo *p = subject(24);
		pseudo_faults(p, k);
		bool whole = read_all(p);
		pseudo_faults(p, 0);
		runtime_decode(p->rt);
		if (k <= 2)
			assert_false(whole);
		else
			assert_true(whole);
		size_t n = p->rt->goroutine_count;
		assert_true(n == COUNT || !whole || warned(p, "could not be read"));
		for (size_t i = 0; i < n; i++) {
			assert_in_range(runtime_goroutine(p->rt, i)->id, 1, COUNT);
			assert_int_equal(runtime_goroutine(p->rt, i)->state,
					 STACK_COMPLETE);
		}
	}
}

/* g structs of random bytes. */
static void test_random(void **state)
{
	(void)state;
	srand(1);
	AUTO(pseudo_free) struct pseudo *p = subject(24);
	for (int round = 0; round < 300; round++) {
		for (size_t i = 0; i < COUNT; i++)
			put_goroutine(p, i);
		for (int i = 0; i < 40; i++) {
			uint64_t words[] = { (uint64_t)rand(),
					     0,
					     ~0UL,
					     PSEUDO_STACK + 0x20,
					     pseudo_pc(p, "main.main", 0x40),
					     2,
					     3,
					     4 };
			pseudo_put(p, GS + (uint64_t)rand() % (COUNT * G_ROOM / 8) * 8,
				   words[rand() % 8]);
			if (i % 4 == 0)
				pseudo_put(p,
					   PSEUDO_STACK +
						   (uint64_t)rand() % 0x1400 / 8 * 8,
					   words[rand() % 8]);
		}
		p->rt->goroutine_count = 0;
		xfree(TAKE(p->rt->order));
		assert_true(read_all(p));
		runtime_decode(p->rt);
		for (size_t i = 0; i < p->rt->goroutine_count; i++) {
			const struct goroutine *g = runtime_goroutine(p->rt, i);
			assert_in_range(g->state, STACK_NONE, STACK_LOST);
			assert_true(g->state != STACK_LOST ||
				    *runtimes_reason(p->all, g->reason));
		}
	}
}

/* Where it cannot be known, a goroutine may be resumed as a coroutine. */
static void test_coroutines(void **state)
{
	static const struct pseudo_func switching[] = {
		{ "runtime.gopark", 0x18, 0 },
		{ "runtime.coroswitch_m", 0x18, 0 },
		{ "runtime.text", 0, 0 },
	};
	AUTO(pseudo_free) struct pseudo *p = subject(27);
	AUTO(pseudo_free)
	struct pseudo *q = pseudo_new(27, switching, ARRAY_SIZE(switching));
	struct modules *modules = p->rt->modules;

	(void)state;
	p->rt->gopark = pseudo_pc(p, "runtime.gopark", 0);
	q->rt->gopark = pseudo_pc(q, "runtime.gopark", 0);
	assert_false(runtime_has_coroutines(p->rt));
	assert_true(runtime_has_coroutines(q->rt));
	p->rt->gopark = 0;
	assert_true(runtime_has_coroutines(p->rt));
	p->rt->modules = NULL; /* a release whose structures do not fit */
	assert_true(runtime_has_coroutines(p->rt));
	p->rt->modules = modules;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_same_id),
		cmocka_unit_test(test_huge_length),
		cmocka_unit_test(test_doubled),
		cmocka_unit_test(test_nowhere),
		cmocka_unit_test(test_array_nowhere),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_changeable),
		cmocka_unit_test(test_one_is_no_list),
		cmocka_unit_test(test_judgement),
		cmocka_unit_test(test_judgement_silent),
		cmocka_unit_test(test_endless_segments),
		cmocka_unit_test(test_last_addresses),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_coroutines),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
