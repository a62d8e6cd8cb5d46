/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/struct_scan.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/limit.h"

enum {
	SPANS = 1024,		/* the kernel's limit for one call */
	ROOM = 1 << 20,		/* bytes of all spans in one read */
	SPAN_BYTES = 64 * 1024, /* a bad page makes its whole span be read again */
	/* A span costs about as much as copying this many bytes. */
	GAP = 1024,
};

struct batch {
	struct target *target;
	size_t size;
	struct target_span *spans;
	size_t count, used; /* number of spans, bytes */
	uint8_t *room;
};

static int by_addr(const void *a, const void *b)
{
	const struct struct_scan_item *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void sort(struct struct_scan_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (items[i - 1].addr > items[i].addr) {
			qsort(items, n, sizeof(*items), by_addr);
			return;
		}
}

size_t struct_scan_distinct(struct struct_scan_item *items, size_t n)
{
	size_t kept = 0;

	sort(items, n);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || items[i].addr != items[kept - 1].addr)
			items[kept++] = items[i];
	return kept;
}

/* False: the batch is full. */
static bool add(struct batch *b, uint64_t addr)
{
	struct target_span *last = b->count ? &b->spans[b->count - 1] : NULL;
	uint64_t end = addr + b->size;

	if (last && addr - last->addr < last->len + GAP &&
	    end - last->addr <= SPAN_BYTES) {
		size_t more = end - last->addr > last->len
				      ? (size_t)(end - last->addr) - last->len
				      : 0;
		if (more > ROOM - b->used)
			return false;
		last->len += more;
		b->used += more;
		return true;
	}
	if (b->count == SPANS || b->size > ROOM - b->used)
		return false;
	b->spans[b->count++] = (struct target_span){ .addr = addr,
						     .buf = b->room + b->used,
						     .len = b->size };
	b->used += b->size;
	return true;
}

/* Each item is in one span, the one it was added to. */
static void hand_over(struct batch *b, const struct struct_scan_item *items, size_t n,
		      struct_scan_fn *fn, void *arg)
{
	uint8_t alone[LIMIT_STRUCT_BYTES];
	struct err ignored;
	size_t s = 0;

	for (size_t i = 0; i < n; i++) {
		while (items[i].addr + b->size > b->spans[s].addr + b->spans[s].len)
			s++;
		const struct target_span *span = &b->spans[s];
		const uint8_t *bytes =
			(uint8_t *)span->buf + (items[i].addr - span->addr);
		if (!span->done)
			bytes = target_read(b->target, items[i].addr, alone, b->size,
					    &ignored)
					? alone
					: NULL;
		fn(arg, &items[i], bytes);
	}
}

void struct_scan(struct target *t, struct struct_scan_item *items, size_t n, size_t size,
		 struct_scan_fn *fn, void *arg)
{
	struct batch b = { .target = t, .size = size };

	if (n == 0)
		return;
	assert(size > 0 && size <= LIMIT_STRUCT_BYTES);
	AUTO(xfree) struct target_span *spans = xcalloc(SPANS, sizeof(*spans));
	AUTO(xfree) uint8_t *room = xmalloc(ROOM);
	b.spans = spans;
	b.room = room;
	sort(items, n);
	for (size_t at = 0, end; at < n; at = end) {
		b.count = b.used = 0;
		for (end = at; end < n && items[end].addr <= UINT64_MAX - size; end++)
			if (!add(&b, items[end].addr))
				break;
		target_budget_unit(t);
		target_read_many(t, b.spans, b.count);
		hand_over(&b, items + at, end - at, fn, arg);
		for (; end < n && items[end].addr > UINT64_MAX - size; end++)
			fn(arg, &items[end], NULL);
	}
}
