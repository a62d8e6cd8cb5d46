/* SPDX-License-Identifier: Apache-2.0 */
/* The spans: runtime.mheap_.allspans (runtime/mheap.go, 1.15 to 1.27) has a pointer to each. */
#include <inttypes.h>
#include <stdlib.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/runtime/runtime_variable.h"
#include "goruntime/runtime/struct_scan.h"
#include "lib/base/limit.h"

enum {
	SAMPLE = 16,
	SAMPLE_MAX = 4096,
	POINTERS = 4096, /* read at once */
	/* mSpanState */
	STATE_IN_USE = 1,
	STATE_LAST = 2,
	/* The largest span of several objects has 10 pages (runtime/sizeclasses.go, 1.27). */
	SHARED_PAGES = 1 << 10,
};

struct slice {
	uint64_t array, len, cap;
};

bool heap_spans_known(const struct layout *l)
{
	return layout_has(l, L_mheap_allspans) && layout_has(l, L_span_size) &&
	       layout_has(l, L_span_start) && layout_has(l, L_span_pages) &&
	       layout_has(l, L_span_elems) && layout_has(l, L_span_elem_size) &&
	       layout_has(l, L_span_class) && layout_has(l, L_span_state);
}

/* False: it is not one of objects, or damaged. */
static bool parse(const struct layout *l, const uint8_t *bytes, struct span *ret)
{
	const size_t size = (size_t)l->slot[L_span_size].off;
#define GET(slot) layout_get(l, L_span_##slot, bytes, size)
	const uint64_t pages = GET(pages), elems = GET(elems);

	*ret = (struct span){
		.start = GET(start),
		.elem_size = GET(elem_size),
		.specials = GET(specials),
		.alloc_bits = GET(alloc_bits),
		.free_index = (uint32_t)GET(free_index),
		.large_type = GET(large_type),
		.class = (uint8_t)GET(class),
		.pages = (uint32_t)pages,
		.elems = (uint32_t)elems,
		.no_pointers = GET(class) & 1,
	};
	const bool in_use = GET(state) == STATE_IN_USE;
#undef GET
	if (!in_use || !pages || pages > UINT32_MAX || !elems || ret->elem_size < WORD ||
	    ret->elem_size % WORD || ret->start % (1 << HEAP_PAGE_BITS) ||
	    ret->start >= ADDRESS_END || span_bytes(ret) >= ADDRESS_END ||
	    elems > span_bytes(ret) / ret->elem_size ||
	    (elems > 1 && pages > SHARED_PAGES))
		return false;
	if (elems > 1)
		ret->reciprocal = (uint32_t)(UINT32_MAX / ret->elem_size + 1);
	ret->map = (uint8_t)pointer_map_of(l, ret);
	return true;
}

static bool read_span(struct runtime *rt, uint64_t addr,
		      uint8_t bytes[static LIMIT_STRUCT_BYTES])
{
	struct err ignored;

	return addr && addr % WORD == 0 &&
	       target_search(rt->target, addr, bytes,
			     (size_t)rt->layout.slot[L_span_size].off, &ignored);
}

bool heap_span_at(struct runtime *rt, uint64_t addr, struct span *ret)
{
	uint8_t bytes[LIMIT_STRUCT_BYTES];

	return read_span(rt, addr, bytes) && parse(&rt->layout, bytes, ret);
}

/* *ret_place: it has, or had, a place. One that is free keeps it: after a peak nearly all are free. A
 * few that were never used have none. */
static bool looks_like_span(struct runtime *rt, uint64_t addr, bool *ret_place)
{
	const struct layout *l = &rt->layout;
	const size_t size = (size_t)l->slot[L_span_size].off;
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	struct span span;

	if (!read_span(rt, addr, bytes))
		return false;
	const uint64_t start = layout_get(l, L_span_start, bytes, size);
	const uint64_t pages = layout_get(l, L_span_pages, bytes, size);
	const uint64_t state = layout_get(l, L_span_state, bytes, size);
	*ret_place = start != 0;
	if (state == STATE_IN_USE)
		return parse(l, bytes, &span);
	return state <= STATE_LAST && start < ADDRESS_END &&
	       start % (1 << HEAP_PAGE_BITS) == 0 && !start == !pages &&
	       pages <= (ADDRESS_END - start) >> HEAP_PAGE_BITS;
}

static bool read_slice(struct runtime *rt, struct target *t, uint64_t addr,
		       struct slice *ret)
{
	struct err ignored;

	if (addr % WORD ||
	    !target_search(t, addr + (uint64_t)rt->layout.slot[L_mheap_allspans].off, ret,
			   sizeof(*ret), &ignored))
		return false;
	const struct target_mapping *map = target_mapping_at(t, ret->array);
	return ret->len && ret->len <= ret->cap && ret->len <= LIMIT_HEAP_SPANS &&
	       ret->array % WORD == 0 && map &&
	       ret->len <= (map->end - ret->array) / WORD;
}

static bool has_spans(struct runtime *rt, uint64_t addr)
{
	struct slice s;

	return read_slice(rt, rt->target, addr, &s);
}

/* All spans of a sample look like spans. Each P takes many at once and keeps those that it has not used:
 * so the sample ends with the first that has a place, when it is large enough. */
static bool looks_like_heap(struct runtime *rt, uint64_t addr)
{
	const uint64_t stride = UINT64_C(0x9e3779b97f4a7c15);
	struct slice s;
	struct err ignored;
	bool placed = false;

	if (!read_slice(rt, rt->target, addr, &s))
		return false;
	for (uint64_t i = 0; i < SAMPLE || (!placed && i < SAMPLE_MAX); i++) {
		uint64_t span;
		bool place;
		if (!target_search(rt->target, s.array + i * stride % s.len * WORD, &span,
				   WORD, &ignored) ||
		    !looks_like_span(rt, span, &place))
			return false;
		placed |= place;
	}
	return placed;
}

uint64_t heap_find(struct runtime *rt)
{
	static const struct runtime_variable heap = {
		.symbol = "runtime.mheap_",
		.functions = { "runtime.mallocinit", "runtime.sweepone",
			       "runtime.bgsweep", "runtime.(*mcentral).grow",
			       "runtime.readmemstats_m" },
		.fields = { L_mheap_allspans },
		.field_count = 1,
		.agrees = looks_like_heap,
		.agrees_by_symbol = has_spans,
	};

	if (!rt->heap_sought) {
		target_budget_unit(rt->target);
		rt->heap = runtime_variable_find(rt, &heap);
	}
	rt->heap_sought = true;
	return rt->heap;
}

/* Where each mspan is. NULL: err. */
static struct struct_scan_item *list_spans(struct heap *h, uint64_t addr, size_t *ret_n,
					   struct err *err)
{
	uint64_t words[POINTERS];
	size_t count = 0;
	struct slice s;

	if (!read_slice(h->rt, h->memory, addr, &s)) {
		err_set(err, ERR_BAD_DATA, "the list of the heap's spans is damaged");
		return NULL;
	}
	AUTO(xfree) struct struct_scan_item *list = xcalloc(s.len, sizeof(*list));
	for (size_t at = 0, n; at < s.len; at += n) {
		n = s.len - at < POINTERS ? s.len - at : POINTERS;
		target_budget_unit(h->memory);
		if (!target_read(h->memory, s.array + at * WORD, words, n * WORD, err))
			return NULL;
		for (size_t i = 0; i < n; i++)
			if (words[i] && words[i] % WORD == 0)
				list[count++].addr = words[i];
	}
	*ret_n = struct_scan_distinct(list, count);
	return TAKE(list);
}

static void take_span(void *arg, const struct struct_scan_item *item,
		      const uint8_t *bytes)
{
	struct heap *h = arg;
	const struct layout *l = &h->rt->layout;
	const size_t size = (size_t)l->slot[L_span_size].off;
	struct span *s = &h->spans[h->span_count];

	(void)item;
	if (bytes && layout_get(l, L_span_state, bytes, size) != STATE_IN_USE)
		return;
	/* It must be where the process has memory: its size is no promise of ours. */
	if (bytes && parse(l, bytes, s) && target_mapping_at(h->memory, s->start) &&
	    target_mapping_at(h->memory, s->start + span_bytes(s) - 1))
		h->span_count++;
	else
		h->unreadable += size;
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Drops what overlaps, and numbers the objects. */
static void put_in_order(struct heap *h)
{
	size_t n = 0;
	uint64_t end = 0;

	qsort(h->spans, h->span_count, sizeof(*h->spans), by_start);
	for (size_t i = 0; i < h->span_count; i++) {
		if (h->spans[i].start < end)
			continue;
		h->spans[n] = h->spans[i];
		end = h->spans[n].start + span_bytes(&h->spans[n]);
		h->spans[n].first = h->object_count;
		h->object_count += h->spans[n++].elems;
	}
	h->span_count = n;
	h->low = h->spans[0].start >> ARENA_BITS << ARENA_BITS;
	h->size = end - h->low;
}

static bool make_arenas(struct heap *h, struct err *err)
{
	const uint64_t n = (h->size >> ARENA_BITS) + 1;

	if (n > LIMIT_HEAP_ARENAS)
		return err_set(err, ERR_LIMIT, "the heap's addresses are too far apart");
	h->arenas = xcalloc(n, sizeof(*h->arenas));
	for (size_t i = 0; i < h->span_count; i++) {
		const uint64_t first = (h->spans[i].start - h->low) >> HEAP_PAGE_BITS;
		for (uint64_t page = first; page < first + h->spans[i].pages; page++) {
			uint32_t **arena = &h->arenas[page / ARENA_PAGES];
			if (!*arena)
				*arena = xcalloc(ARENA_PAGES, sizeof(**arena));
			(*arena)[page % ARENA_PAGES] = (uint32_t)i + 1;
		}
	}
	return true;
}

bool spans_read(struct heap *h, struct err *err)
{
	const struct layout *l = &h->rt->layout;
	size_t n;

	if (!heap_spans_known(l))
		return err_set(err, ERR_UNSUPPORTED,
			       "the heap of this Go release is not known");
	const uint64_t addr = heap_find(h->rt);
	if (!addr)
		return err_set(err, ERR_NOT_FOUND, "the heap was not found");
	h->mheap = addr;
	AUTO(xfree) struct struct_scan_item *list = list_spans(h, addr, &n, err);
	if (!list)
		return false;
	h->spans = xcalloc(n + 1, sizeof(*h->spans));
	struct_scan(h->memory, list, n, (size_t)l->slot[L_span_size].off, take_span, h);
	if (!h->span_count)
		return err_set(err, ERR_BAD_DATA, "the heap has no readable spans");
	put_in_order(h);
	return make_arenas(h, err);
}
