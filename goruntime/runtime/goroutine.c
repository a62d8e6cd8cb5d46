/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/goroutine.h"

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

const struct goroutine *runtime_goroutine(const struct runtime *rt, size_t i)
{
	return &rt->goroutines[rt->order[i]];
}
