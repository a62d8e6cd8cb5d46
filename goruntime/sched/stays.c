/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/sched/stays.h"

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"

enum { SCAN_BIT = 0x1000 }; /* the collector looks at its stack: runtime/runtime2.go */

/* Its stack may move while it waits, so sp says nothing. */
static bool is_where_it_was(const struct layout *l, const struct goroutine *g,
			    const uint8_t *bytes, size_t len)
{
#define GET(slot) layout_get(l, L_##slot, bytes, len)
	return GET(g_goid) == g->id &&
	       (GET(g_status) & ~(uint64_t)SCAN_BIT) == g->status &&
	       (g->status != GOROUTINE_WAITING || GET(g_sched_pc) == g->pc);
#undef GET
}

bool runtime_goroutine_look(const struct runtime *rt, struct target *live,
			    const struct goroutine *g, struct goroutine_look *ret)
{
	const struct layout *l = &rt->layout;
	const size_t size = (size_t)l->slot[L_g_size].off;
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	struct err ignored;

	if (size > sizeof(bytes) ||
	    (g->status != GOROUTINE_WAITING && g->status != GOROUTINE_SYSCALL) ||
	    !target_read(live, g->addr, bytes, size, &ignored) ||
	    !is_where_it_was(l, g, bytes, size))
		return false;
	ret->is_counted = layout_has(l, L_g_tracking_seq);
	ret->count = (uint8_t)layout_get(l, L_g_tracking_seq, bytes, size);
	return true;
}
