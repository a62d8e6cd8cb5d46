/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/retention/heap_summary.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap.h"
#include "goruntime/retention/paths.h"
#include "goruntime/retention/retained_sizes.h"
#include "lib/base/search.h"

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
	heap_amount_add(&to->live, &from->live);
	heap_amount_add(&to->garbage, &from->garbage);
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

struct keepers {
	struct heap_keeper *list; /* those that retain most first */
	uint16_t types[HEAP_BIGGEST];
	size_t count;
};

static void keep_keeper(void *arg, const struct heap_object *o,
			const struct retained_amount *retained)
{
	struct keepers *k = arg;
	size_t i = k->count;

	if (!retained->outermost)
		return;
	if (i == HEAP_BIGGEST && retained->amount.bytes <= k->list[--i].retained.bytes)
		return;
	if (k->count < HEAP_BIGGEST)
		k->count++;
	for (; i && retained->amount.bytes > k->list[i - 1].retained.bytes; i--) {
		k->list[i] = k->list[i - 1];
		k->types[i] = k->types[i - 1];
	}
	k->types[i] = o->type;
	k->list[i] = (struct heap_keeper){ .object = { o->addr, o->size, NULL },
					   .retained = retained->amount,
					   .dominator = retained->dominator };
}

static int by_name_of(const void *a, const void *b)
{
	return by_name(*(const struct heap_type *const *)a,
		       *(const struct heap_type *const *)b);
}

/* By the number of a type: 1 + its index in the summary; 0: no object has it. */
static uint32_t *type_indices(const struct heap *h, const struct heap_summary *s)
{
	const size_t n = heap_type_count(h);
	uint32_t *indices = xcalloc(n + 1, sizeof(*indices));
	AUTO(xfree)
	const struct heap_type **sorted =
		xcalloc(s->type_count + 1, sizeof(const struct heap_type *));

	for (size_t i = 0; i < s->type_count; i++)
		sorted[i] = &s->types[i];
	if (s->type_count)
		qsort(sorted, s->type_count, sizeof(const struct heap_type *),
		      by_name_of);
	for (size_t i = 1; i <= n; i++) {
		AUTO(xfree) char *name = heap_type_name(h, (uint16_t)i);
		const size_t at =
			LOWER_BOUND(t, s->type_count, strcmp(sorted[t]->name, name) < 0);
		if (at < s->type_count && strcmp(sorted[at]->name, name) == 0)
			indices[i] = (uint32_t)(sorted[at] - s->types) + 1;
	}
	return indices;
}

/* The same as heap_retain(), and what types and objects retain. */
static bool retain_objects(struct heap *h, uint64_t memory, struct heap_summary *to,
			   struct heap_retained *all, struct err *err)
{
	AUTO(xfree) uint32_t *indices = type_indices(h, to);
	AUTO(xfree)
	struct heap_amount *of_types = xcalloc(to->type_count + 1, sizeof(*of_types));
	struct keepers keepers = { .list = to->keepers };
	const struct retained_request request = { indices,     to->type_count, of_types,
						  keep_keeper, &keepers,       memory };

	if (!heap_retain_objects(h, &request, all, err))
		return false;
	for (size_t i = 0; i < to->type_count; i++)
		to->types[i].retained = of_types[i];
	to->keeper_count = keepers.count;
	for (size_t i = 0; i < keepers.count; i++)
		if (keepers.types[i])
			to->keepers[i].object.type = heap_type_name(h, keepers.types[i]);
	to->retained = true;
	return true;
}

static void name_root(const struct heap *h, const struct runtime *rt,
		      struct heap_root *root)
{
	if (root->kind == HEAP_ROOT_GLOBAL)
		root->name = heap_global_name(h, root->id);
	else if (root->kind == HEAP_ROOT_GOROUTINE)
		root->id = rt->goroutines[root->id].id;
}

/* False: it is not known what objects retain. */
static bool retain_cheaply(struct heap *h, struct heap_summary *to,
			   struct heap_retained *all)
{
	const uint64_t share = heap_span_bytes(h) / 8,
		       memory = share > HEAP_LITTLE ? share : HEAP_LITTLE;
	struct err err;

	if (heap_place_count(h) > HEAP_FEW_OBJECTS)
		err_set(&err, ERR_LIMIT, "the heap has places for more than %d objects",
			HEAP_FEW_OBJECTS);
	else if (retain_objects(h, memory, to, all, &err))
		return true;
	to->not_retained = xstrdup(err.text);
	return false;
}

static bool retain(struct heap *h, enum heap_retained_wish wish, struct heap_summary *to,
		   struct heap_retained *all, struct err *err)
{
	if (wish == HEAP_RETAINED_ALWAYS)
		return retain_objects(h, UINT64_MAX, to, all, err);
	return (wish == HEAP_RETAINED_CHEAPLY && retain_cheaply(h, to, all)) ||
	       heap_retain(h, all, err);
}

static bool list_roots(struct heap *h, const struct runtime *rt,
		       enum heap_retained_wish wish, struct heap_summary *to,
		       struct err *err)
{
	struct heap_retained all;
	const bool ok = retain(h, wish, to, &all, err);

	to->shared = all.shared;
	to->roots = all.roots;
	to->root_count = all.count;
	for (size_t i = 0; i < all.count; i++)
		name_root(h, rt, &all.roots[i]);
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

static bool find_paths(struct heap *h, const struct runtime *rt, struct heap_summary *to,
		       struct err *err)
{
	uint64_t addrs[HEAP_BIGGEST];

	for (size_t i = 0; i < to->biggest_count; i++)
		addrs[i] = to->biggest[i].addr;
	if (!heap_paths_find(h, addrs, to->biggest_count, &to->paths, err))
		return false;
	for (size_t i = 0; i < to->biggest_count; i++)
		if (to->paths[i].known)
			name_root(h, rt, &to->paths[i].root);
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

	if (!h)
		return false;
	heap_find_types(h);
	heap_mark_roots(h);
	if (!heap_mark(h, err))
		return false;
	ret->unreadable = heap_unreadable(h);
	if (!heap_mark_garbage(h, err) || !count_objects(h, wishes, ret, err) ||
	    ((wishes->paths || wishes->type) && !find_paths(h, rt, ret, err)) ||
	    (wishes->ways && !heap_ways_find(h, &ret->ways, &ret->way_count, err)) ||
	    !list_roots(h, rt, wishes->retained, ret, err))
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
	for (size_t i = 0; i < summary->keeper_count; i++)
		xfree(summary->keepers[i].object.type);
	heap_ways_free(summary->ways, summary->way_count);
	heap_paths_free(summary->paths, summary->biggest_count);
	for (size_t i = 0; i < summary->root_count; i++)
		xfree(summary->roots[i].name);
	xfree(summary->roots);
	xfree(summary->not_retained);
	xfree(summary->types);
	xfree(summary->classes);
	*summary = (struct heap_summary){ .free = 0 };
}
