/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread is dying, and of what kind of death. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/fault/fault_priv.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum {
	THREADS = 4,
	MS = PSEUDO_FREE + 0x1000,
	M_ROOM = 0x1000,
	GS = PSEUDO_FREE + 0x8000
};

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "main.use", 0x40, 0 },
	{ "runtime.fatalpanic", 0x20, 0 },
	{ "runtime.fatalthrow", 0x20, 0 },
	{ "runtime.throw", 0x20, 0 },
	{ "runtime.fatal", 0x20, 0 },
	{ "runtime.gopark", 0x20, 0 },
	{ "runtime.text", 0, 0 },
};

/* Each of its threads runs a goroutine, which function called main.use runs on. */
static struct pseudo *subject(const char *function)
{
	struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));
	struct runtime *rt = p->rt;
	const struct raw_frame frames[] = {
		{ pseudo_pc(p, function, 0x10), 0, NO_ARGP },
		{ pseudo_pc(p, "main.use", 0x40), 0, NO_ARGP },
	};
	const uint32_t stack = stacks_intern(p->all->stacks, frames, ARRAY_SIZE(frames));
	struct target_thread *threads = xcalloc(THREADS, sizeof(*threads));

	xfree(rt->machines);
	p->machine = rt->machines = xcalloc(THREADS, sizeof(*rt->machines));
	rt->machine_count = rt->goroutine_count = THREADS;
	rt->goroutines = xcalloc(THREADS, sizeof(*rt->goroutines));
	rt->order = xcalloc(THREADS, sizeof(*rt->order));
	for (uint32_t i = 0; i < THREADS; i++) {
		const uint64_t g = GS + i * M_ROOM;
		threads[i].tid = (pid_t)i + 1;
		rt->machines[i] =
			(struct go_m){ .m = MS + i * M_ROOM, .curg = g, .g0 = g };
		rt->order[i] = i;
		rt->goroutines[i] = (struct goroutine){ .id = i + 1,
							.addr = g,
							.status = GOROUTINE_RUNNING,
							.stack = stack,
							.thread = (int)i };
	}
	target_set_threads(p->target, threads, THREADS);
	return p;
}

static void set_dying(struct pseudo *p, size_t thread, uint64_t dying)
{
	pseudo_field(p, p->rt->machines[thread].m, L_m_dying, dying);
}

/* Not the first that is listed. */
static void test_thread(void **state)
{
	(void)state;
	for (int i = 0; i < THREADS; i++) {
		AUTO(pseudo_free) struct pseudo *p = subject("runtime.fatalpanic");
		set_dying(p, (size_t)i, 1);
		fault_capture(p->all);
		assert_non_null(p->all->fault);
		assert_int_equal(p->all->fault->thread, i);
		assert_ptr_equal(p->all->fault->runtime, p->rt);
		assert_int_equal(p->all->fault->goroutine->id, i + 1);
	}
}

/* Of several dying threads, chooses the one to which the kernel delivered the signal. */
static void test_several(void **state)
{
	(void)state;
	for (int i = 1; i < THREADS; i++) {
		AUTO(pseudo_free) struct pseudo *p = subject("runtime.fatalpanic");
		size_t n;
		const struct target_thread *threads = target_threads(p->target, &n);
		struct target_thread *copy = xcalloc(n, sizeof(*copy));
		memcpy(copy, threads, n * sizeof(*copy));
		copy[i].has_siginfo = true;
		target_set_threads(p->target, copy, n);
		for (size_t t = 1; t < THREADS; t++)
			set_dying(p, t, 1);
		fault_capture(p->all);
		assert_non_null(p->all->fault);
		assert_int_equal(p->all->fault->thread, i);
	}
}

static bool is_fault(uint64_t dying)
{
	AUTO(pseudo_free) struct pseudo *p = subject("runtime.fatalpanic");

	set_dying(p, 2, dying);
	fault_capture(p->all);
	return p->all->fault != NULL;
}

/* startpanic_m counts up to three. */
static void test_counted(void **state)
{
	(void)state;
	assert_false(is_fault(0));
	assert_true(is_fault(1));
	assert_true(is_fault(3));
	assert_false(is_fault(4));
}

static void test_kinds(void **state)
{
	static const struct {
		const char *function;
		enum fault_kind kind;
	} list[] = {
		{ "runtime.fatalpanic", FAULT_PANIC },
		{ "runtime.fatalthrow", FAULT_FATAL_ERROR },
		{ "runtime.throw", FAULT_FATAL_ERROR },
		{ "runtime.fatal", FAULT_FATAL_ERROR },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		AUTO(pseudo_free) struct pseudo *p = subject(list[i].function);
		set_dying(p, 1, 1);
		fault_capture(p->all);
		assert_non_null(p->all->fault);
		assert_int_equal(p->all->fault->kind, list[i].kind);
	}
	/* Nothing says of what. */
	AUTO(pseudo_free) struct pseudo *p = subject("runtime.gopark");
	set_dying(p, 1, 1);
	fault_capture(p->all);
	assert_null(p->all->fault);
}

/* A goroutine that has ended may still be on the thread. */
static void test_no_goroutine(void **state)
{
	static const uint8_t ended[] = { GOROUTINE_DEAD, GOROUTINE_DEAD_EXTRA,
					 GOROUTINE_IDLE };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ended); i++) {
		AUTO(pseudo_free) struct pseudo *p = subject("runtime.fatalpanic");
		p->rt->goroutines[1].status = ended[i];
		set_dying(p, 1, 1);
		fault_capture(p->all);
		assert_null(p->all->fault);
	}
	AUTO(pseudo_free) struct pseudo *p = subject("runtime.fatalpanic");
	p->rt->goroutines[1].stack = NO_STACK;
	set_dying(p, 1, 1);
	fault_capture(p->all);
	assert_null(p->all->fault);
}

static uint64_t first(const struct pseudo *p)
{
	return runtime_goroutine(p->rt, 0)->id;
}

/* The others keep their order. */
static void test_made_first(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject("runtime.gopark");
	runtimes_make_first(p->all, 3);
	for (uint64_t i = 0; i < THREADS; i++)
		assert_int_equal(runtime_goroutine(p->rt, i)->id,
				 ((const uint64_t[]){ 3, 1, 2, 4 })[i]);
	runtimes_make_first(p->all, 3);
	assert_int_equal(first(p), 3);
	runtimes_make_first(p->all, 4);
	assert_int_equal(first(p), 4);
	runtimes_make_first(p->all, THREADS + 1);
	assert_int_equal(first(p), 4);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread),	     cmocka_unit_test(test_several),
		cmocka_unit_test(test_counted),	     cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_no_goroutine), cmocka_unit_test(test_made_first),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
