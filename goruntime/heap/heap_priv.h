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

/* More than this is no address: so no sum overflows. */
#define ADDRESS_END (UINT64_C(1) << 48)

/* How it is known which words of a span's objects are pointers. */
enum pointer_map {
	MAP_NONE,
	MAP_ARENA,    /* by a bitmap of the arena */
	MAP_SPAN,     /* at the end of the span */
	MAP_HEADER,   /* by the type that each object begins with */
	MAP_SPAN_TYPE /* by the type that the span has for its only object */
};

/* Of objects in use: not free, and no stack. */
struct span {
	uint64_t start, elem_size;
	uint64_t first; /* of its objects, among all */
	uint64_t specials;
	uint64_t alloc_bits; /* address of a bit for each object; 0: not known */
	uint64_t large_type; /* of its only object */
	uint32_t pages, elems;
	uint32_t free_index; /* those before are allocated, others if their bit is set */
	uint32_t reciprocal; /* of elem_size, times 2^32 */
	uint8_t class;	     /* as the runtime numbers them */
	uint8_t map;	     /* enum pointer_map */
	bool no_pointers;
	bool queued;  /* has objects that are marked and not scanned */
	bool hidden;  /* has words that are not followed */
	bool watched; /* has objects that are watched */
	bool waits;   /* breadth_first.c: has objects of the next distance */
};

struct type_mask;

struct watched {
	uint64_t object; /* its number among all */
	size_t i;
};

struct heap {
	struct runtime *rt;
	struct target *memory;
	uint64_t mheap;	    /* the address of runtime.mheap_ */
	struct span *spans; /* sorted by address; they do not overlap */
	size_t span_count;
	uint64_t low, size; /* of the addresses that they are in */
	uint32_t **arenas;  /* for each page of an arena, 1 + index of its span, or 0 */
	uint64_t object_count;

	uint64_t *allocated;	    /* bits; NULL: not known */
	uint64_t *marked, *scanned; /* bits */
	/* Is called for each pointer in an object that is scanned; at: where it is. */
	void (*take)(struct heap *h, uint64_t at, uint64_t word);
	struct pointer_maps *maps;
	struct object_types *types; /* NULL: not wanted */
	uint64_t *live; /* what is marked without garbage; NULL: all that is */
	/* What is scanned: an object, by its number and where its value begins, or NO_SCAN. */
	uint64_t object, object_addr;
	const struct span *object_span;
	uint64_t before;  /* the word before the pointer */
	size_t goroutine; /* 1 + its index, while its stack is read; 0: none is */
	struct retaining *retaining;
	struct searching *searching;
	uint32_t *queue; /* a ring of span_count spans */
	size_t queue_first, queue_count;
	uint8_t *room; /* ROOM_BYTES: a span, or a part of an object */
	struct heap_limits limits;
	uint64_t until_ns; /* of processor_ns(); 0: for ever */
	uint64_t bytes_read, bytes_at_look, unreadable;
	bool gave_up;

	struct extent *hidden;
	size_t hidden_count, hidden_cap;
	bool hiding;		 /* the object that is scanned may have such words */
	uint64_t hidden_word;	 /* a value of such words in it; 0: none */
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
#define NO_SCAN UINT64_MAX

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
/* For what takes time and reads nothing. */
bool heap_is_in_time(const struct heap *h);

/* spans.c */
bool heap_spans_known(const struct layout *l);
/* The address of runtime.mheap_, looked for once; 0: not found. */
uint64_t heap_find(struct runtime *rt);
/* The span whose mspan is at addr. False: it is not one of objects, or damaged. */
bool heap_span_at(struct runtime *rt, uint64_t addr, struct span *ret);
MUST_CHECK bool spans_read(struct heap *h, struct err *err);

/* allocated.c */
void allocated_read(struct heap *h);

/* scan.c. Reads a piece of memory to h->room, or what can be read of it: the rest is zero. False: it gave
 * up. */
MUST_CHECK bool read_piece(struct heap *h, uint64_t addr, size_t len);
/* How much of [addr, end) is read at once; 0: nothing is there. */
size_t piece_of(const struct heap *h, uint64_t addr, uint64_t end);
/* Calls h->take for the pointers of all objects of the span that are marked and not scanned. */
void scan_span(struct heap *h, struct span *s);

/* pointer_map.c */
/* The address of the heapArena that addr is in; 0: none. False: not read. */
bool heap_arena(struct runtime *rt, struct target *memory, uint64_t heap, uint64_t addr,
		uint64_t *ret);
void pointer_maps_open(struct heap *h);
void pointer_maps_close(struct heap *h);
enum pointer_map pointer_map_of(const struct layout *l, const struct span *s);
/* For pointer_map_each(), in [addr, addr + len). in_room: the whole span is in h->room. */
void pointer_map_load(struct heap *h, const struct span *s, uint64_t addr, size_t len,
		      bool in_room);
/* The same if nothing is known. */
void pointer_map_guess(struct heap *h, uint64_t addr);
/* Calls h->take for the pointers in a piece of an object. begins: it is the first one. False: the object
 * has no more. */
bool pointer_map_each(struct heap *h, uint64_t addr, const uint8_t *bytes, size_t len,
		      bool begins);
/* The same by the type of an object, or of the elements of an array that begins at first. room: bytes of
 * the object. NULL: it cannot be the type of such an object. */
const struct type_mask *pointer_mask(struct heap *h, uint64_t type, uint64_t room);
void pointer_mask_each(struct heap *h, const struct type_mask *mask, uint64_t first,
		       uint64_t addr, const uint8_t *bytes, size_t len);

/* mark.c. Is that a word that is not followed? */
bool is_hidden(const struct heap *h, uint64_t at, uint64_t word);
/* For h->take. */
void mark_pointer(struct heap *h, uint64_t at, uint64_t word);
/* Forgets what was marked before. */
void unmark(struct heap *h);
/* A marked object is to be scanned again. */
void mark_again(struct heap *h, struct span *s, uint32_t i);

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
struct object_type;
/* What the pointer at that address refers to, on the stack that is read. False: not known. */
bool stack_type_at(const struct heap *h, uint64_t at, struct object_type *ret);

#endif
