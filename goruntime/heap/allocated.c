/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects are allocated (runtime/mheap.go mspan, 1.15 to 1.27): since a span was swept its free
 * index has only moved up; objects before it are allocated, of the others those whose bit is set. */
#include <string.h>

#include "goruntime/heap/heap_priv.h"

enum { OBJECTS_MAX = (64 << HEAP_PAGE_BITS) / WORD /* whose bits are read at once */ };

struct each {
	struct heap *heap;
	heap_object_fn *fn;
	void *arg;
};

static void give(const struct each *e, const struct span *s, uint32_t i)
{
	const struct heap_object o = { .addr = s->start + i * s->elem_size,
				       .size = s->elem_size,
				       .no_pointers = s->no_pointers };

	e->fn(e->arg, &o, bit_of(e->heap->marked, s->first + i));
}

static void give_span(const struct each *e, const struct span *s)
{
	uint8_t bits[OBJECTS_MAX / 8];
	const size_t len = (s->elems + 7) / 8;
	struct err ignored;

	if (len > sizeof(bits) || !s->alloc_bits ||
	    !target_read(e->heap->memory, s->alloc_bits, bits, len, &ignored)) {
		e->heap->unreadable += len;
		memset(bits, 0, sizeof(bits));
	}
	for (uint32_t i = 0; i < s->elems; i++)
		if (i < s->free_index ||
		    (i / 8 < sizeof(bits) && bits[i / 8] >> i % 8 & 1))
			give(e, s, i);
}

bool heap_each_allocated(struct heap *h, heap_object_fn *fn, void *arg, struct err *err)
{
	const struct each e = { h, fn, arg };

	if (!layout_has(&h->rt->layout, L_span_alloc_bits) ||
	    !layout_has(&h->rt->layout, L_span_free_index))
		return err_set(err, ERR_UNSUPPORTED,
			       "it is not known which objects are allocated");
	for (size_t i = 0; i < h->span_count; i++) {
		if (!heap_may_read(h, PAGE_BYTES))
			return err_set(err, ERR_LIMIT,
				       "the heap is too large to be read in that time");
		give_span(&e, &h->spans[i]);
	}
	return true;
}
