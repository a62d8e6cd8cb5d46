/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/goroutine.h"

#include <stdlib.h>

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/search.h"

_Static_assert(sizeof(struct goroutine) <= 128, "there can be millions of them");

const char *runtime_status_name(unsigned status)
{
	static const char *const names[] = {
		[GOROUTINE_IDLE] = "idle",	     [GOROUTINE_RUNNABLE] = "runnable",
		[GOROUTINE_RUNNING] = "running",     [GOROUTINE_SYSCALL] = "syscall",
		[GOROUTINE_WAITING] = "waiting",     [GOROUTINE_DEAD] = "dead",
		[GOROUTINE_COPYSTACK] = "copystack", [GOROUTINE_PREEMPTED] = "preempted",
		[GOROUTINE_LEAKED] = "leaked",	     [GOROUTINE_DEAD_EXTRA] = "dead",
	};
	return status < ARRAY_SIZE(names) ? names[status] : NULL;
}

struct goroutine *goroutine_by_addr(struct runtime *rt, uint64_t addr)
{
	size_t low = LOWER_BOUND(i, rt->goroutine_count, rt->goroutines[i].addr < addr);

	return low < rt->goroutine_count && rt->goroutines[low].addr == addr
		       ? &rt->goroutines[low]
		       : NULL;
}

bool runtime_has_coroutines(const struct runtime *rt)
{
	uint64_t end;

	/* Where names are missing or hashed, gopark is not found either. */
	return !rt->modules || modules_unnamed(rt->modules) || !rt->gopark ||
	       modules_function(rt->modules, "runtime.coroswitch_m", &end) != 0;
}

static int by_low(const void *a, const void *b)
{
	const struct go_stack *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* Once for all that ask: most snapshots never do. */
static void list_stacks(struct runtime *rt)
{
	rt->ranges = xcalloc(rt->goroutine_count + 1, sizeof(*rt->ranges));
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		const struct goroutine *g = &rt->goroutines[i];

		if (goroutine_has_stack(g))
			rt->ranges[rt->range_count++] =
				(struct go_stack){ g->stack_low, g->stack_high };
	}
	qsort(rt->ranges, rt->range_count, sizeof(*rt->ranges), by_low);
}

uint64_t runtime_stack_end(struct runtime *rt, uint64_t addr)
{
	if (!rt->ranges)
		list_stacks(rt);
	size_t above = LOWER_BOUND(i, rt->range_count, rt->ranges[i].low <= addr);

	return above > 0 && on_stack(rt->ranges[above - 1], addr)
		       ? rt->ranges[above - 1].high
		       : 0;
}

const struct goroutine *runtime_goroutine(const struct runtime *rt, size_t i)
{
	return &rt->goroutines[rt->order[i]];
}
