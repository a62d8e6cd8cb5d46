/* SPDX-License-Identifier: Apache-2.0 */
/* Which goroutines use the map that the runtime found misused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/fault/fault_priv.h"
#include "lib/target/memory_set.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum {
	GOROUTINES = 20,
	OTHERS = 16,  /* at most this many are listed */
	ROOM = 0x800, /* of each goroutine's stack */
	SP = 0x100,
	FRAME = 0x40,
	HELD = 0x10, /* from sp: the word that may be the map */
	MAP = PSEUDO_FREE + 0x1000,
	ENTRIES = PSEUDO_FREE + 0x2000,
	OTHER_MAP = PSEUDO_FREE + 0x3000,
};

#define SEED (UINT64_C(7) << 32)

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "runtime.mapassign", FRAME, 0 },
	{ "runtime.(*hmap).newoverflow", FRAME, 0 },
	{ "internal/runtime/maps.(*Map).putSlot", FRAME, 0 },
	{ "runtime.evacuate", FRAME, 0 },
	{ "runtime.growWork", FRAME, 0 },
	{ "runtime.hashGrow", FRAME, 0 },
	{ "runtime.gopark", FRAME, 0 },
	{ "runtime.chanrecv", FRAME, 0 },
	{ "main.use", FRAME, 0 },
	{ "main.runtime.mapassign", FRAME, 0 },
	{ "runtime.text", 0, 0 },
};

static void put_map(struct pseudo *p, uint64_t at, const uint64_t words[5])
{
	for (size_t i = 0; i < 5; i++)
		pseudo_put(p, at + i * 8, words[i]);
}

static const uint64_t small_map[] = { 1, 5, ENTRIES, 0, 0 };

static struct pseudo *subject(void)
{
	struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));
	struct runtime *rt = p->rt;

	rt->goroutines = xcalloc(GOROUTINES, sizeof(*rt->goroutines));
	rt->order = xcalloc(GOROUTINES, sizeof(*rt->order));
	rt->goroutine_count = GOROUTINES;
	for (uint32_t i = 0; i < GOROUTINES; i++) {
		const uint64_t low = PSEUDO_STACK + i * ROOM;
		rt->order[i] = i;
		rt->goroutines[i] = (struct goroutine){ .id = i + 1,
							.sp = low + SP,
							.stack_low = low,
							.stack_high = low + ROOM,
							.stack = NO_STACK,
							.thread = -1 };
	}
	put_map(p, MAP, small_map);
	put_map(p, OTHER_MAP, small_map);
	return p;
}

/* Goroutine i is in inner, called by outer; the frame of outer holds word. */
static void put_goroutine(struct pseudo *p, size_t i, const char *inner,
			  const char *outer, uint64_t word)
{
	struct goroutine *g = &p->rt->goroutines[i];
	const struct raw_frame frames[] = {
		{ pseudo_pc(p, inner, 0x40), FRAME_AT_INSTRUCTION, FRAME },
		{ pseudo_pc(p, outer, 0x40), 0, 2 * FRAME },
	};

	g->stack = stacks_intern(p->all->stacks, frames, ARRAY_SIZE(frames));
	pseudo_put(p, g->sp + FRAME + HELD, word);
}

static struct fault others_of(struct pseudo *p, size_t i)
{
	struct fault fault = { .runtime = p->rt,
			       .goroutine = &p->rt->goroutines[i],
			       .message = (char *)"fatal error: concurrent map writes" };

	fault_find_others(&fault);
	return fault;
}

static bool has(const struct fault *fault, uint64_t id)
{
	for (size_t i = 0; i < fault->other_count; i++)
		if (fault->others[i] == id)
			return true;
	return false;
}

/* Other users of the map are listed only if the process died of the misuse of a map. */
static void test_other_error(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	put_goroutine(p, 0, "runtime.gopark", "runtime.mapassign", MAP);
	put_goroutine(p, 1, "runtime.gopark", "runtime.mapassign", MAP);
	struct fault fault = { .runtime = p->rt,
			       .goroutine = &p->rt->goroutines[0],
			       .message = (char *)"fatal error: concurrent programs" };
	fault_find_others(&fault);
	assert_null(fault.others);
	fault.message = NULL;
	fault_find_others(&fault);
	assert_null(fault.others);
	/* The thread that died had no goroutine. */
	fault.message = (char *)"fatal error: concurrent map writes";
	fault.goroutine = NULL;
	fault_find_others(&fault);
	assert_null(fault.others);
}

static void test_same(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	put_goroutine(p, 0, "runtime.gopark", "runtime.mapassign", MAP);
	put_goroutine(p, 1, "runtime.gopark", "runtime.evacuate", MAP);
	put_goroutine(p, 2, "runtime.gopark", "main.use", MAP);
	put_goroutine(p, 3, "runtime.gopark", "runtime.mapassign", OTHER_MAP);
	put_goroutine(p, 4, "main.use", "runtime.mapassign", MAP);
	put_goroutine(p, 5, "runtime.mapassign", "runtime.growWork", MAP);
	put_goroutine(p, 6, "runtime.gopark", "main.runtime.mapassign", MAP);
	AUTO(memory_set_free) struct memory_set *set = memory_set_new();
	target_record(p->target, (struct target_record){ .read = set });
	struct fault fault = others_of(p, 0);
	assert_ptr_equal(target_record(p->target, (struct target_record){ 0 }).read, set);
	assert_true(fault.same_map);
	assert_int_equal(fault.other_count, 2);
	assert_true(has(&fault, 2));
	assert_true(has(&fault, 6));
	xfree(fault.others);
}

/* A goroutine in a map function whose frames hold no candidate for a map may use any map. */
static void test_any(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	put_goroutine(p, 0, "runtime.gopark", "runtime.mapassign", MAP);
	put_goroutine(p, 1, "runtime.gopark", "runtime.mapassign", 0);
	put_goroutine(p, 2, "runtime.gopark", "main.use", 0);
	struct fault fault = others_of(p, 0);
	assert_false(fault.same_map);
	assert_int_equal(fault.other_count, 1);
	assert_true(has(&fault, 2));
	xfree(fault.others);
	/* Nothing is known of the one that died. */
	fault = others_of(p, 1);
	assert_false(fault.same_map);
	assert_int_equal(fault.other_count, 1);
	assert_true(has(&fault, 1));
	xfree(fault.others);
	/* Once one is known to use the same map, the others do not count. */
	put_goroutine(p, 3, "runtime.gopark", "runtime.hashGrow", MAP);
	put_goroutine(p, 4, "runtime.gopark", "runtime.mapassign", 0);
	fault = others_of(p, 0);
	assert_true(fault.same_map);
	assert_int_equal(fault.other_count, 1);
	assert_true(has(&fault, 4));
	xfree(fault.others);
}

static void test_functions(void **state)
{
	static const char *const no_map[] = { "runtime.chanrecv", "main.use" };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	put_goroutine(p, 0, "runtime.gopark", "runtime.mapassign", MAP);
	for (size_t i = 1; i <= 6; i++) {
		put_goroutine(p, 1, "runtime.gopark", funcs[i].name, MAP);
		struct fault fault = others_of(p, 0);
		assert_int_equal(fault.other_count, 1);
		xfree(fault.others);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_map); i++) {
		put_goroutine(p, 1, "runtime.gopark", no_map[i], MAP);
		struct fault fault = others_of(p, 0);
		assert_int_equal(fault.other_count, 0);
		xfree(fault.others);
	}
}

static bool is_shared(struct pseudo *p, uint64_t at)
{
	put_goroutine(p, 0, "runtime.gopark", "runtime.mapassign", at);
	put_goroutine(p, 1, "runtime.gopark", "runtime.mapassign", at);
	struct fault fault = others_of(p, 0);
	xfree(fault.others);
	return fault.same_map;
}

/* A word that two goroutines hold counts only if it refers to memory that looks like a map. */
static void test_look(void **state)
{
	static const struct {
		uint64_t words[5];
		bool is_map;
	} list[] = {
		/* internal/runtime/maps: used, seed, directory, its length, its depth */
		{ { 0, 5, ENTRIES, 0, 0 }, true },
		{ { 1, 0, ENTRIES, 0, 0 }, false },
		{ { 1, 5, ENTRIES, 0, 1 }, false },
		{ { 1, 5, ENTRIES, 4, 2 }, true },
		{ { 1, 5, ENTRIES, 1, 0x100 }, true },
		{ { 1, 5, ENTRIES, 4, 3 }, false },
		{ { 1, 5, ENTRIES, 3, 1 }, false },
		{ { 1, 5, ENTRIES, UINT64_C(1) << 63, 63 }, true },
		{ { 1, 5, 0, 0, 0 }, false },
		{ { 1, 5, PSEUDO_TEXT, 0, 0 }, false },
		{ { 1, 5, PSEUDO_IMAGE, 0, 0 }, false },
		{ { 1, 5, PSEUDO_STACK + 8, 0, 0 }, true }, /* of the other's stack */
		{ { 1, 5, PSEUDO_STACK + ROOM, 0, 0 }, false },
		{ { 1, 5, PSEUDO_STACK + ROOM - 8, 0, 0 }, true },
		{ { 1, 5, PSEUDO_STACK + 2 * ROOM - 8, 0, 0 }, false },
		{ { 1, 5, PSEUDO_STACK + 2 * ROOM, 0, 0 }, true },
		/* runtime: count; flags, B, noverflow, hash0; buckets; old buckets */
		{ { 1, SEED | 0x30f, ENTRIES, 0, 1 }, true },
		{ { 1, SEED | 0x310, ENTRIES, 0, 1 }, false },
		{ { 1, SEED | 0x3f0f, ENTRIES, 0, 1 }, true },
		{ { 1, SEED | 0x400f, ENTRIES, 0, 1 }, false },
		{ { 1, 0x30f, ENTRIES, 0, 1 }, false },
		{ { 1, SEED | 0x30f, ENTRIES, ENTRIES, 1 }, true },
		{ { 1, SEED | 0x30f, ENTRIES, 12, 1 }, false },
	};
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		put_map(p, MAP, list[i].words);
		if (is_shared(p, MAP) != list[i].is_map)
			fail_msg("map %zu is %sone", i, list[i].is_map ? "" : "n");
	}
	put_map(p, MAP, small_map);
	put_map(p, MAP + 4, small_map);
	assert_false(is_shared(p, MAP + 4));
}

/* The runtime keeps a map in a register. */
static void test_registers(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	struct target_thread *threads = xcalloc(2, sizeof(*threads));
	put_goroutine(p, 0, "runtime.gopark", "runtime.mapassign", MAP);
	put_goroutine(p, 1, "runtime.mapassign", "main.use", 0);
	threads[1].stopped = true;
	threads[1].regs.value[0] = MAP;
	threads[1].regs.value[target_arch(p->target)->pc] =
		pseudo_pc(p, "runtime.mapassign", 0x40);
	target_set_threads(p->target, threads, 2);
	for (int thread = -1; thread < 3; thread++) {
		p->rt->goroutines[1].thread = thread;
		struct fault fault = others_of(p, 0);
		assert_int_equal(fault.same_map, thread == 1);
		xfree(fault.others);
	}
}

static void test_many(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = subject();
	for (size_t i = 0; i < GOROUTINES; i++)
		put_goroutine(p, i, "runtime.gopark", "runtime.mapassign", MAP);
	struct fault fault = others_of(p, 3);
	assert_int_equal(fault.other_count, OTHERS);
	assert_false(has(&fault, 4));
	assert_true(has(&fault, 1));
	assert_true(has(&fault, OTHERS + 1));
	xfree(fault.others);
}

static void test_messages(void **state)
{
	static const struct {
		const char *message, *words;
	} list[] = {
		{ "fatal error: concurrent map writes", "concurrent map writes" },
		{ "panic: x\n\nfatal error: concurrent map iteration and map write",
		  "concurrent map iteration and map write" },
		{ "fatal error: small map with no empty slot (concurrent map writes?)",
		  "small map with no empty slot (concurrent map writes?)" },
		{ "fatal error: small map", NULL },
		{ "fatal error: all goroutines are asleep - deadlock!", NULL },
		{ "concurrent map writes", NULL },
		{ NULL, NULL },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		const struct fault fault = { .message = (char *)list[i].message };
		const char *words = fault_misused_map(&fault);
		if (list[i].words)
			assert_string_equal(words, list[i].words);
		else
			assert_null(words);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_error), cmocka_unit_test(test_same),
		cmocka_unit_test(test_any),	    cmocka_unit_test(test_functions),
		cmocka_unit_test(test_look),	    cmocka_unit_test(test_registers),
		cmocka_unit_test(test_many),	    cmocka_unit_test(test_messages),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
