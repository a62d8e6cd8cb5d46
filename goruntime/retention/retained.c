/* SPDX-License-Identifier: Apache-2.0 */
/* What each root keeps alive alone: objects that can be reached from it and from no other. Each object has a
 * label, the only root that it was reached from so far, or SHARED: it changes twice at most, so the heap is
 * read little more than once, and two bytes for each object are enough. */
#include "goruntime/retention/retained.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/object_types.h"
#include "lib/base/table.h"

enum { SHARED = 1, FIRST = 2, LABELS = UINT16_MAX };

struct retaining {
	uint16_t *label; /* of each object; 0: not reached */
	struct heap_root *roots;
	size_t count, cap;
	struct table numbers;
};

/* Roots that would have no label of their own share one with what several roots keep. */
static uint16_t label_of(struct retaining *r, const struct heap_root *root)
{
	uint64_t label = table_get(&r->numbers, root->id, root->kind);

	if (label)
		return (uint16_t)label;
	if (r->count + FIRST == LABELS)
		return SHARED;
	GROW(r->roots, r->count, r->cap);
	r->roots[r->count] = *root;
	label = r->count++ + FIRST;
	table_set(&r->numbers, root->id, root->kind, label);
	return (uint16_t)label;
}

struct heap_root root_of(const struct heap *h, uint64_t at)
{
	if (h->goroutine)
		return (struct heap_root){ .kind = HEAP_ROOT_GOROUTINE,
					   .id = h->goroutine - 1 };
	return (struct heap_root){ .kind = at ? HEAP_ROOT_GLOBAL : HEAP_ROOT_OTHER,
				   .id = at ? global_begin(h, at) : 0 };
}

static uint16_t label_of_source(struct heap *h, uint64_t at)
{
	if (h->object != NO_SCAN)
		return h->retaining->label[h->object];
	const struct heap_root root = root_of(h, at);
	return label_of(h->retaining, &root);
}

static void take(struct heap *h, uint64_t at, uint64_t word)
{
	struct span *s = span_at(h, word);
	const uint32_t i = s ? object_in(s, word) : NO_OBJECT;

	if (i == NO_OBJECT || is_hidden(h, at, word))
		return;
	mark_pointer(h, at, word);
	if (!bit_of(h->marked, s->first + i))
		return;
	uint16_t *label = &h->retaining->label[s->first + i];
	if (*label == SHARED)
		return;
	const uint16_t source = label_of_source(h, at), old = *label;
	*label = !old || old == source ? source : SHARED;
	if (*label != old && bit_of(h->scanned, s->first + i))
		mark_again(h, s, i);
}

static void count(const struct heap *h, const struct span *s, struct heap_retained *ret)
{
	for (uint32_t i = 0; i < s->elems; i++) {
		const uint16_t label = h->retaining->label[s->first + i];
		struct heap_amount *to =
			label < FIRST ? &ret->shared : &ret->roots[label - FIRST].alone;
		if (!label)
			continue;
		to->objects++;
		to->bytes += s->elem_size;
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_root *x = a, *y = b;

	if (x->alone.bytes != y->alone.bytes)
		return x->alone.bytes < y->alone.bytes ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

void heap_retained_sort(struct heap_retained *r)
{
	if (r->count)
		qsort(r->roots, r->count, sizeof(*r->roots), by_bytes);
}

static bool follow(struct heap *h, struct err *err)
{
	unmark(h);
	h->take = take;
	heap_mark_roots(h);
	const bool ok = heap_mark(h, err);
	h->take = mark_pointer;
	return ok;
}

bool heap_retain(struct heap *h, struct heap_retained *ret, struct err *err)
{
	object_types_forget(h);
	struct retaining r = { .label = xcalloc(h->object_count + 1, sizeof(*r.label)) };
	*ret = (struct heap_retained){ .roots = NULL };
	h->retaining = &r;
	const bool ok = follow(h, err);
	ret->roots = r.roots;
	ret->count = r.count;
	for (size_t i = 0; ok && i < h->span_count; i++)
		count(h, &h->spans[i], ret);
	heap_retained_sort(ret);
	h->retaining = NULL;
	table_free(&r.numbers);
	xfree(r.label);
	return ok;
}
