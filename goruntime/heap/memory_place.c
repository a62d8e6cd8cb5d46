/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime finds the span of an address by its arena, which has a pointer to one for each page
 * (runtime/mheap.go spanOf, 1.15 to 1.27). */
#include "goruntime/heap/memory_place.h"

#include "goruntime/heap/heap_priv.h"
#include "lib/base/limit.h"

static bool is_known(const struct layout *l)
{
	return heap_spans_known(l) && layout_has(l, L_mheap_arenas) &&
	       layout_has(l, L_arena_spans);
}

static uint64_t heap_of(struct runtime *rt)
{
	if (!rt->heap_sought)
		rt->heap = is_known(&rt->layout) ? heap_find(rt) : 0;
	rt->heap_sought = true;
	return rt->heap;
}

/* The address of the mspan; 0: none. */
static uint64_t span_of(struct runtime *rt, uint64_t heap, uint64_t addr)
{
	const struct layout *l = &rt->layout;
	const uint64_t arena = heap_arena(rt, rt->target, heap, addr),
		       page = addr >> HEAP_PAGE_BITS & (ARENA_PAGES - 1);
	uint64_t span;
	struct err ignored;

	return arena && target_read_uint(rt->target,
					 arena + (uint64_t)l->slot[L_arena_spans].off +
						 page * WORD,
					 WORD, &span, &ignored)
		       ? span
		       : 0;
}

static uint64_t object_end(const struct span *s, uint64_t addr)
{
	const uint32_t i = object_in(s, addr);

	return i == NO_OBJECT ? 0 : s->start + (i + UINT64_C(1)) * s->elem_size;
}

struct memory_place runtime_memory_place(struct runtime *rt, uint64_t addr)
{
	const uint64_t heap = heap_of(rt);
	const uint64_t at = heap ? span_of(rt, heap, addr) : 0;
	struct span span;

	if (heap && !at)
		return (struct memory_place){ 0 };
	if (at && heap_span_at(rt, at, &span))
		return (struct memory_place){ .end = addr - span.start < span_bytes(&span)
							     ? object_end(&span, addr)
							     : 0 };
	return (struct memory_place){ runtime_stack_end(rt, addr), true };
}
