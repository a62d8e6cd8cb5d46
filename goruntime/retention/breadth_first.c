/* SPDX-License-Identifier: Apache-2.0 */
/* All objects that are one pointer away from a root, then all that are two away, and so on. Those of one
 * distance are read span by span. */
#include "goruntime/retention/breadth_first.h"

#include <string.h>

struct searching {
	uint32_t *values;
	uint64_t *next;	 /* bits: objects of the next distance */
	uint32_t *spans; /* that have any */
	size_t span_count;
	const struct reached_fns *fns;
};

static void note(struct heap *h, uint64_t at, const struct span *s, uint32_t i)
{
	struct searching *r = h->searching;
	const bool by_root = h->object == NO_SCAN;
	const struct reached to = {
		.span = s,
		.i = i,
		.from = h->object,
		.value = by_root ? 0 : r->values[h->object],
		.root = by_root ? root_of(h, at) : (struct heap_root){ .id = 0 },
	};

	uint32_t *value = &r->values[s->first + i];
	if (*value)
		r->fns->again(r->fns->arg, &to, *value);
	else
		*value = r->fns->first(r->fns->arg, &to);
}

static void take(struct heap *h, uint64_t at, uint64_t word)
{
	struct searching *r = h->searching;
	struct span *s = span_at(h, word);
	const uint32_t i = s ? object_in(s, word) : NO_OBJECT;

	if (i == NO_OBJECT || is_hidden(h, at, word))
		return;
	const uint64_t object = s->first + i;
	const bool again = r->values[object];
	if ((again && !r->fns->again) || (h->allocated && !bit_of(h->allocated, object)))
		return;
	note(h, at, s, i);
	if (again || s->no_pointers)
		return;
	r->next[object / 64] |= UINT64_C(1) << object % 64;
	if (!s->waits)
		r->spans[r->span_count++] = (uint32_t)(s - h->spans);
	s->waits = true;
}

/* The objects of the next distance become those to be scanned. */
static void advance(struct heap *h, const struct span *s)
{
	struct searching *r = h->searching;

	for (uint64_t i = s->first / 64; i <= (s->first + s->elems - 1) / 64; i++) {
		h->marked[i] |= r->next[i];
		r->next[i] = 0;
	}
}

static bool search(struct heap *h, struct err *err)
{
	struct searching *r = h->searching;
	AUTO(xfree) uint32_t *now = xcalloc(h->span_count + 1, sizeof(*now));

	while (r->span_count && !h->gave_up) {
		const size_t n = r->span_count;
		memcpy(now, r->spans, n * sizeof(*now));
		r->span_count = 0;
		for (size_t i = 0; i < n; i++) {
			advance(h, &h->spans[now[i]]);
			h->spans[now[i]].waits = false;
		}
		for (size_t i = 0; i < n && !h->gave_up; i++)
			scan_span(h, &h->spans[now[i]]);
	}
	return !h->gave_up ||
	       err_set(err, ERR_LIMIT, "the heap is too large to be read in that time");
}

uint32_t *breadth_first(struct heap *h, const struct reached_fns *fns, struct err *err)
{
	const size_t words = h->object_count / 64 + 1;
	AUTO(xfree) uint32_t *values = xcalloc(h->object_count + 1, sizeof(*values));
	AUTO(xfree) uint64_t *next = xcalloc(words, sizeof(*next));
	AUTO(xfree) uint32_t *spans = xcalloc(h->span_count + 1, sizeof(*spans));
	struct searching r = { values, next, spans, 0, fns };

	unmark(h);
	h->searching = &r;
	h->take = take;
	heap_mark_roots(h);
	const bool ok = search(h, err);
	h->take = mark_pointer;
	h->searching = NULL;
	return ok ? TAKE(values) : NULL;
}
