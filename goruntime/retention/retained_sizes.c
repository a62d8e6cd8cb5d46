/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of the graph are objects, by their numbers, then roots, then one that leads to all of these.
 *
 * Leaves, objects without pointers, dominate nothing, so the tree is made without those that several nodes lead
 * to, of which a heap has many: strings. Their dominator is the last node that all ways to these nodes have in
 * common. The walk over the tree finds it: what it has open is the way to where it is. */
#include "goruntime/retention/retained_sizes.h"

#include <stdlib.h>

#include "goruntime/heap/object_types.h"
#include "goruntime/retention/breadth_first.h"
#include "goruntime/retention/dominators.h"
#include "lib/base/table.h"

enum { NODES_MAX = UINT32_MAX - 1, BLOCK = 256, NODES_A_LOOK = 1024 };
/* Twice its size, because qsort() copies them, and dominators.c has lists of them; and edges of one object that are
 * looked through one by one. */
enum { EDGE_BYTES = 2 * sizeof(struct edge), FEW_EDGES = 16 };

struct edges {
	struct edge *list;
	size_t count, cap;
	uint32_t from; /* the object, or root, that is read */
	size_t begin;  /* of its edges, without those of others before it */
};

struct finding {
	const struct heap *heap;
	struct edges edges;	/* that are not in the tree */
	struct edges to_leaves; /* all, of those with several */
	uint64_t *joined;	/* bits: these leaves */
	struct heap_root *roots;
	size_t root_count, root_cap;
	struct table numbers; /* of roots */
	uint64_t memory;      /* as in the request */
	bool too_much;
};

/* An object, or root, that is on the way to where the walk is. */
struct visit {
	uint64_t bytes, objects;   /* that were counted before it */
	struct heap_amount leaves; /* that it dominates, and that were not counted */
	uint64_t addr;		   /* of the object; 0: a root */
	uint32_t node, kind;
	uint32_t order; /* how many nodes were entered before it */
};

struct tree_walk {
	const struct heap *heap;
	const struct retained_request *request;
	struct heap_retained *ret;
	/* 1 + nodes that a node dominates, and that its dominator does, too. Of leaves with several edges: how
	 * many of these have not been met, and 1 + the order of the last node that those met have in common. */
	uint32_t *first, *next;
	const struct edges *to_leaves; /* sorted by where they come from */
	uint32_t entered;
	size_t *open;	 /* 1 + the outermost visit of each kind; 0: none is open */
	uint32_t *spans; /* of every BLOCK-th object */
	struct visit *visits;
	size_t visit_count, visit_cap;
	struct heap_amount so_far;
	uint64_t memory;
};

static uint32_t node_of_root(struct finding *f, const struct heap_root *root)
{
	uint64_t number = table_get(&f->numbers, root->id, root->kind);

	if (!number) {
		GROW(f->roots, f->root_count, f->root_cap);
		f->roots[f->root_count++] = *root;
		number = f->root_count;
		table_set(&f->numbers, root->id, root->kind, number);
	}
	number += f->heap->object_count - 1;
	f->too_much |= number >= NODES_MAX;
	return (uint32_t)number;
}

static uint32_t source_of(struct finding *f, const struct reached *to)
{
	return to->from == NO_SCAN ? node_of_root(f, &to->root) : (uint32_t)to->from;
}

static uint32_t reach(void *arg, const struct reached *to)
{
	return source_of(arg, to) + 1;
}

/* Beside what pointers take; 0: these take too much. */
static uint64_t memory_left(const struct finding *f)
{
	const uint64_t taken =
		(uint64_t)(f->edges.count + f->to_leaves.count) * EDGE_BYTES;

	return f->memory > taken ? f->memory - taken : 0;
}

static int by_source(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Those of one object to the same one become a single one. */
static void join_edges(struct edges *e)
{
	const size_t n = e->count - e->begin;
	size_t kept = 1;

	if (n < 2)
		return;
	struct edge *list = e->list + e->begin;
	qsort(list, n, sizeof(*list), by_source);
	for (size_t i = 1; i < n; i++)
		if (by_source(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	e->count = e->begin + kept;
}

static void append_edge(struct finding *f, struct edges *to, uint32_t from, uint32_t node)
{
	f->too_much |= !memory_left(f);
	if (f->too_much)
		return;
	if (to->count == to->cap) {
		join_edges(to);
		/* Unless there is something to add before they are joined again. */
		if (to->count >= to->cap / 2)
			GROW(to->list, to->cap, to->cap);
	}
	to->list[to->count++] = (struct edge){ from, node };
}

static void add_edge(struct finding *f, struct edges *to, uint32_t from, uint32_t node)
{
	if (from != to->from && to->count - to->begin > FEW_EDGES)
		join_edges(to);
	if (from != to->from)
		to->begin = to->count;
	to->from = from;
	for (size_t i = to->count; i > to->begin && i + FEW_EDGES > to->count; i--)
		if (to->list[i - 1].to == node && to->list[i - 1].from == from)
			return;
	append_edge(f, to, from, node);
}

static void reach_again(void *arg, const struct reached *to, uint32_t value)
{
	struct finding *f = arg;
	const uint32_t from = source_of(f, to),
		       node = (uint32_t)(to->span->first + to->i);

	if (from + 1 == value || from == node)
		return;
	if (!to->span->no_pointers) {
		add_edge(f, &f->edges, from, node);
		return;
	}
	if (!bit_of(f->joined, node))
		append_edge(f, &f->to_leaves, value - 1, node);
	f->joined[node / 64] |= UINT64_C(1) << node % 64;
	add_edge(f, &f->to_leaves, from, node);
}

static bool give_up(const struct heap *h, struct err *err)
{
	return err_set(err, ERR_LIMIT,
		       heap_is_in_time(h)
			       ? "it would take too much memory to find out"
			       : "the heap is too large to be read in that time");
}

/* Dominators, of all nodes. NULL: ERR_LIMIT. */
static uint32_t *find_dominators(struct heap *h, struct finding *f, struct err *err)
{
	const struct reached_fns fns = { reach, reach_again, f };
	AUTO(xfree) uint32_t *parents = NULL;

	f->too_much = h->object_count >= NODES_MAX;
	if (!f->too_much && !(parents = breadth_first(h, &fns, err)))
		return NULL;
	const uint64_t count = h->object_count + f->root_count + 1;
	if (f->too_much || count + f->edges.count >= NODES_MAX) {
		give_up(h, err);
		return NULL;
	}
	parents = xreallocarray(parents, count, sizeof(*parents));
	for (uint64_t i = h->object_count; i < count - 1; i++)
		parents[i] = (uint32_t)count;
	parents[count - 1] = 0;
	struct graph g = { .parent = parents,
			   .count = (uint32_t)count,
			   .edges = TAKE(f->edges.list),
			   .edge_count = f->edges.count,
			   .memory = memory_left(f),
			   .until_ns = h->until_ns };
	f->edges.count = 0;
	if (!dominators_find(&g)) {
		give_up(h, err);
		return NULL;
	}
	return TAKE(parents);
}

/* Of the first object of every block, the index of its span. */
static uint32_t *index_spans(const struct heap *h)
{
	uint32_t *list = xcalloc(h->object_count / BLOCK + 1, sizeof(*list));
	size_t s = 0;

	for (uint64_t i = 0; i < h->object_count; i += BLOCK) {
		while (h->spans[s].first + h->spans[s].elems <= i)
			s++;
		list[i / BLOCK] = (uint32_t)s;
	}
	return list;
}

static const struct span *span_of(const struct tree_walk *w, uint32_t object)
{
	const struct span *s = &w->heap->spans[w->spans[object / BLOCK]];

	while (s->first + s->elems <= object)
		s++;
	return s;
}

static struct heap_object object_of(const struct tree_walk *w, uint32_t node)
{
	const struct span *s = span_of(w, node);
	const uint32_t i = (uint32_t)(node - s->first);

	return (struct heap_object){ .addr = s->start + i * s->elem_size,
				     .size = s->elem_size,
				     .no_pointers = s->no_pointers,
				     .type = object_type_of(w->heap, s, i) };
}

/* The last of the open visits that the one of that order is, or is inside. */
static struct visit *open_at(const struct tree_walk *w, uint32_t order)
{
	return &w->visits[LOWER_BOUND(v, w->visit_count, w->visits[v].order <= order) -
			  1];
}

/* Is the visit one of that kind, or inside one? */
static bool is_inside_kind(const struct tree_walk *w, const struct visit *v,
			   uint32_t kind)
{
	return kind && w->open[kind] && w->open[kind] <= (size_t)(v - w->visits) + 1;
}

/* Now that its dominator is known. */
static void count_leaf(struct tree_walk *w, uint32_t node, struct visit *dominator)
{
	const struct heap_object object = object_of(w, node);
	const uint32_t kind = w->request->kinds[object.type];
	const struct retained_amount retained = {
		.amount = { 1, object.size },
		.dominator = dominator->addr,
		.outermost = !is_inside_kind(w, dominator, kind),
	};

	dominator->leaves.objects++;
	dominator->leaves.bytes += object.size;
	if (retained.outermost && kind)
		heap_amount_add(&w->request->of_kinds[kind - 1], &retained.amount);
	w->request->fn(w->request->arg, &object, &retained);
}

/* The leaves that the innermost visit leads to. */
static void meet_leaves(struct tree_walk *w)
{
	const struct visit *v = &w->visits[w->visit_count - 1];
	const struct edges *e = w->to_leaves;
	const uint32_t order = v->order, node = v->node;

	for (size_t i = LOWER_BOUND(k, e->count, e->list[k].from < node);
	     i < e->count && e->list[i].from == node; i++) {
		const uint32_t leaf = e->list[i].to;
		struct visit *common =
			open_at(w, w->next[leaf] ? w->next[leaf] - 1 : order);
		w->next[leaf] = common->order + 1;
		if (--w->first[leaf] == 0)
			count_leaf(w, leaf, common);
	}
}

static void enter(struct tree_walk *w, uint32_t node)
{
	struct visit v = { w->so_far.bytes, w->so_far.objects, .node = node,
			   .order = w->entered++ };

	if (node < w->heap->object_count) {
		const struct heap_object object = object_of(w, node);
		v.addr = object.addr;
		v.kind = w->request->kinds[object.type];
		heap_amount_add(&w->so_far, &(struct heap_amount){ 1, object.size });
		if (!w->open[v.kind])
			w->open[v.kind] = w->visit_count + 1;
	}
	GROW(w->visits, w->visit_count, w->visit_cap);
	w->visits[w->visit_count++] = v;
	meet_leaves(w);
}

/* It is the last of the visits no more. */
static void leave_object(struct tree_walk *w, const struct visit *v,
			 const struct heap_amount *retained)
{
	const struct heap_object object = object_of(w, v->node);
	const struct retained_amount amount = {
		.amount = *retained,
		.dominator = w->visits[w->visit_count - 1].addr,
		.outermost = !v->kind || w->open[v->kind] == w->visit_count + 1,
	};

	if (amount.outermost)
		w->open[v->kind] = 0;
	if (amount.outermost && v->kind)
		heap_amount_add(&w->request->of_kinds[v->kind - 1], retained);
	w->request->fn(w->request->arg, &object, &amount);
}

static void leave(struct tree_walk *w)
{
	const struct visit v = w->visits[--w->visit_count];
	const struct heap_amount retained = {
		w->so_far.objects - v.objects + v.leaves.objects,
		w->so_far.bytes - v.bytes + v.leaves.bytes
	};
	const uint64_t root = v.node - w->heap->object_count;

	if (v.node < w->heap->object_count)
		leave_object(w, &v, &retained);
	else if (root < w->ret->count)
		w->ret->roots[root].alone = retained;
	else
		w->ret->shared = retained;
	if (w->visit_count)
		heap_amount_add(&w->visits[w->visit_count - 1].leaves, &v.leaves);
}

/* From the root of the tree, which is the last node. False: it would take too much. */
static bool walk_tree(struct tree_walk *w, uint32_t count)
{
	enter(w, count - 1);
	while (w->visit_count) {
		if (w->visit_count * sizeof(*w->visits) > w->memory ||
		    (w->entered % NODES_A_LOOK == 0 && !heap_is_in_time(w->heap)))
			return false;
		uint32_t *first = &w->first[w->visits[w->visit_count - 1].node];
		const uint32_t node = *first;
		if (!node) {
			leave(w);
			continue;
		}
		*first = w->next[node - 1];
		enter(w, node - 1);
	}
	return true;
}

/* Takes what the nodes' dominators are. */
static bool sum(const struct finding *f, const struct retained_request *request,
		uint32_t *dominators, struct heap_retained *ret)
{
	const struct heap *h = f->heap;
	const uint32_t count = (uint32_t)(h->object_count + ret->count + 1);
	AUTO(xfree) uint32_t *first = xcalloc(count, sizeof(*first));
	AUTO(xfree) size_t *open = xcalloc(request->kind_count + 1, sizeof(*open));
	AUTO(xfree) uint32_t *spans = index_spans(h);
	struct tree_walk w = { .heap = h,
			       .request = request,
			       .ret = ret,
			       .first = first,
			       .next = dominators,
			       .open = open,
			       .to_leaves = &f->to_leaves,
			       .spans = spans,
			       .memory = memory_left(f) };

	for (size_t i = 0; i < f->to_leaves.count; i++) {
		first[f->to_leaves.list[i].to]++;
		dominators[f->to_leaves.list[i].to] = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t dominator = dominators[i];
		if (!dominator)
			continue;
		dominators[i] = first[dominator - 1];
		first[dominator - 1] = i + 1;
	}
	const bool ok = walk_tree(&w, count);
	for (size_t i = 0; i < ret->count; i++) {
		ret->shared.objects -= ret->roots[i].alone.objects;
		ret->shared.bytes -= ret->roots[i].alone.bytes;
	}
	xfree(w.visits);
	return ok;
}

bool heap_retain_objects(struct heap *h, const struct retained_request *request,
			 struct heap_retained *ret, struct err *err)
{
	AUTO(xfree)
	uint64_t *joined = xcalloc(h->object_count / 64 + 1, sizeof(*joined));
	struct finding f = { .heap = h, .joined = joined, .memory = request->memory };
	AUTO(xfree)
	uint32_t *dominators = find_dominators(h, &f, err);
	bool ok = dominators != NULL;

	*ret = (struct heap_retained){ .roots = f.roots, .count = f.root_count };
	table_free(&f.numbers);
	xfree(f.edges.list);
	if (ok && f.to_leaves.count)
		qsort(f.to_leaves.list, f.to_leaves.count, sizeof(*f.to_leaves.list),
		      by_source);
	if (ok && !sum(&f, request, dominators, ret))
		ok = give_up(h, err);
	xfree(f.to_leaves.list);
	if (ok)
		heap_retained_sort(ret);
	else
		xfree(TAKE(ret->roots));
	return ok;
}
