/* SPDX-License-Identifier: Apache-2.0 */
/* testing/synctest bubbles (runtime/synctest.go, from 1.24 on): groups of goroutines with
 * their own clock. */
#include <string.h>

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/runtime_priv.h"

enum { BUBBLE_BYTES = 256 }; /* all fields that are read are within these */

void bubbles_capture(struct runtime *rt, struct bulk_read *g)
{
	size_t n;
	AUTO(xfree) uint64_t *bubbles = extra_objects(&rt->extra_lists, EXTRA_BUBBLE, &n);

	for (size_t i = 0; i < n; i++)
		bulk_read_add(g, bubbles[i], BUBBLE_BYTES);
	bulk_read_read(g, rt->target);
}

static bool load(struct runtime *rt, uint64_t bubble, enum layout_slot slot,
		 uint64_t *ret, struct bubble *b)
{
	struct err err;

	if (!layout_has(&rt->layout, slot))
		return false;
	if (layout_load(&rt->layout, rt->target, bubble, slot, ret, &err))
		return true;
	b->unreadable = reason_add(rt, "%s", err.text);
	return false;
}

bool runtime_bubble(struct runtime *rt, const struct goroutine *g, struct bubble *ret)
{
	uint64_t bubble = extra_object(&rt->extra_lists, EXTRA_BUBBLE, g->addr), root;

	if (!bubble)
		return false;
	target_budget_unit(rt->target);
	*ret = (struct bubble){ .addr = bubble };
	ret->has_id = load(rt, bubble, L_bubble_id, &ret->id, ret);
	ret->has_now = load(rt, bubble, L_bubble_now, &ret->now_ns, ret);
	ret->has_total = load(rt, bubble, L_bubble_total, &ret->total, ret);
	ret->has_running = load(rt, bubble, L_bubble_running, &ret->running, ret);
	if (load(rt, bubble, L_bubble_root, &root, ret)) {
		const struct goroutine *r = goroutine_by_addr(rt, root);
		ret->root = r ? r->id : 0;
	}
	return true;
}
