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
	if (GET(g_goid) != g->id || (GET(g_status) & ~(uint64_t)SCAN_BIT) != g->status)
		return false;
	return g->status != GOROUTINE_WAITING ||
	       (GET(g_sched_pc) == g->pc && (uint8_t)GET(g_waitreason) == g->wait_reason);
#undef GET
}

enum goroutine_stay runtime_goroutine_stay(const struct runtime *rt, struct target *live,
					   const struct goroutine *g)
{
	const struct layout *l = &rt->layout;
	const size_t size = (size_t)l->slot[L_g_size].off;
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	struct err ignored;

	if (size > sizeof(bytes) ||
	    (g->status != GOROUTINE_WAITING && g->status != GOROUTINE_SYSCALL) ||
	    !target_read(live, g->addr, bytes, size, &ignored) ||
	    !is_where_it_was(l, g, bytes, size))
		return GOROUTINE_RAN;
	if (g->status != GOROUTINE_WAITING || !layout_has(l, L_g_tracking_seq))
		return GOROUTINE_IS_THERE;
	return (uint8_t)layout_get(l, L_g_tracking_seq, bytes, size) == g->run_count
		       ? GOROUTINE_STAYED
		       : GOROUTINE_RAN;
}
