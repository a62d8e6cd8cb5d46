/* SPDX-License-Identifier: Apache-2.0 */
/* Roots that are not stacks: global variables, and what hangs on objects; and all roots. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/object_types.h"
#include "lib/base/limit.h"

enum {
	PIECE = 1 << 16, /* bytes of variables read at once */
	/* Bytes of a special: the largest is a finalizer's. */
	SPECIAL_BYTES = 56,
	/* Before what it is for. */
	SPECIAL_HEAD = 16,
	/* What a finalizer's special has behind its head, in words: its function, and the type of the
	 * pointer that it was set for. */
	FINALIZER_FUNCTION = 0,
	FINALIZER_TYPE = 3,
};

/* bits: which of the words may be pointers; NULL: all. */
static void mark_piece(struct heap *h, uint64_t at, const uint64_t *words, size_t n,
		       const uint8_t *bits)
{
	for (size_t i = 0; i < n; i++) {
		if (bits && !(bits[i / 8] >> i % 8 & 1))
			continue;
		h->before = i ? words[i - 1] : 0;
		h->take(h, at + i * WORD, words[i]);
	}
}

/* The variables in [from, end); bits: address of a bit for each word, or 0. */
static void mark_variables(struct heap *h, uint64_t from, uint64_t end, uint64_t bits)
{
	AUTO(xfree) uint64_t *words = xmalloc(PIECE);
	uint8_t mask[PIECE / WORD / 8];
	struct err ignored;

	end = target_scan_end(from, end);
	for (uint64_t at = from; at < end && heap_may_read(h, PIECE); at += PIECE) {
		const size_t len = end - at < PIECE ? (size_t)(end - at) : PIECE;
		const size_t mask_len = (len / WORD + 7) / 8;
		const bool exact =
			bits && target_read(h->memory, bits + (at - from) / WORD / 8,
					    mask, mask_len, &ignored);
		if (target_read(h->memory, at, words, len, &ignored))
			mark_piece(h, at, words, len / WORD, exact ? mask : NULL);
		else
			h->unreadable += len;
	}
}

static uint64_t word_of(struct heap *h, const struct module *m, enum layout_slot slot)
{
	uint64_t word = 0;
	struct err ignored;

	return layout_has(&h->rt->layout, slot) &&
			       layout_load(&h->rt->layout, h->memory, m->addr, slot,
					   &word, &ignored)
		       ? word
		       : 0;
}

void heap_mark_globals(struct heap *h)
{
	for (size_t i = 0; i < modules_count(h->rt->modules); i++) {
		const struct module *m = modules_get(h->rt->modules, i);
		const uint64_t data = word_of(h, m, L_md_data);

		if (data && data < m->edata)
			mark_variables(h, data, m->edata, word_of(h, m, L_md_gcdatamask));
		mark_variables(h, m->bss, m->ebss, word_of(h, m, L_md_gcbssmask));
	}
}

/* What its object refers to is kept, but not the object (runtime/mgcmark.go markrootSpans). */
static void mark_finalized(struct heap *h, const struct span *s, uint64_t off)
{
	const uint32_t i = off < span_bytes(s) ? object_in(s, s->start + off) : NO_OBJECT;

	if (i != NO_OBJECT && !s->no_pointers)
		heap_mark_range(h, s->start + i * s->elem_size, s->elem_size);
}

static uint64_t finalizer_word(const struct layout *l, const uint8_t *bytes, size_t i)
{
	const struct slot kind = l->slot[L_special_kind];
	const size_t head = ((size_t)kind.off + WORD) / WORD * WORD;
	uint64_t word = 0;

	if (head + (i + 1) * WORD <= SPECIAL_BYTES)
		memcpy(&word, bytes + head + i * WORD, WORD);
	return word;
}

/* It says of which type its object is. */
static void type_finalized(struct heap *h, const struct span *s, uint64_t off,
			   const uint8_t *bytes)
{
	const struct layout *l = &h->rt->layout;

	if (off < span_bytes(s))
		object_types_pointer(h, s->start + off,
				     finalizer_word(l, bytes, FINALIZER_TYPE));
	object_types_closure(h, finalizer_word(l, bytes, FINALIZER_FUNCTION));
}

static void mark_specials_of(struct heap *h, const struct span *s)
{
	const struct layout *l = &h->rt->layout;
	const uint64_t finalizer = (uint64_t)l->slot[L_special_finalizer].off;
	uint8_t bytes[SPECIAL_BYTES];
	struct err ignored;
	uint64_t at = s->specials, off;

	for (uint32_t n = 0; at && n < LIMIT_SPECIALS; n++) {
		if (!heap_may_read(h, PAGE_BYTES))
			return;
		if (!target_read(h->memory, at, bytes, sizeof(bytes), &ignored)) {
			h->unreadable += sizeof(bytes);
			return;
		}
		heap_mark_words(h, bytes + SPECIAL_HEAD, sizeof(bytes) - SPECIAL_HEAD);
		off = layout_get(l, L_special_offset, bytes, sizeof(bytes));
		if (layout_get(l, L_special_kind, bytes, sizeof(bytes)) == finalizer) {
			type_finalized(h, s, off, bytes);
			mark_finalized(h, s, off);
		}
		at = layout_get(l, L_special_next, bytes, sizeof(bytes));
	}
}

void heap_mark_specials(struct heap *h)
{
	if (!layout_has(&h->rt->layout, L_special_next) ||
	    !layout_has(&h->rt->layout, L_special_kind))
		return;
	for (size_t i = 0; i < h->span_count; i++)
		if (h->spans[i].specials)
			mark_specials_of(h, &h->spans[i]);
}

static int by_stack(const void *a, const void *b)
{
	const struct goroutine *x = *(const struct goroutine *const *)a,
			       *y = *(const struct goroutine *const *)b;

	return (x->stack > y->stack) - (x->stack < y->stack);
}

void heap_mark_roots(struct heap *h)
{
	const size_t n = h->rt->goroutine_count;
	AUTO(xfree)
	const struct goroutine **list = xcalloc(n + 1, sizeof(const struct goroutine *));

	for (size_t i = 0; i < n; i++)
		list[i] = &h->rt->goroutines[i];
	qsort(list, n, sizeof(const struct goroutine *), by_stack);
	heap_mark_globals(h);
	heap_mark_specials(h);
	heap_mark_queues(h);
	heap_mark_threads(h);
	for (size_t i = 0; i < n; i++)
		heap_mark_stack(h, list[i]);
}
