/* SPDX-License-Identifier: Apache-2.0 */
/* earlier.c - which goroutines have run between two captures: a goroutine that runs changes
 * its stack, even if it is parked at the same place again. */
#include <string.h>

#include "goruntime/session/runtime_steps.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"
#include "lib/base/search.h"

enum { PIECE = 4096 };

struct earlier_stack {
	uint64_t g, id, pc, sp;
	uint64_t hash; /* of its used bytes; 0: not known, or not unwound */
};

static uint64_t hash_words(const uint64_t *words, size_t n, uint64_t hash)
{
	for (size_t i = 0; i < n; i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static uint64_t hash_of_stack(struct runtime *rt, const struct goroutine *g)
{
	uint64_t words[PIECE / sizeof(uint64_t)], hash = 1, end = g->stack_high, addr;
	struct err ignored;

	if (g->sp < g->stack_low || g->sp >= end)
		return 0;
	if (end - g->sp > LIMIT_STACK_BYTES)
		end = g->sp + LIMIT_STACK_BYTES;
	target_budget_unit(rt->target);
	for (addr = g->sp; end - addr >= sizeof(*words);) {
		size_t n = end - addr < PIECE ? (size_t)(end - addr) / sizeof(*words)
					      : ARRAY_SIZE(words);
		if (!target_search(rt->target, addr, words, n * sizeof(*words), &ignored))
			return 0;
		hash = hash_words(words, n, hash);
		addr += n * sizeof(*words);
	}
	return hash;
}

/* That of one on a thread which ran is not known, though pc and sp, those that it had when the
 * scheduler last saved them, may be true of it again once the thread stands still. */
static bool has_frames(const struct runtime *rt, const struct goroutine *g)
{
	return g->stack != NO_STACK && stacks_get(rt->shared->stacks, g->stack).count > 0;
}

void earlier_stacks_note(struct runtime *rt)
{
	xfree(rt->earlier);
	rt->earlier_count = rt->goroutine_count;
	rt->earlier = xcalloc(rt->earlier_count + 1, sizeof(*rt->earlier));
	for (size_t i = 0; i < rt->earlier_count; i++) {
		const struct goroutine *g = &rt->goroutines[i];
		rt->earlier[i] =
			(struct earlier_stack){ g->addr, g->id, g->pc, g->sp,
						has_frames(rt, g) ? hash_of_stack(rt, g)
								  : 0 };
	}
}

static bool has_run(struct runtime *rt, const struct goroutine *g)
{
	size_t i = LOWER_BOUND(k, rt->earlier_count, rt->earlier[k].g < g->addr);
	const struct earlier_stack *e = &rt->earlier[i];

	return i == rt->earlier_count || e->g != g->addr || e->id != g->id ||
	       e->pc != g->pc || e->sp != g->sp || !e->hash ||
	       e->hash != hash_of_stack(rt, g);
}

bool runtime_each_ran(struct runtime *rt, const struct ran_goroutines *to)
{
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];
		if (!to->more(to->arg))
			return false;
		if (!goroutine_has_stack(g) || !has_run(rt, g))
			continue;
		if (!g->unwound)
			unwind_goroutine(rt, g, runtime_machine_of(rt, g));
		to->fn(to->arg, rt, g);
	}
	return true;
}
