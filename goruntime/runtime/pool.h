/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - allocations that are freed together. Private to goruntime. */
#ifndef GOSNAP_POOL_H
#define GOSNAP_POOL_H

#include "lib/base/util.h"

struct pool {
	void **blocks;
	size_t count, cap;
};

static inline void *pool_take(struct pool *p, size_t size)
{
	GROW(p->blocks, p->count, p->cap);
	return p->blocks[p->count++] = xcalloc(1, size + 1);
}

/* Frees all allocations; the pool can be used again. */
static inline void pool_empty(struct pool *p)
{
	for (size_t i = 0; i < p->count; i++)
		xfree(p->blocks[i]);
	xfree(p->blocks);
	*p = (struct pool){ 0 };
}

#endif
