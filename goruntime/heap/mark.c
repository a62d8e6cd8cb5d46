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

static void mark(struct heap *h, uint64_t word)
{
	struct span *s = span_at(h, word);

	if (!s)
		return;
	const uint32_t i = object_in(s, word);
	if (i == NO_OBJECT)
		return;
	const uint64_t object = s->first + i, bit = UINT64_C(1) << object % 64;
	if (h->marked[object / 64] & bit ||
	    (h->allocated && !bit_of(h->allocated, object)))
		return;
	h->marked[object / 64] |= bit;
	if (s->watched)
		tell(h, object);
	if (!s->no_pointers && !s->queued)
		put_in_queue(h, s);
}

bool is_hidden(const struct heap *h, uint64_t at, uint64_t word)
{
	return h->hiding && (word == h->hidden_word || hidden_has(h, at));
}

void mark_pointer(struct heap *h, uint64_t at, uint64_t word)
{
	if (!is_hidden(h, at, word))
		mark(h, word);
}

void heap_mark_word(struct heap *h, uint64_t word)
{
	h->take(h, 0, word);
}

void mark_again(struct heap *h, struct span *s, uint32_t i)
{
	h->scanned[(s->first + i) / 64] &= ~(UINT64_C(1) << (s->first + i) % 64);
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

void heap_mark_range(struct heap *h, uint64_t addr, uint64_t len)
{
	const uint64_t end = addr + len;
	size_t n;

	for (; (n = piece_of(h, addr, end)) && read_piece(h, addr, n); addr += n)
		heap_mark_words(h, h->room, n);
	h->unreadable += addr < end ? end - addr : 0;
}

bool heap_mark(struct heap *h, struct err *err)
{
	while (h->queue_count && !h->gave_up)
		scan_span(h, take_from_queue(h));
	return !h->gave_up ||
	       err_set(err, ERR_LIMIT, "the heap is too large to be read in that time");
}

void unmark(struct heap *h)
{
	const size_t bytes = (h->object_count / 64 + 1) * sizeof(*h->marked);

	memset(h->marked, 0, bytes);
	memset(h->scanned, 0, bytes);
	xfree(TAKE(h->live));
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

bool heap_mark_garbage(struct heap *h, struct err *err)
{
	const size_t bytes = (h->object_count / 64 + 1) * sizeof(*h->marked);

	xfree(h->live);
	h->live = xmalloc(bytes);
	memcpy(h->live, h->marked, bytes);
	for (size_t i = 0;
	     h->allocated && i < h->span_count && heap_may_read(h, h->spans[i].elems);
	     i++)
		for (uint32_t n = 0; n < h->spans[i].elems; n++)
			heap_mark_word(h, h->spans[i].start + n * h->spans[i].elem_size);
	return heap_mark(h, err);
}
