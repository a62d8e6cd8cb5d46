/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/bulk_read.h"

void bulk_read_add(struct bulk_read *g, uint64_t addr, uint64_t len)
{
	if (!addr || !len)
		return;
	GROW(g->list, g->count, g->cap);
	g->list[g->count++] = (struct extent_range){ addr, len };
}

void bulk_read_read(struct bulk_read *g, struct target *t)
{
	uint64_t left_out = 0;

	if (g->count)
		target_extents_add(t, g->list, g->count, &left_out);
	g->left_out += left_out;
	g->count = 0;
}

void bulk_read_done(struct bulk_read *g)
{
	xfree(g->list);
	*g = (struct bulk_read){ 0 };
}
