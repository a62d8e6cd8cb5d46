/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/target_extents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/base/table.h"

enum {
	/* Pieces this close together are read as one: a gap costs memory, a piece costs
	 * kernel time, and stacks of parked goroutines are 2 KB apart. */
	MERGE_GAP = 256,
	BATCH = 8192,	  /* spans per vectored read */
	RUN_PAGES = 1024, /* pages fetched at once by a read that misses */
};

/* Arena pages are untouched, and so take no memory, until data is copied to them. */
#define ARENA_BYTES (UINT64_C(64) << 20)
#define PREPARE_MAX (UINT64_C(1) << 30)

struct extent {
	uint64_t addr;
	uint8_t *data; /* in an arena */
	uint64_t len;
};

struct arena {
	struct arena *next;
	uint64_t size, used; /* includes this header */
};

struct extents {
	struct target *own;  /* the target with these; NULL: a pass */
	struct target *live; /* borrowed; NULL: sealed */
	struct arena *arenas;
	struct extent *list; /* sorted, disjoint */
	size_t count;
	struct table pages; /* address: its bytes */
	uint64_t bytes;
	struct extents *pass;  /* dropped at the end of the pass; NULL: not in a pass */
	struct record *record; /* NULL: none */
	bool keeps_all;	       /* passes drop nothing */
};

/* Pages that reads had to fetch, in the order of the first fetch. */
struct record {
	struct table known; /* pages */
	struct extent_range *list;
	size_t count, cap;
};

static struct arena *arena_add(struct extents *x, uint64_t len)
{
	uint64_t size = len + PAGE_BYTES > ARENA_BYTES ? len + PAGE_BYTES : ARENA_BYTES;
	struct arena *a = mmap(NULL, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (a == MAP_FAILED)
		out_of_memory();
	/* Page faults for 4 KB pages would take a third of the copy time. */
	madvise(a, size, MADV_HUGEPAGE);
	*a = (struct arena){ .next = x->arenas, .size = size, .used = PAGE_BYTES };
	x->arenas = a;
	return a;
}

static uint8_t *arena_take(struct extents *x, uint64_t len)
{
	struct arena *a = x->arenas;

	if (!a || a->size - a->used < len)
		a = arena_add(x, len);
	uint8_t *p = (uint8_t *)a + a->used;
	a->used += len;
	return p;
}

/* Only for the latest allocation. */
static void arena_return(struct extents *x, uint64_t len)
{
	x->arenas->used -= len;
}

static void arenas_free(struct arena *a)
{
	while (a) {
		struct arena *next = a->next;
		munmap(a, a->size);
		a = next;
	}
}

/* Index of the first extent that ends after addr. */
static size_t extent_after(const struct extents *x, uint64_t addr)
{
	return LOWER_BOUND(i, x->count, x->list[i].addr + x->list[i].len <= addr);
}

static void page_add(struct extents *x, uint64_t page, const uint8_t *data)
{
	table_set(&x->pages, page, 0, (uintptr_t)data);
}

/* NULL: not kept. */
static const uint8_t *page_kept(const struct extents *x, uint64_t page)
{
	return (const uint8_t *)(uintptr_t)table_get(&x->pages, page, 0);
}

/* The number of contiguous bytes that we have from addr on, and where. */
static uint64_t find_kept(const struct extents *x, uint64_t addr, const uint8_t **ret)
{
	size_t i = extent_after(x, addr);

	if (i < x->count && x->list[i].addr <= addr) {
		*ret = x->list[i].data + (addr - x->list[i].addr);
		return x->list[i].addr + x->list[i].len - addr;
	}
	uint64_t page = addr & ~(uint64_t)(PAGE_BYTES - 1);
	const uint8_t *data = page_kept(x, page);
	if (!data)
		return 0;
	*ret = data + (addr - page);
	/* Up to the next extent, even if it starts within this page: both hold the same
	 * data. */
	return PAGE_BYTES - (addr - page);
}

static uint64_t find(const struct extents *x, uint64_t addr, const uint8_t **ret)
{
	uint64_t n = x->pass ? find_kept(x->pass, addr, ret) : 0;

	return n ? n : find_kept(x, addr, ret);
}

static const struct target_record nowhere;

static bool live_bytes(struct extents *x, uint64_t addr, void *buf, size_t len,
		       struct err *err)
{
	/* Our readers have their own budget, and records of their own. */
	target_budget_unit(x->live);
	const struct target_record record = target_record(x->live, nowhere);
	const bool ok = target_read(x->live, addr, buf, len, err);
	target_record(x->live, record);
	return ok;
}

static void record_pages(struct record *r, uint64_t addr, size_t len)
{
	const uint64_t first = addr & ~(uint64_t)(PAGE_BYTES - 1);

	for (uint64_t page = first; page - first < addr - first + len;
	     page += PAGE_BYTES) {
		if (r->count == LIMIT_EXTENT_BYTES / PAGE_BYTES ||
		    !table_add(&r->known, page, 0))
			continue;
		GROW(r->list, r->count, r->cap);
		r->list[r->count++] = (struct extent_range){ page, PAGE_BYTES };
	}
}

static bool keep_pages(struct extents *x, uint64_t page, size_t n, struct err *err)
{
	uint8_t *data = arena_take(x, n * PAGE_BYTES);

	if (!live_bytes(x, page, data, n * PAGE_BYTES, err)) {
		arena_return(x, n * PAGE_BYTES);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		page_add(x, page + i * PAGE_BYTES, data + i * PAGE_BYTES);
	x->bytes += n * PAGE_BYTES;
	return true;
}

/* Keeps the page of addr and the following ones, to the end of the read. */
static bool fetch(struct extents *x, uint64_t addr, size_t len, struct err *err)
{
	uint64_t page = addr & ~(uint64_t)(PAGE_BYTES - 1);
	uint64_t last = (addr + (len - 1)) & ~(uint64_t)(PAGE_BYTES - 1);
	size_t n = 1;

	while (n < RUN_PAGES && page + (n - 1) * PAGE_BYTES < last &&
	       !page_kept(x, page + n * PAGE_BYTES))
		n++;
	if (x->bytes + n * PAGE_BYTES > LIMIT_EXTENT_BYTES)
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " bytes copied",
			       LIMIT_EXTENT_BYTES);
	return (n > 1 && keep_pages(x, page, n, err)) || keep_pages(x, page, 1, err);
}

static bool missing(const struct extents *x, uint64_t addr, struct err *err)
{
	const struct target_mapping *m = target_mapping_at(x->own, addr);
	size_t n;

	target_mappings(x->own, &n);
	if (n && !(m && m->readable) && target_may_name(x->own, addr))
		return err_set(err, ERR_FAULT, "no readable memory at 0x%" PRIx64, addr);
	if (n && !(m && m->readable))
		return err_set(err, ERR_FAULT, "no readable memory there");
	return err_set(err, ERR_MISSED, "0x%" PRIx64 " was not captured", addr);
}

static bool extents_read(void *self, uint64_t addr, void *buf, size_t len,
			 struct err *err)
{
	struct extents *x = self;
	uint8_t *to = buf;

	while (len) {
		const uint8_t *from;
		uint64_t n = find(x, addr, &from);
		if (!n && !x->live)
			return missing(x, addr, err);
		if (!n && x->record)
			record_pages(x->record, addr, len);
		if (!n && fetch(x->pass ? x->pass : x, addr, len, err))
			continue;
		/* Not kept: the limit is reached, or the page is incomplete. */
		if (!n)
			return live_bytes(x, addr, to, len, err);
		n = n < len ? n : len;
		memcpy(to, from, n);
		to += n;
		addr += n;
		len -= n;
	}
	return true;
}

static void record_free(struct record *r)
{
	if (!r)
		return;
	table_free(&r->known);
	xfree(r->list);
	xfree(r);
}

static void extents_close(void *self)
{
	struct extents *x = self;

	record_free(x->record);
	if (x->pass)
		extents_close(x->pass);
	arenas_free(x->arenas);
	xfree(x->list);
	table_free(&x->pages);
	xfree(x);
}

static const struct target_ops extents_ops = {
	.name = "extents",
	.read = extents_read,
	.close = extents_close,
};

struct target *target_extents_prepare(struct target *live, uint64_t bytes)
{
	struct extents *x = xcalloc(1, sizeof(*x));

	x->live = live;
	if (bytes > PREPARE_MAX)
		bytes = PREPARE_MAX;
	/* Older kernels refuse this; then pages are populated on first use. */
	if (bytes)
		madvise(arena_add(x, bytes), bytes, MADV_POPULATE_WRITE);
	x->own = target_new(&extents_ops, x, target_pid(live), target_arch(live));
	return x->own;
}

void target_extents_record(struct target *t)
{
	struct extents *x = target_self(t, &extents_ops);

	if (x && !x->record)
		x->record = xcalloc(1, sizeof(*x->record));
}

struct extent_range *target_extents_recorded(struct target *t, size_t *ret_n)
{
	struct extents *x = target_self(t, &extents_ops);
	struct record *r = x ? TAKE(x->record) : NULL;
	struct extent_range *list = r ? TAKE(r->list) : NULL;

	*ret_n = r ? r->count : 0;
	record_free(r);
	return list;
}

void target_extents_begin(struct target *t)
{
	struct extents *x = target_self(t, &extents_ops);

	if (x && x->live)
		target_set_lists(t, x->live);
}

struct target *target_extents_new(struct target *live)
{
	struct target *t = target_extents_prepare(live, 0);

	target_extents_begin(t);
	return t;
}

static int by_addr(const void *a, const void *b)
{
	const struct extent_range *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

struct pieces {
	struct extent *list;
	size_t n, cap;
};

static void piece_add(struct pieces *p, uint64_t addr, uint64_t end, uint8_t *data)
{
	GROW(p->list, p->n, p->cap);
	p->list[p->n++] = (struct extent){ addr, data, end - addr };
}

/* Keeps the good pages of a piece that has a bad one, in as few extents as possible. */
static void salvage(struct extents *x, const struct extent *bad, struct pieces *good)
{
	uint64_t end = bad->addr + bad->len, next;
	bool joins = false;
	struct err why;

	for (uint64_t addr = bad->addr; addr < end; addr = next) {
		uint8_t *data = bad->data + (addr - bad->addr);
		next = (addr & ~(uint64_t)(PAGE_BYTES - 1)) + PAGE_BYTES;
		if (next > end || next < addr)
			next = end;
		bool ok = live_bytes(x, addr, data, next - addr, &why);
		if (ok && joins)
			good->list[good->n - 1].len += next - addr;
		else if (ok)
			piece_add(good, addr, next, data);
		joins = ok;
	}
}

/* One call of target_extents_add. Spans are read in batches: a list of all would be as
 * large as the data itself. */
struct adding {
	struct extents *x;
	const struct target_mapping *maps;
	size_t map_count, map; /* map: the first that ends after the current address */
	struct target_span *spans;
	size_t span_count;
	struct pieces good;
	uint64_t room, left_out;
};

static void read_spans(struct adding *a)
{
	target_budget_unit(a->x->live);
	const struct target_record record = target_record(a->x->live, nowhere);
	target_read_many(a->x->live, a->spans, a->span_count);
	target_record(a->x->live, record);
	for (size_t i = 0; i < a->span_count; i++) {
		const struct target_span *s = &a->spans[i];
		struct extent piece = { s->addr, s->buf, s->len };
		if (s->done)
			piece_add(&a->good, s->addr, s->addr + s->len, s->buf);
		else
			salvage(a->x, &piece, &a->good);
	}
	a->span_count = 0;
}

static void add_span(struct adding *a, uint64_t addr, uint64_t end)
{
	uint64_t len = end - addr;

	if (addr >= end)
		return;
	if (len > a->room) {
		a->left_out += len;
		return;
	}
	a->room -= len;
	if (a->span_count == BATCH)
		read_spans(a);
	a->spans[a->span_count++] =
		(struct target_span){ addr, arena_take(a->x, len), len, false };
}

static void add_unknown(struct adding *a, uint64_t addr, uint64_t end)
{
	const struct extents *x = a->x;

	for (size_t k = extent_after(x, addr); k < x->count && x->list[k].addr < end;
	     k++) {
		add_span(a, addr, x->list[k].addr);
		addr = x->list[k].addr + x->list[k].len;
	}
	add_span(a, addr, end);
}

/* Only what is mapped: a hostile length must not cost more than there is memory. */
static void add_mapped(struct adding *a, uint64_t addr, uint64_t end)
{
	while (a->map < a->map_count && a->maps[a->map].end <= addr)
		a->map++;
	for (size_t k = a->map; k < a->map_count && a->maps[k].start < end; k++)
		if (a->maps[k].readable)
			add_unknown(a, addr > a->maps[k].start ? addr : a->maps[k].start,
				    end < a->maps[k].end ? end : a->maps[k].end);
	if (!a->map_count)
		add_unknown(a, addr, end);
}

static uint64_t end_of(const struct extent_range *r)
{
	return r->addr + r->len < r->addr ? UINT64_MAX : r->addr + r->len;
}

static void add_merged(struct adding *a, const struct extent_range *ranges, size_t n)
{
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t end = end_of(&ranges[i]);
		for (next = i + 1; next < n && (ranges[next].addr <= end ||
						ranges[next].addr - end <= MERGE_GAP);
		     next++)
			if (end_of(&ranges[next]) > end)
				end = end_of(&ranges[next]);
		add_mapped(a, ranges[i].addr, end);
	}
	read_spans(a);
}

/* Merges two sorted lists. */
static void insert_all(struct extents *x, struct pieces *good)
{
	size_t n = x->count + good->n, a = 0, b = 0;

	for (size_t i = 0; i < good->n; i++)
		x->bytes += good->list[i].len;
	if (x->count == 0) {
		x->list = TAKE(good->list);
		x->count = n;
		return;
	}
	struct extent *list = xcalloc(n, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		bool old = b == good->n ||
			   (a < x->count && x->list[a].addr < good->list[b].addr);
		list[i] = old ? x->list[a++] : good->list[b++];
	}
	xfree(x->list);
	x->list = list;
	x->count = n;
}

void target_extents_add(struct target *t, struct extent_range *ranges, size_t n,
			uint64_t *ret_left_out)
{
	struct extents *x = target_self(t, &extents_ops);
	struct adding a = { .x = x };

	if (!x || !x->live)
		return;
	if (x->pass)
		a.x = x = x->pass;
	if (n)
		qsort(ranges, n, sizeof(*ranges), by_addr);
	a.maps = target_mappings(t, &a.map_count);
	a.spans = xcalloc(BATCH, sizeof(*a.spans));
	a.room = LIMIT_EXTENT_BYTES -
		 (x->bytes < LIMIT_EXTENT_BYTES ? x->bytes : LIMIT_EXTENT_BYTES);
	add_merged(&a, ranges, n);
	insert_all(x, &a.good);
	xfree(a.good.list);
	xfree(a.spans);
	if (ret_left_out)
		*ret_left_out = a.left_out;
}

/* Keeps one arena for reuse. */
static void empty(struct extents *x)
{
	arenas_free(x->arenas ? TAKE(x->arenas->next) : NULL);
	if (x->arenas)
		x->arenas->used = PAGE_BYTES;
	xfree(TAKE(x->list));
	table_clear(&x->pages);
	x->count = 0;
	x->bytes = 0;
}

static void end_pass(struct target *t)
{
	struct extents *x = target_self(t, &extents_ops);

	if (x && x->pass)
		extents_close(TAKE(x->pass));
}

void target_extents_pass(struct target *t)
{
	struct extents *x = target_self(t, &extents_ops);

	if (!x || !x->live || x->keeps_all)
		return;
	if (x->pass) {
		empty(x->pass);
		return;
	}
	x->pass = xcalloc(1, sizeof(*x->pass));
	x->pass->live = x->live;
}

void target_extents_keep_all(struct target *t)
{
	struct extents *x = target_self(t, &extents_ops);

	end_pass(t);
	if (x)
		x->keeps_all = true;
}

void target_extents_seal(struct target *t)
{
	struct extents *x = target_self(t, &extents_ops);

	end_pass(t);
	if (x)
		x->live = NULL;
}

uint64_t target_extents_bytes(const struct target *t)
{
	const struct extents *x = target_self(t, &extents_ops);

	return x ? x->bytes : 0;
}
