/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - allocations that are freed together. Private to goruntime. */
#ifndef GOSNAP_ARENA_H
#define GOSNAP_ARENA_H

#include "lib/base/util.h"

struct arena {
	void **blocks;
	size_t count, cap;
};

static inline void *arena_take(struct arena *p, size_t size)
{
	GROW(p->blocks, p->count, p->cap);
	return p->blocks[p->count++] = xcalloc(1, size + 1);
}

/* Frees all allocations; the pool can be used again. */
static inline void arena_empty(struct arena *p)
{
	for (size_t i = 0; i < p->count; i++)
		xfree(p->blocks[i]);
	xfree(p->blocks);
	*p = (struct arena){ 0 };
}

#endif
