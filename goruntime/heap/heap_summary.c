/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/heap_summary.h"

#include <stdlib.h>

#include "goruntime/heap/heap.h"

enum { SIZES = HEAP_SMALL / WORD + 1, KINDS = 2 /* with and without pointers */ };

struct count {
	struct heap_summary *summary;
	struct heap_class classes[KINDS]
				 [SIZES]; /* by size in words; 0: the larger ones */
};

static void add(struct heap_amount *to, uint64_t bytes)
{
	to->objects++;
	to->bytes += bytes;
}

static void take_object(void *arg, const struct heap_object *o, bool marked)
{
	struct count *c = arg;
	const uint64_t words = o->size > HEAP_SMALL ? 0 : o->size / WORD;
	struct heap_class *to = &c->classes[o->no_pointers][words];

	add(marked ? &to->live : &to->garbage, o->size);
	add(marked ? &c->summary->live : &c->summary->garbage, o->size);
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_class *x = a, *y = b;
	const uint64_t m = x->live.bytes + x->garbage.bytes,
		       n = y->live.bytes + y->garbage.bytes;

	if (m != n)
		return m < n ? 1 : -1;
	return (x->size > y->size) - (x->size < y->size);
}

static void list_classes(const struct count *c, struct heap_summary *to)
{
	to->classes = xcalloc(KINDS * SIZES, sizeof(*to->classes));
	for (size_t kind = 0; kind < KINDS; kind++)
		for (size_t words = 0; words < SIZES; words++) {
			struct heap_class class = c->classes[kind][words];
			if (!class.live.objects && !class.garbage.objects)
				continue;
			class.size = words * WORD;
			class.no_pointers = kind;
			to->classes[to->class_count++] = class;
		}
	qsort(to->classes, to->class_count, sizeof(*to->classes), by_bytes);
}

static int by_stack(const void *a, const void *b)
{
	const struct goroutine *x = *(const struct goroutine *const *)a,
			       *y = *(const struct goroutine *const *)b;

	return (x->stack > y->stack) - (x->stack < y->stack);
}

static void mark_roots(struct heap *h, struct runtime *rt)
{
	const size_t n = rt->goroutine_count;
	AUTO(xfree)
	const struct goroutine **list = xcalloc(n + 1, sizeof(const struct goroutine *));

	for (size_t i = 0; i < n; i++)
		list[i] = &rt->goroutines[i];
	qsort(list, n, sizeof(const struct goroutine *), by_stack);
	heap_mark_globals(h);
	heap_mark_specials(h);
	heap_mark_queues(h);
	heap_mark_threads(h);
	for (size_t i = 0; i < n; i++)
		heap_mark_stack(h, list[i]);
}

bool heap_summarize(struct runtime *rt, struct target *memory, uint64_t ns,
		    struct heap_summary *ret, struct err *err)
{
	*ret = (struct heap_summary){ .free = 0 };
	AUTO(heap_close)
	struct heap *h = heap_open(rt, memory, &(struct heap_limits){ .ns = ns }, err);

	if (!h)
		return false;
	mark_roots(h, rt);
	if (!heap_mark(h, err))
		return false;
	AUTO(xfree) struct count *count = xcalloc(1, sizeof(*count));
	count->summary = ret;
	if (!heap_each_allocated(h, take_object, count, err))
		return false;
	list_classes(count, ret);
	ret->free = heap_span_bytes(h) - ret->live.bytes - ret->garbage.bytes;
	ret->unreadable = heap_unreadable(h);
	return true;
}

void heap_summary_done(struct heap_summary *summary)
{
	xfree(summary->classes);
	*summary = (struct heap_summary){ .free = 0 };
}
