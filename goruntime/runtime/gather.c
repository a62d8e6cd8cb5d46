/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/gather.h"

void gather_add(struct gather *g, uint64_t addr, uint64_t len)
{
	if (!addr || !len)
		return;
	GROW(g->list, g->count, g->cap);
	g->list[g->count++] = (struct extent_range){ addr, len };
}

void gather_read(struct gather *g, struct target *t)
{
	uint64_t left_out = 0;

	if (g->count)
		target_extents_add(t, g->list, g->count, &left_out);
	g->left_out += left_out;
	g->count = 0;
}

void gather_done(struct gather *g)
{
	xfree(g->list);
	*g = (struct gather){ 0 };
}
