/* SPDX-License-Identifier: Apache-2.0 */
/* Marking. A span with objects to scan waits in a queue: by the time it is read, most of what refers to
 * its objects has been seen, so that one read serves many. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap_priv.h"

static void put_in_queue(struct heap *h, struct span *s)
{
	size_t at = h->queue_first + h->queue_count++;

	if (at >= h->span_count)
		at -= h->span_count;
	h->queue[at] = (uint32_t)(s - h->spans);
	s->queued = true;
}

static struct span *take_from_queue(struct heap *h)
{
	struct span *s = &h->spans[h->queue[h->queue_first]];

	if (++h->queue_first == h->span_count)
		h->queue_first = 0;
	h->queue_count--;
	s->queued = false;
	return s;
}

static void tell(struct heap *h, uint64_t object)
{
	size_t i = LOWER_BOUND(w, h->watched_count, h->watched[w].object < object);

	for (; i < h->watched_count && h->watched[i].object == object; i++)
		h->on_marked(h->on_marked_arg, h->watched[i].i);
}

void heap_mark_word(struct heap *h, uint64_t word)
{
	struct span *s = span_at(h, word);

	if (!s)
		return;
	const uint32_t i = object_in(s, word);
	if (i == NO_OBJECT)
		return;
	const uint64_t object = s->first + i, bit = UINT64_C(1) << object % 64;
	if (h->marked[object / 64] & bit)
		return;
	h->marked[object / 64] |= bit;
	if (s->watched)
		tell(h, object);
	if (!s->no_pointers && !s->queued)
		put_in_queue(h, s);
}

void heap_mark_words(struct heap *h, const void *bytes, size_t len)
{
	uint64_t word;

	for (size_t i = 0; i + WORD <= len; i += WORD) {
		memcpy(&word, (const uint8_t *)bytes + i, WORD);
		heap_mark_word(h, word);
	}
}

/* Reads a piece to h->room, or what can be read of it: the rest is zero. False: it gave up. */
static bool read_piece(struct heap *h, uint64_t addr, size_t len)
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

/* How much of [addr, end) is read at once; 0: nothing is there. */
static size_t piece_of(const struct heap *h, uint64_t addr, uint64_t end)
{
	const struct target_mapping *map = target_mapping_at(h->memory, addr);

	if (!map || !map->readable || addr >= end)
		return 0;
	end = end < map->end ? end : map->end;
	return end - addr < ROOM_BYTES ? (size_t)(end - addr) : ROOM_BYTES;
}

void heap_mark_range(struct heap *h, uint64_t addr, uint64_t len)
{
	const uint64_t end = addr + len;
	size_t n;

	for (; (n = piece_of(h, addr, end)) && read_piece(h, addr, n); addr += n)
		heap_mark_words(h, h->room, n);
	h->unreadable += addr < end ? end - addr : 0;
}

static void scan_object(struct heap *h, const struct span *s, uint64_t addr,
			const uint8_t *bytes, size_t len)
{
	uint64_t word, hidden;

	if (!hidden_may_be_in(h, s)) {
		heap_mark_words(h, bytes, len);
		return;
	}
	hidden = hidden_word(h, s, bytes, len);
	for (size_t i = 0; i + WORD <= len; i += WORD) {
		memcpy(&word, bytes + i, WORD);
		if (word != hidden && !(s->hidden && hidden_has(h, addr + i)))
			heap_mark_word(h, word);
	}
}

/* An object that is not in h->room. */
static void scan_alone(struct heap *h, const struct span *s, uint64_t addr)
{
	const uint64_t end = addr + s->elem_size;
	size_t n;

	for (; (n = piece_of(h, addr, end)) && read_piece(h, addr, n); addr += n)
		scan_object(h, s, addr, h->room, n);
	h->unreadable += end - addr;
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

	if (span_bytes(s) > ROOM_BYTES)
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
static void scan_span(struct heap *h, struct span *s)
{
	const bool whole = read_whole(h, s);

	s->queued = whole;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = next_to_scan(h, s, 0); i < s->elems;
		     i = next_to_scan(h, s, i + 1)) {
			const uint64_t object = s->first + i, off = i * s->elem_size;
			h->scanned[object / 64] |= UINT64_C(1) << object % 64;
			if (whole)
				scan_object(h, s, s->start + off, h->room + off,
					    s->elem_size);
			else
				scan_alone(h, s, s->start + off);
			more = whole;
		}
	}
	if (whole)
		s->queued = false;
}

bool heap_mark(struct heap *h, struct err *err)
{
	while (h->queue_count && !h->gave_up)
		scan_span(h, take_from_queue(h));
	return !h->gave_up ||
	       err_set(err, ERR_LIMIT, "the heap is too large to be read in that time");
}

static int by_object(const void *a, const void *b)
{
	const struct watched *x = a, *y = b;

	return (x->object > y->object) - (x->object < y->object);
}

void heap_watch(struct heap *h, const uint64_t *addrs, size_t n,
		void (*fn)(void *arg, size_t i), void *arg)
{
	xfree(h->watched);
	h->watched = xcalloc(n + 1, sizeof(*h->watched));
	h->watched_count = 0;
	h->on_marked = fn;
	h->on_marked_arg = arg;
	for (size_t i = 0; i < n; i++) {
		struct span *s = span_at(h, addrs[i]);
		const uint32_t object = s ? object_in(s, addrs[i]) : NO_OBJECT;
		if (object == NO_OBJECT)
			continue;
		s->watched = true;
		h->watched[h->watched_count++] = (struct watched){ s->first + object, i };
	}
	qsort(h->watched, h->watched_count, sizeof(*h->watched), by_object);
}
