/* SPDX-License-Identifier: Apache-2.0 */
/* heap_priv.h - the spans of the heap and the marks, shared by the files of goruntime/heap.
 * Nothing in a span is trusted: what is kept of them is consistent in itself. */
#ifndef GOSNAP_HEAP_PRIV_H
#define GOSNAP_HEAP_PRIV_H

#include "goruntime/heap/heap.h"
#include "lib/base/search.h"

/* runtime/malloc.go (1.15 to 1.27): pages of 8 KB, arenas of 64 MB. */
enum {
	HEAP_PAGE_BITS = 13,
	ARENA_BITS = 26,
	ARENA_PAGES = 1 << (ARENA_BITS - HEAP_PAGE_BITS)
};

/* Of objects in use: not free, and no stack. */
struct span {
	uint64_t start, elem_size;
	uint64_t first; /* of its objects, among all */
	uint64_t specials;
	uint64_t alloc_bits; /* address of a bit for each object; 0: not known */
	uint32_t pages, elems;
	uint32_t free_index; /* those before are allocated, others if their bit is set */
	uint32_t reciprocal; /* of elem_size, times 2^32 */
	bool no_pointers;
	bool queued;  /* has objects that are marked and not scanned */
	bool hidden;  /* has words that are not followed */
	bool watched; /* has objects that are watched */
};

struct watched {
	uint64_t object; /* its number among all */
	size_t i;
};

struct heap {
	struct runtime *rt;
	struct target *memory;
	struct span *spans; /* sorted by address; they do not overlap */
	size_t span_count;
	uint64_t low, size; /* of the addresses that they are in */
	uint32_t **arenas;  /* for each page of an arena, 1 + index of its span, or 0 */
	uint64_t object_count;

	uint64_t *marked, *scanned; /* bits */
	uint32_t *queue;	    /* a ring of span_count spans */
	size_t queue_first, queue_count;
	uint8_t *room; /* ROOM_BYTES: a span, or a part of an object */
	struct heap_limits limits;
	uint64_t until_ns; /* 0: for ever */
	uint64_t bytes_read, bytes_at_look, unreadable;
	bool gave_up;

	struct extent *hidden; /* sorted */
	size_t hidden_count, hidden_cap;
	const uint64_t *waiting; /* heap_hide_waits() */
	size_t waiting_count;
	struct watched *watched; /* sorted by object */
	size_t watched_count;
	void (*on_marked)(void *arg, size_t i);
	void *on_marked_arg;
	struct stack_plan *plan; /* of the stack that was read last */
};

struct extent {
	uint64_t addr, end;
};

enum { ROOM_BYTES = 1 << 18, NO_OBJECT = UINT32_MAX };

static inline uint64_t span_bytes(const struct span *s)
{
	return (uint64_t)s->pages << HEAP_PAGE_BITS;
}

static inline struct span *span_at(const struct heap *h, uint64_t addr)
{
	const uint64_t off = addr - h->low;

	if (off >= h->size)
		return NULL;
	const uint32_t *pages = h->arenas[off >> ARENA_BITS];
	const uint32_t i = pages ? pages[off >> HEAP_PAGE_BITS & (ARENA_PAGES - 1)] : 0;
	return i ? &h->spans[i - 1] : NULL;
}

/* The index of the object in its span; NO_OBJECT: behind the last one. */
static inline uint32_t object_in(const struct span *s, uint64_t addr)
{
	if (s->elems == 1)
		return 0;
	const uint32_t i = (uint32_t)((addr - s->start) * s->reciprocal >> 32);
	return i < s->elems ? i : NO_OBJECT;
}

static inline bool bit_of(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* heap.c: to be asked before a read. False: a limit is reached. */
MUST_CHECK bool heap_may_read(struct heap *h, uint64_t len);

/* spans.c */
MUST_CHECK bool spans_read(struct heap *h, struct err *err);

/* hidden.c: words of the runtime that name objects without keeping them. */
void hidden_find(struct heap *h);
bool hidden_has(const struct heap *h, uint64_t addr);
/* Judging by their size, may objects of this span have such words? */
bool hidden_may_be_in(const struct heap *h, const struct span *s);
/* The value of such words in the object, beside those of hidden_has(); 0: none. */
uint64_t hidden_word(const struct heap *h, const struct span *s, const uint8_t *bytes,
		     size_t len);

/* stack_roots.c */
void stack_plan_free(struct stack_plan *plan);

#endif
