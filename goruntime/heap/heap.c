/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/heap.h"

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/object_types.h"
#include "lib/base/limit.h"

/* A look at the clock costs as much as a small read. */
enum { BYTES_A_LOOK = 1 << 20 };

bool heap_may_read(struct heap *h, uint64_t len)
{
	h->bytes_read += len;
	if (h->limits.bytes && h->bytes_read > h->limits.bytes)
		h->gave_up = true;
	if (h->until_ns && h->bytes_read - h->bytes_at_look >= BYTES_A_LOOK) {
		h->bytes_at_look = h->bytes_read;
		if (h->limits.megabytes_read)
			*h->limits.megabytes_read = h->bytes_read / BYTES_A_LOOK;
		h->gave_up |= !heap_is_in_time(h);
	}
	target_budget_unit(h->memory);
	return !h->gave_up;
}

bool heap_is_in_time(const struct heap *h)
{
	return !h->until_ns || processor_ns() <= h->until_ns;
}

struct heap *heap_open(struct runtime *rt, struct target *memory,
		       const struct heap_limits *limits, struct err *err)
{
	AUTO(heap_close) struct heap *h = xcalloc(1, sizeof(*h));

	h->rt = rt;
	h->memory = memory;
	h->limits = *limits;
	h->until_ns = limits->ns ? processor_ns() + limits->ns : 0;
	if (!rt->modules) {
		err_set(err, ERR_UNSUPPORTED, "%s", rt->unusable);
		return NULL;
	}
	if (!spans_read(h, err))
		return NULL;
	h->marked = xcalloc(h->object_count / 64 + 1, sizeof(*h->marked));
	h->scanned = xcalloc(h->object_count / 64 + 1, sizeof(*h->scanned));
	h->queue = xcalloc(h->span_count, sizeof(*h->queue));
	h->room = xmalloc(ROOM_BYTES);
	h->take = mark_pointer;
	h->object = NO_SCAN;
	pointer_maps_open(h);
	allocated_read(h);
	hidden_find(h);
	return TAKE(h);
}

void heap_close(struct heap *h)
{
	if (!h)
		return;
	for (uint64_t i = 0; h->arenas && i <= h->size >> ARENA_BITS; i++)
		xfree(h->arenas[i]);
	xfree(h->arenas);
	xfree(h->spans);
	object_types_close(h);
	pointer_maps_close(h);
	xfree(h->live);
	xfree(h->allocated);
	xfree(h->marked);
	xfree(h->scanned);
	xfree(h->queue);
	xfree(h->room);
	xfree(h->hidden);
	xfree(h->watched);
	stack_plan_free(h->plan);
	xfree(h);
}

bool heap_object(const struct heap *h, uint64_t addr, struct heap_object *ret)
{
	const struct span *s = span_at(h, addr);
	const uint32_t i = s ? object_in(s, addr) : NO_OBJECT;

	if (i == NO_OBJECT)
		return false;
	*ret = (struct heap_object){ .addr = s->start + i * s->elem_size,
				     .size = s->elem_size,
				     .no_pointers = s->no_pointers };
	return true;
}

bool heap_is_marked(const struct heap *h, uint64_t addr)
{
	const struct span *s = span_at(h, addr);
	const uint32_t i = s ? object_in(s, addr) : NO_OBJECT;

	return i != NO_OBJECT && bit_of(h->marked, s->first + i);
}

uint64_t heap_unreadable(const struct heap *h)
{
	return h->unreadable;
}

uint64_t heap_span_bytes(const struct heap *h)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < h->span_count; i++)
		bytes += span_bytes(&h->spans[i]);
	return bytes;
}

uint64_t heap_place_count(const struct heap *h)
{
	return h->object_count;
}
