/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of the graph are objects, by their numbers, then roots, then one that leads to all of these. */
#include "goruntime/retention/retained_sizes.h"

#include <stdlib.h>

#include "goruntime/heap/object_types.h"
#include "goruntime/retention/breadth_first.h"
#include "goruntime/retention/dominators.h"
#include "lib/base/table.h"

enum { NODES_MAX = UINT32_MAX - 1, BLOCK = 256 };

struct finding {
	const struct heap *heap;
	struct edge *edges;
	size_t edge_count, edge_cap;
	struct heap_root *roots;
	size_t root_count, root_cap;
	struct table numbers; /* of roots */
	bool too_many;
};

/* An object, or root, that is on the way to where the walk is. */
struct visit {
	uint64_t bytes, objects; /* that were counted before it */
	uint64_t addr;		 /* of the object; 0: a root */
	uint32_t node, kind;
};

struct tree_walk {
	const struct heap *heap;
	const struct retained_request *request;
	struct heap_retained *ret;
	uint32_t *first,
		*next; /* 1 + nodes that a node dominates, and that its dominator does, too */
	uint32_t *open;	 /* visits of each kind */
	uint32_t *spans; /* of every BLOCK-th object */
	struct visit *visits;
	size_t visit_count, visit_cap;
	struct heap_amount so_far;
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
	f->too_many |= number >= NODES_MAX;
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

static void reach_again(void *arg, const struct reached *to, uint32_t value)
{
	struct finding *f = arg;
	const struct edge edge = { source_of(f, to),
				   (uint32_t)(to->span->first + to->i) };
	const struct edge *last = f->edge_count ? &f->edges[f->edge_count - 1] : NULL;

	if (edge.from + 1 == value || edge.from == edge.to ||
	    (last && last->from == edge.from && last->to == edge.to))
		return;
	GROW(f->edges, f->edge_count, f->edge_cap);
	f->edges[f->edge_count++] = edge;
}

/* Dominators, of all nodes. NULL: ERR_LIMIT. */
static uint32_t *find_dominators(struct heap *h, struct finding *f, struct err *err)
{
	const struct reached_fns fns = { reach, reach_again, f };
	AUTO(xfree) uint32_t *parents = NULL;

	f->too_many = h->object_count >= NODES_MAX;
	if (!f->too_many && !(parents = breadth_first(h, &fns, err)))
		return NULL;
	const uint64_t count = h->object_count + f->root_count + 1;
	if (f->too_many || count + f->edge_count >= NODES_MAX) {
		err_set(err, ERR_LIMIT, "the heap has too many objects");
		return NULL;
	}
	parents = xreallocarray(parents, count, sizeof(*parents));
	for (uint64_t i = h->object_count; i < count - 1; i++)
		parents[i] = (uint32_t)count;
	parents[count - 1] = 0;
	struct graph g = { parents, (uint32_t)count, TAKE(f->edges), f->edge_count };
	dominators_find(&g);
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

static void enter(struct tree_walk *w, uint32_t node)
{
	struct visit v = { w->so_far.bytes, w->so_far.objects, .node = node };

	if (node < w->heap->object_count) {
		const struct span *s = span_of(w, node);
		const uint32_t i = (uint32_t)(node - s->first);
		v.addr = s->start + i * s->elem_size;
		v.kind = w->request->kinds[object_type_of(w->heap, s, i)];
		w->so_far.objects++;
		w->so_far.bytes += s->elem_size;
		w->open[v.kind]++;
	}
	GROW(w->visits, w->visit_count, w->visit_cap);
	w->visits[w->visit_count++] = v;
}

static void leave_object(struct tree_walk *w, const struct visit *v,
			 const struct heap_amount *retained)
{
	const struct span *s = span_of(w, v->node);
	const struct heap_object object = {
		.addr = v->addr,
		.size = s->elem_size,
		.no_pointers = s->no_pointers,
		.type = object_type_of(w->heap, s, (uint32_t)(v->node - s->first)),
	};
	const struct retained_amount amount = {
		.amount = *retained,
		.dominator = w->visits[w->visit_count - 1].addr,
		.outermost = --w->open[v->kind] == 0,
	};

	if (amount.outermost && v->kind) {
		w->request->of_kinds[v->kind - 1].objects += retained->objects;
		w->request->of_kinds[v->kind - 1].bytes += retained->bytes;
	}
	w->request->fn(w->request->arg, &object, &amount);
}

static void leave(struct tree_walk *w)
{
	const struct visit v = w->visits[--w->visit_count];
	const struct heap_amount retained = { w->so_far.objects - v.objects,
					      w->so_far.bytes - v.bytes };
	const uint64_t root = v.node - w->heap->object_count;

	if (v.node < w->heap->object_count)
		leave_object(w, &v, &retained);
	else if (root < w->ret->count)
		w->ret->roots[root].alone = retained;
}

/* From the root of the tree, which is the last node. */
static void walk_tree(struct tree_walk *w, uint32_t count)
{
	enter(w, count - 1);
	while (w->visit_count) {
		uint32_t *first = &w->first[w->visits[w->visit_count - 1].node];
		const uint32_t node = *first;
		if (!node) {
			leave(w);
			continue;
		}
		*first = w->next[node - 1];
		enter(w, node - 1);
	}
}

/* Takes what the nodes' dominators are. */
static void sum(const struct heap *h, const struct retained_request *request,
		uint32_t *dominators, struct heap_retained *ret)
{
	const uint32_t count = (uint32_t)(h->object_count + ret->count + 1);
	AUTO(xfree) uint32_t *first = xcalloc(count, sizeof(*first));
	AUTO(xfree) uint32_t *open = xcalloc(request->kind_count + 1, sizeof(*open));
	AUTO(xfree) uint32_t *spans = index_spans(h);
	struct tree_walk w = { .heap = h,
			       .request = request,
			       .ret = ret,
			       .first = first,
			       .next = dominators,
			       .open = open,
			       .spans = spans };

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t dominator = dominators[i];
		if (!dominator)
			continue;
		dominators[i] = first[dominator - 1];
		first[dominator - 1] = i + 1;
	}
	walk_tree(&w, count);
	ret->shared = w.so_far;
	for (size_t i = 0; i < ret->count; i++) {
		ret->shared.objects -= ret->roots[i].alone.objects;
		ret->shared.bytes -= ret->roots[i].alone.bytes;
	}
	xfree(w.visits);
}

bool heap_retain_objects(struct heap *h, const struct retained_request *request,
			 struct heap_retained *ret, struct err *err)
{
	struct finding f = { .heap = h };
	AUTO(xfree)
	uint32_t *dominators = find_dominators(h, &f, err);

	*ret = (struct heap_retained){ .roots = f.roots, .count = f.root_count };
	table_free(&f.numbers);
	xfree(f.edges);
	if (!dominators)
		return false;
	sum(h, request, dominators, ret);
	heap_retained_sort(ret);
	return true;
}
