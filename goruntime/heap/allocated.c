/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects are allocated (runtime/mheap.go mspan, 1.15 to 1.27): since a span was swept its free
 * index has only moved up; objects before it are allocated, of the others those whose bit is set. */
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/object_types.h"

enum { OBJECTS_MAX = (64 << HEAP_PAGE_BITS) / WORD /* whose bits are read at once */ };

static bool is_known(const struct layout *l)
{
	return layout_has(l, L_span_alloc_bits) && layout_has(l, L_span_free_index);
}

static void read_span(struct heap *h, const struct span *s)
{
	uint8_t bits[OBJECTS_MAX / 8];
	const size_t len = (s->elems + 7) / 8;
	struct err ignored;

	if (len > sizeof(bits) || !s->alloc_bits ||
	    !target_read(h->memory, s->alloc_bits, bits, len, &ignored)) {
		h->unreadable += len;
		memset(bits, 0, sizeof(bits));
	}
	for (uint32_t i = 0; i < s->elems; i++)
		if (i < s->free_index ||
		    (i / 8 < sizeof(bits) && bits[i / 8] >> i % 8 & 1))
			h->allocated[(s->first + i) / 64] |= UINT64_C(1)
							     << (s->first + i) % 64;
}

void allocated_read(struct heap *h)
{
	if (!is_known(&h->rt->layout))
		return;
	h->allocated = xcalloc(h->object_count / 64 + 1, sizeof(*h->allocated));
	for (size_t i = 0; i < h->span_count && heap_may_read(h, PAGE_BYTES); i++)
		read_span(h, &h->spans[i]);
}

static void give_span(const struct heap *h, const struct span *s, heap_object_fn *fn,
		      void *arg)
{
	for (uint32_t i = 0; i < s->elems; i++) {
		const struct heap_object o = { .addr = s->start + i * s->elem_size,
					       .size = s->elem_size,
					       .no_pointers = s->no_pointers,
					       .type = h->types ? object_type_of(h, s, i)
								: 0 };
		if (bit_of(h->allocated, s->first + i))
			fn(arg, &o, bit_of(h->live ? h->live : h->marked, s->first + i));
	}
}

bool heap_each_allocated(struct heap *h, heap_object_fn *fn, void *arg, struct err *err)
{
	if (!h->allocated)
		return err_set(err, ERR_UNSUPPORTED,
			       "it is not known which objects are allocated");
	for (size_t i = 0; i < h->span_count; i++)
		give_span(h, &h->spans[i], fn, arg);
	return true;
}
