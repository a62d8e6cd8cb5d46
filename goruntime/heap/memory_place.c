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

/* The address of the mspan; 0: none. False: not read. */
static bool span_of(struct runtime *rt, uint64_t heap, uint64_t addr, uint64_t *ret)
{
	const uint64_t page = addr >> HEAP_PAGE_BITS & (ARENA_PAGES - 1),
		       off = (uint64_t)rt->layout.slot[L_arena_spans].off + page * WORD;
	uint64_t arena;
	struct err ignored;

	*ret = 0;
	return heap_arena(rt, rt->target, heap, addr, &arena) &&
	       (!arena || target_search(rt->target, arena + off, ret, WORD, &ignored));
}

static uint64_t object_end(const struct span *s, uint64_t addr)
{
	const uint32_t i =
		addr - s->start < span_bytes(s) ? object_in(s, addr) : NO_OBJECT;

	return i == NO_OBJECT ? 0 : s->start + (i + UINT64_C(1)) * s->elem_size;
}

static struct memory_place find_place(struct runtime *rt, uint64_t addr)
{
	const uint64_t heap = is_known(&rt->layout) ? heap_find(rt) : 0;
	struct span span;
	uint64_t at = 0;

	if (heap && span_of(rt, heap, addr, &at) && !at)
		return (struct memory_place){ 0 };
	if (at && heap_span_at(rt, at, &span))
		return (struct memory_place){ .end = object_end(&span, addr) };
	return (struct memory_place){ runtime_stack_end(rt, addr), true };
}

/* Who asks can do without an answer: the value itself may be there. */
struct memory_place runtime_memory_place(struct runtime *rt, uint64_t addr)
{
	const uint64_t missed = target_missed(rt->target);
	const struct memory_place place = find_place(rt, addr);

	target_forget_missed(rt->target, missed);
	return place;
}
