/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/heap_summary.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap.h"
#include "goruntime/heap/paths.h"
#include "goruntime/heap/retained.h"

enum { SIZES = HEAP_SMALL / WORD + 1, KINDS = 2 /* with and without pointers */ };

struct count {
	struct heap_summary *summary;
	struct heap_type *types; /* by number */
	bool *wanted;		 /* by number; NULL: all types are */
	struct heap_object biggest[HEAP_BIGGEST];
	struct heap_class classes[KINDS]
				 [SIZES]; /* by size in words; 0: the larger ones */
};

static void add(struct heap_amount *to, uint64_t bytes)
{
	to->objects++;
	to->bytes += bytes;
}

/* Those of the same size are in the order of addresses. */
static void keep_biggest(struct count *c, const struct heap_object *o)
{
	size_t i = c->summary->biggest_count;

	if (i == HEAP_BIGGEST && o->size <= c->biggest[--i].size)
		return;
	if (c->summary->biggest_count < HEAP_BIGGEST)
		c->summary->biggest_count++;
	for (; i && o->size > c->biggest[i - 1].size; i--)
		c->biggest[i] = c->biggest[i - 1];
	c->biggest[i] = *o;
}

static void take_object(void *arg, const struct heap_object *o, bool marked)
{
	struct count *c = arg;
	const uint64_t words = o->size > HEAP_SMALL ? 0 : o->size / WORD;
	struct heap_class *to = &c->classes[o->no_pointers][words];

	if (marked && (!c->wanted || c->wanted[o->type]))
		keep_biggest(c, o);
	add(marked ? &to->live : &to->garbage, o->size);
	add(marked ? &c->types[o->type].live : &c->types[o->type].garbage, o->size);
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

static int by_name(const void *a, const void *b)
{
	const struct heap_type *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_type_bytes(const void *a, const void *b)
{
	const struct heap_type *x = a, *y = b;
	const uint64_t m = x->live.bytes + x->garbage.bytes,
		       n = y->live.bytes + y->garbage.bytes;

	return m != n ? (m < n ? 1 : -1) : strcmp(x->name, y->name);
}

static void join(struct heap_type *to, struct heap_type *from)
{
	to->live.objects += from->live.objects;
	to->live.bytes += from->live.bytes;
	to->garbage.objects += from->garbage.objects;
	to->garbage.bytes += from->garbage.bytes;
	xfree(from->name);
}

static void list_types(const struct heap *h, struct count *c, struct heap_summary *to)
{
	const size_t n = heap_type_count(h);
	size_t count = 0;

	to->untyped_live = c->types[0].live;
	to->untyped_garbage = c->types[0].garbage;
	to->types = xcalloc(n + 1, sizeof(*to->types));
	for (size_t i = 1; i <= n; i++) {
		if (!c->types[i].live.objects && !c->types[i].garbage.objects)
			continue;
		to->types[count] = c->types[i];
		to->types[count++].name = heap_type_name(h, (uint16_t)i);
	}
	if (count)
		qsort(to->types, count, sizeof(*to->types), by_name);
	for (size_t i = 0; i < count; i++) {
		if (to->type_count &&
		    strcmp(to->types[to->type_count - 1].name, to->types[i].name) == 0)
			join(&to->types[to->type_count - 1], &to->types[i]);
		else
			to->types[to->type_count++] = to->types[i];
	}
	if (to->type_count)
		qsort(to->types, to->type_count, sizeof(*to->types), by_type_bytes);
	for (size_t i = 0; i < to->biggest_count; i++)
		to->biggest[i] = (struct heap_big){
			c->biggest[i].addr, c->biggest[i].size,
			c->biggest[i].type ? heap_type_name(h, c->biggest[i].type) : NULL
		};
}

static int by_stack(const void *a, const void *b)
{
	const struct goroutine *x = *(const struct goroutine *const *)a,
			       *y = *(const struct goroutine *const *)b;

	return (x->stack > y->stack) - (x->stack < y->stack);
}

struct roots {
	struct heap *heap;
	struct runtime *rt;
};

static void mark_roots(void *arg)
{
	const struct roots *r = arg;
	const size_t n = r->rt->goroutine_count;
	AUTO(xfree)
	const struct goroutine **list = xcalloc(n + 1, sizeof(const struct goroutine *));

	for (size_t i = 0; i < n; i++)
		list[i] = &r->rt->goroutines[i];
	qsort(list, n, sizeof(const struct goroutine *), by_stack);
	heap_mark_globals(r->heap);
	heap_mark_specials(r->heap);
	heap_mark_queues(r->heap);
	heap_mark_threads(r->heap);
	for (size_t i = 0; i < n; i++)
		heap_mark_stack(r->heap, list[i]);
}

static void name_root(const struct roots *roots, struct heap_root *root)
{
	if (root->kind == HEAP_ROOT_GLOBAL)
		root->name = heap_global_name(roots->heap, root->id);
	else if (root->kind == HEAP_ROOT_GOROUTINE)
		root->id = roots->rt->goroutines[root->id].id;
}

static bool list_roots(struct roots *roots, struct heap_summary *to, struct err *err)
{
	struct heap_retained all;
	const bool ok = heap_retain(roots->heap, mark_roots, roots, &all, err);

	to->shared = all.shared;
	to->roots = all.roots;
	to->root_count = all.count;
	for (size_t i = 0; i < all.count; i++)
		name_root(roots, &all.roots[i]);
	return ok;
}

/* NULL: all are. */
static bool *wanted_types(const struct heap *h, const char *name)
{
	bool *wanted = name ? xcalloc(heap_type_count(h) + 1, sizeof(*wanted)) : NULL;

	for (size_t i = 1; name && i <= heap_type_count(h); i++) {
		AUTO(xfree) char *other = heap_type_name(h, (uint16_t)i);
		wanted[i] = strcmp(name, other) == 0;
	}
	return wanted;
}

static bool find_paths(struct roots *roots, struct heap_summary *to, struct err *err)
{
	uint64_t addrs[HEAP_BIGGEST];

	for (size_t i = 0; i < to->biggest_count; i++)
		addrs[i] = to->biggest[i].addr;
	if (!heap_paths_find(roots->heap, mark_roots, roots, addrs, to->biggest_count,
			     &to->paths, err))
		return false;
	for (size_t i = 0; i < to->biggest_count; i++)
		if (to->paths[i].known)
			name_root(roots, &to->paths[i].root);
	return true;
}

static bool count_objects(struct heap *h, const struct heap_wishes *wishes,
			  struct heap_summary *to, struct err *err)
{
	AUTO(xfree) struct count *count = xcalloc(1, sizeof(*count));
	AUTO(xfree)
	struct heap_type *types = xcalloc(heap_type_count(h) + 1, sizeof(*types));

	count->summary = to;
	count->types = types;
	AUTO(xfree) bool *wanted = wanted_types(h, wishes->type);
	count->wanted = wanted;
	if (!heap_each_allocated(h, take_object, count, err)) {
		to->biggest_count = 0;
		return false;
	}
	list_classes(count, to);
	list_types(h, count, to);
	return true;
}

bool heap_summarize(struct runtime *rt, struct target *memory,
		    const struct heap_wishes *wishes, struct heap_summary *ret,
		    struct err *err)
{
	const struct heap_limits limits = { .ns = wishes->ns,
					    .megabytes_read = wishes->megabytes_read };
	*ret = (struct heap_summary){ .free = 0 };
	AUTO(heap_close) struct heap *h = heap_open(rt, memory, &limits, err);
	struct roots roots = { h, rt };

	if (!h)
		return false;
	heap_find_types(h);
	mark_roots(&roots);
	if (!heap_mark(h, err))
		return false;
	ret->unreadable = heap_unreadable(h);
	if (!heap_mark_garbage(h, err) || !count_objects(h, wishes, ret, err) ||
	    ((wishes->paths || wishes->type) && !find_paths(&roots, ret, err)) ||
	    (wishes->ways &&
	     !heap_ways_find(h, mark_roots, &roots, &ret->ways, &ret->way_count, err)) ||
	    !list_roots(&roots, ret, err))
		return false;
	ret->free = heap_span_bytes(h) - ret->live.bytes - ret->garbage.bytes;
	return true;
}

void heap_summary_done(struct heap_summary *summary)
{
	for (size_t i = 0; i < summary->type_count; i++)
		xfree(summary->types[i].name);
	for (size_t i = 0; i < summary->biggest_count; i++)
		xfree(summary->biggest[i].type);
	heap_ways_free(summary->ways, summary->way_count);
	heap_paths_free(summary->paths, summary->biggest_count);
	for (size_t i = 0; i < summary->root_count; i++)
		xfree(summary->roots[i].name);
	xfree(summary->roots);
	xfree(summary->types);
	xfree(summary->classes);
	*summary = (struct heap_summary){ .free = 0 };
}
