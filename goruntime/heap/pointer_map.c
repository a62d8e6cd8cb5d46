/* SPDX-License-Identifier: Apache-2.0 */
/* Which words of an object are pointers, as the collector knows it (runtime/mbitmap.go). Up to 1.21 arenas
 * have bitmaps: two bits for each word, pointer and "there are more" (up to 1.19), or one. From 1.22 on
 * small objects have theirs at the end of the span, before the mark bits if those are there too (Green Tea);
 * larger ones begin with their type, and the largest have it in their span: its bits are repeated. What
 * does not look so is read conservatively. */
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "lib/base/limit.h"
#include "lib/base/table.h"

enum {
	WORDS_A_CHUNK = 64,
	CHUNK_BYTES = WORDS_A_CHUNK * WORD,
	/* runtime/malloc.go minSizeForMallocHeader */
	SMALL_BYTES = 512,
	/* runtime/mgcmark_greenteagc.go spanInlineMarkBits; its last byte is the span's class */
	MARK_BYTES = 128,
	/* internal/abi/type.go; runtime/type.go up to 1.20 has the same */
	TYPE_BYTES = 48,
	TYPE_SIZE = 0,
	TYPE_POINTER_BYTES = 1,
	TYPE_FLAGS = 20,
	TYPE_KIND = 23,
	TYPE_POINTERS = 4,
	/* TFlagGCMaskOnDemand: its bits are where the word is that it points to. Types that 1.22 and 1.23
	 * make up for a span have it too, but no kind. */
	MASK_ON_DEMAND = 16,
	KINDS = 32,
	TYPES_MAX = 1 << 16,
};
#define MASK_BYTES_MAX (UINT64_C(64) << 20) /* of all types */

struct type_mask {
	uint64_t size, chunks;
	uint64_t bits[];
};

struct pointer_maps {
	struct table types; /* from a type's address to 1 + its index */
	struct type_mask **masks;
	size_t count, cap;
	uint64_t bytes;
	uint64_t *arenas; /* for each, the address of its bitmap; 1: not yet known */
	uint64_t base;	  /* of the address that bit 0 is for */
	uint64_t bits[ROOM_BYTES / CHUNK_BYTES + 2];
	/* Of the same words. Up to 1.19: without it the object has no more. */
	uint64_t more[ROOM_BYTES / CHUNK_BYTES + 2];
	bool has_more;
};

void pointer_maps_open(struct heap *h)
{
	h->maps = xcalloc(1, sizeof(*h->maps));
	h->maps->has_more = !layout_has(&h->rt->layout, L_span_large_type) &&
			    !layout_has(&h->rt->layout, L_arena_no_more);
	h->maps->arenas = xcalloc((h->size >> ARENA_BITS) + 1, sizeof(*h->maps->arenas));
	for (uint64_t i = 0; i <= h->size >> ARENA_BITS; i++)
		h->maps->arenas[i] = 1;
}

void pointer_maps_close(struct heap *h)
{
	if (!h->maps)
		return;
	for (size_t i = 0; i < h->maps->count; i++)
		xfree(h->maps->masks[i]);
	xfree(h->maps->masks);
	xfree(h->maps->arenas);
	table_free(&h->maps->types);
	xfree(h->maps);
}

static uint64_t bitmap_bytes(const struct span *s)
{
	return span_bytes(s) / WORD / 8;
}

enum pointer_map pointer_map_of(const struct layout *l, const struct span *s)
{
	const bool small = s->elem_size <= SMALL_BYTES;

	if (!layout_has(l, L_span_large_type))
		return layout_has(l, L_mheap_arenas) ? MAP_ARENA : MAP_NONE;
	if (small)
		return s->elems * s->elem_size + bitmap_bytes(s) <= span_bytes(s) &&
				       span_bytes(s) <= ROOM_BYTES
			       ? MAP_SPAN
			       : MAP_NONE;
	return s->elems > 1 || s->class > 1 ? MAP_HEADER : MAP_SPAN_TYPE;
}

void pointer_map_guess(struct heap *h, uint64_t addr)
{
	struct pointer_maps *m = h->maps;

	m->base = addr;
	memset(m->bits, 0xff, sizeof(m->bits));
	memset(m->more, 0xff, sizeof(m->more));
}

/* in_room: the whole span is in h->room. */
static void load_from_span(struct heap *h, const struct span *s, bool in_room)
{
	uint8_t bytes[ROOM_BYTES / WORD / 8 + MARK_BYTES];
	const size_t size = (size_t)bitmap_bytes(s), both = size + MARK_BYTES;
	const uint8_t *tail = h->room + span_bytes(s) - both;
	struct err ignored;

	if (!in_room && (!heap_may_read(h, both) ||
			 !target_read(h->memory, s->start + span_bytes(s) - both, bytes,
				      both, &ignored))) {
		pointer_map_guess(h, s->start);
		return;
	}
	tail = in_room ? tail : bytes;
	h->maps->base = s->start;
	memcpy(h->maps->bits, tail[both - 1] == s->class ? tail : tail + MARK_BYTES,
	       size);
}

/* Linux on amd64 has its addresses from the middle of the list on (runtime/malloc.go arenaBaseOffset). */
bool heap_arena(struct runtime *rt, struct target *memory, uint64_t heap, uint64_t addr,
		uint64_t *ret)
{
	const bool amd64 = target_arch(memory) == &arch_amd64;
	const uint64_t i = (addr >> ARENA_BITS) + (amd64 ? 1 << 21 : 0),
		       arenas = heap + (uint64_t)rt->layout.slot[L_mheap_arenas].off;
	uint64_t list;
	struct err ignored;

	*ret = 0;
	return addr >= ADDRESS_END ||
	       (target_search(memory, arenas, &list, WORD, &ignored) &&
		target_search(memory, list + i * WORD, ret, WORD, &ignored));
}

/* Up to 1.21 it is the first that an arena has. */
static uint64_t arena_bitmap(struct heap *h, uint64_t addr)
{
	uint64_t *arena = &h->maps->arenas[(addr - h->low) >> ARENA_BITS];

	if (*arena == 1 && !heap_arena(h->rt, h->memory, h->mheap, addr, arena))
		*arena = 0;
	return *arena;
}

static uint64_t every_fourth_four(const uint8_t *bytes, unsigned shift)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < WORDS_A_CHUNK / 4; i++)
		bits |= (uint64_t)(bytes[i] >> shift & 15) << 4 * i;
	return bits;
}

/* [addr, addr + len) is in one arena. */
static void load_from_arena(struct heap *h, uint64_t addr, size_t len)
{
	struct pointer_maps *m = h->maps;
	const uint64_t base = addr / CHUNK_BYTES * CHUNK_BYTES,
		       bitmap = arena_bitmap(h, addr),
		       chunk = base % (UINT64_C(1) << ARENA_BITS) / CHUNK_BYTES;
	const size_t n = (addr + len - base + CHUNK_BYTES - 1) / CHUNK_BYTES,
		     bytes = WORDS_A_CHUNK / 8 * (m->has_more ? 2 : 1);
	uint8_t both[sizeof(m->bits) * 2];
	struct err ignored;

	if (!bitmap || !heap_may_read(h, n * bytes) ||
	    !target_read(h->memory, bitmap + chunk * bytes,
			 m->has_more ? both : (uint8_t *)m->bits, n * bytes, &ignored)) {
		pointer_map_guess(h, addr);
		return;
	}
	m->base = base;
	for (size_t i = 0; m->has_more && i < n; i++) {
		m->bits[i] = every_fourth_four(both + i * bytes, 0);
		m->more[i] = every_fourth_four(both + i * bytes, 4);
	}
}

void pointer_map_load(struct heap *h, const struct span *s, uint64_t addr, size_t len,
		      bool in_room)
{
	switch (s->map) {
	case MAP_SPAN:
		load_from_span(h, s, in_room);
		break;
	case MAP_ARENA:
		load_from_arena(h, addr, len);
		break;
	case MAP_NONE:
		pointer_map_guess(h, addr);
	}
}

/* Where the bits of a type are. 0: it cannot be that of such an object. */
static uint64_t mask_of(struct heap *h, const uint64_t *type, uint64_t room)
{
	const uint8_t *bytes = (const uint8_t *)type;
	const uint64_t size = type[TYPE_SIZE], used = type[TYPE_POINTER_BYTES];
	uint64_t at = type[TYPE_POINTERS];
	struct err ignored;

	if (!size || size % WORD || size > room || used % WORD || used > size)
		return 0;
	if (bytes[TYPE_FLAGS] & MASK_ON_DEMAND && bytes[TYPE_KIND] % KINDS &&
	    !target_read_uint(h->memory, at, WORD, &at, &ignored))
		return 0;
	return at;
}

static struct type_mask *read_mask(struct heap *h, uint64_t addr, uint64_t room)
{
	uint64_t type[TYPE_BYTES / WORD];
	struct err ignored;

	if (!heap_may_read(h, PAGE_BYTES) ||
	    !target_read(h->memory, addr, type, sizeof(type), &ignored))
		return NULL;
	const uint64_t at = mask_of(h, type, room),
		       words = type[TYPE_POINTER_BYTES] / WORD,
		       chunks = (words + WORDS_A_CHUNK - 1) / WORDS_A_CHUNK;
	if (!at || h->maps->bytes + chunks * WORD > MASK_BYTES_MAX)
		return NULL;
	h->maps->bytes += chunks * WORD;
	AUTO(xfree)
	struct type_mask *mask = xcalloc(1, sizeof(*mask) + (chunks + 1) * WORD);
	mask->size = type[TYPE_SIZE];
	mask->chunks = chunks;
	if (!heap_may_read(h, words / 8) ||
	    !target_read(h->memory, at, mask->bits, (words + 7) / 8, &ignored))
		return NULL;
	if (words % WORDS_A_CHUNK)
		mask->bits[chunks - 1] &= (UINT64_C(1) << words % WORDS_A_CHUNK) - 1;
	return TAKE(mask);
}

const struct type_mask *pointer_mask(struct heap *h, uint64_t type, uint64_t room)
{
	struct pointer_maps *m = h->maps;
	uint64_t i = table_get(&m->types, type, 0);

	if (!i) {
		if (!type || type % WORD || m->count == TYPES_MAX)
			return NULL;
		GROW(m->masks, m->count, m->cap);
		m->masks[m->count++] = read_mask(h, type, room);
		i = m->count;
		table_set(&m->types, type, 0, i);
	}
	const struct type_mask *mask = m->masks[i - 1];
	return mask && mask->size <= room ? mask : NULL;
}

static void give(struct heap *h, uint64_t addr, const uint8_t *bytes, size_t off)
{
	uint64_t word;

	memcpy(&word, bytes + off, WORD);
	h->before = 0;
	if (off >= WORD)
		memcpy(&h->before, bytes + off - WORD, WORD);
	h->take(h, addr + off, word);
}

bool pointer_map_each(struct heap *h, uint64_t addr, const uint8_t *bytes, size_t len,
		      bool begins)
{
	const struct pointer_maps *m = h->maps;

	for (size_t i = 0; i + WORD <= len;) {
		const uint64_t bit = (addr + i - m->base) / WORD;
		const uint64_t chunk =
			m->bits[bit / WORDS_A_CHUNK] >> bit % WORDS_A_CHUNK;
		/* Of the second word it was used otherwise (runtime/mgcmark.go scanobject, 1.15). */
		if (m->has_more && !(begins && i == WORD) && !bit_of(m->more, bit))
			return false;
		if (!chunk) {
			i += (m->has_more ? 1 : WORDS_A_CHUNK - bit % WORDS_A_CHUNK) *
			     WORD;
			continue;
		}
		const size_t skip =
			m->has_more ? !(chunk & 1) : (size_t)__builtin_ctzll(chunk);
		i += skip * WORD;
		if (skip)
			continue;
		give(h, addr, bytes, i);
		i += WORD;
	}
	return true;
}

void pointer_mask_each(struct heap *h, const struct type_mask *mask, uint64_t first,
		       uint64_t addr, const uint8_t *bytes, size_t len)
{
	const uint64_t end = addr + len;
	uint64_t elem =
		first + (addr > first ? (addr - first) / mask->size * mask->size : 0);

	for (; mask->chunks && elem < end; elem += mask->size) {
		uint64_t chunk = addr > elem ? (addr - elem) / CHUNK_BYTES : 0;
		for (; chunk < mask->chunks && elem + chunk * CHUNK_BYTES < end; chunk++)
			for (uint64_t bits = mask->bits[chunk]; bits; bits &= bits - 1) {
				const uint64_t at =
					elem + chunk * CHUNK_BYTES +
					(uint64_t)__builtin_ctzll(bits) * WORD;
				if (at < addr || at + WORD > end)
					continue;
				give(h, addr, bytes, at - addr);
			}
	}
}
