/* SPDX-License-Identifier: Apache-2.0 */
/* Reads objects and finds the pointers in them. */
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/object_types.h"

static uint64_t arena_end(uint64_t addr)
{
	return ((addr >> ARENA_BITS) + 1) << ARENA_BITS;
}

bool read_piece(struct heap *h, uint64_t addr, size_t len)
{
	struct err ignored;

	if (!heap_may_read(h, len))
		return false;
	if (target_read(h->memory, addr, h->room, len, &ignored))
		return true;
	memset(h->room, 0, len);
	for (size_t at = 0, n; at < len; at += n) {
		n = PAGE_BYTES - (addr + at) % PAGE_BYTES;
		n = n < len - at ? n : len - at;
		if (!target_read(h->memory, addr + at, h->room + at, n, &ignored))
			h->unreadable += n;
	}
	return true;
}

size_t piece_of(const struct heap *h, uint64_t addr, uint64_t end)
{
	const struct target_mapping *map = target_mapping_at(h->memory, addr);

	if (!map || !map->readable || addr >= end)
		return 0;
	end = end < map->end ? end : map->end;
	end = end < arena_end(addr) ? end : arena_end(addr);
	return end - addr < ROOM_BYTES ? (size_t)(end - addr) : ROOM_BYTES;
}

/* An object, or a piece of one. */
struct piece {
	uint64_t object, addr;
	const uint8_t *bytes;
	size_t len;
	uint64_t type; /* of the object, as span and object say; 0: not known */
};

/* False: the object has no more pointers. */
static bool scan_piece(struct heap *h, const struct span *s, struct piece *p)
{
	const uint64_t header = s->map == MAP_HEADER ? WORD : 0;
	const bool begins = p->addr == p->object;

	if (begins)
		h->object_addr = p->object + header;
	if (s->map == MAP_SPAN || s->map == MAP_ARENA || s->map == MAP_NONE)
		return pointer_map_each(h, p->addr, p->bytes, p->len, begins);
	if (begins && header)
		memcpy(&p->type, p->bytes, WORD);
	const struct type_mask *mask = pointer_mask(h, p->type, s->elem_size - header);
	if (mask && begins)
		object_types_header(h, s, h->object, p->type);
	if (mask) {
		pointer_mask_each(h, mask, p->object + header, p->addr, p->bytes, p->len);
		return true;
	}
	pointer_map_guess(h, p->addr);
	return pointer_map_each(h, p->addr, p->bytes, p->len, begins);
}

static void find_hidden(struct heap *h, const struct span *s, const struct piece *p)
{
	h->hiding = hidden_may_be_in(h, s);
	if (h->hiding)
		h->hidden_word = hidden_word(h, s, p->bytes, p->len);
}

/* An object that is not in h->room. */
static void scan_alone(struct heap *h, const struct span *s, uint64_t addr)
{
	const uint64_t end = addr + s->elem_size;
	struct piece p = {
		.object = addr, .addr = addr, .bytes = h->room, .type = s->large_type
	};

	for (; (p.len = piece_of(h, p.addr, end)) && read_piece(h, p.addr, p.len);
	     p.addr += p.len) {
		pointer_map_load(h, s, p.addr, p.len, false);
		if (p.addr == addr)
			find_hidden(h, s, &p);
		if (!scan_piece(h, s, &p))
			return;
	}
	h->unreadable += end - p.addr;
}

static void scan_in_room(struct heap *h, const struct span *s, uint64_t off)
{
	struct piece p = { .object = s->start + off,
			   .addr = s->start + off,
			   .bytes = h->room + off,
			   .len = s->elem_size,
			   .type = s->large_type };

	find_hidden(h, s, &p);
	(void)scan_piece(h, s, &p);
}

/* The next object of the span, from i on, that is marked and not scanned; s->elems: none. */
static uint32_t next_to_scan(const struct heap *h, const struct span *s, uint32_t i)
{
	while (i < s->elems) {
		const uint64_t object = s->first + i;
		const uint64_t bits =
			(h->marked[object / 64] & ~h->scanned[object / 64]) >>
			object % 64;
		const uint32_t skip =
			bits ? (uint32_t)__builtin_ctzll(bits) : 64 - object % 64;
		i += skip;
		if (bits)
			return i < s->elems ? i : s->elems;
	}
	return s->elems;
}

/* Are there so many that one read of the whole span is cheaper? Then that is done. */
static bool read_whole(struct heap *h, const struct span *s)
{
	enum { READ_COSTS = 4096 /* bytes that are copied in that time */ };
	uint64_t alone = 0, whole = READ_COSTS + span_bytes(s);

	if (span_bytes(s) > ROOM_BYTES || s->start + span_bytes(s) > arena_end(s->start))
		return false;
	for (uint32_t i = next_to_scan(h, s, 0); i < s->elems && alone < whole;
	     i = next_to_scan(h, s, i + 1))
		alone += READ_COSTS + s->elem_size;
	if (alone < whole)
		return false;
	return read_piece(h, s->start, span_bytes(s));
}

/* Objects that this marks in the same span are scanned with it if its bytes are there; otherwise it is
 * in the queue again. */
void scan_span(struct heap *h, struct span *s)
{
	const bool whole = read_whole(h, s);

	h->object_span = s;
	s->queued = whole;
	if (whole)
		pointer_map_load(h, s, s->start, span_bytes(s), true);
	for (bool more = true, again = false; more; again = true) {
		more = false;
		for (uint32_t i = next_to_scan(h, s, 0); i < s->elems;
		     i = next_to_scan(h, s, i + 1)) {
			const uint64_t object = s->first + i, off = i * s->elem_size;
			if (again && !heap_may_read(h, s->elem_size))
				break;
			h->scanned[object / 64] |= UINT64_C(1) << object % 64;
			h->object = object;
			if (whole)
				scan_in_room(h, s, off);
			else
				scan_alone(h, s, s->start + off);
			more = whole;
		}
	}
	if (whole)
		s->queued = false;
	h->object = NO_SCAN;
	h->hiding = false;
}
