/* SPDX-License-Identifier: Apache-2.0 */
/* A node is dominated by its parent in the tree unless an edge leads to it from elsewhere. So the algorithm is
 * run on the core: nodes that edges touch, and all before them in the tree. Of a heap these are few. */
#include "goruntime/retention/dominators.h"

#define NONE UINT32_MAX

/* What dominators.h says; and how many nodes are between two looks at the clock. */
enum { NODE_BYTES = 40, EDGE_BYTES = 8, NODES_A_LOOK = 1024 };

struct core {
	uint64_t *bits;
	uint32_t *before; /* of each word of these: how many are set in those before */
	uint32_t count;
};

/* The nodes that each node leads to, or comes from. */
struct lists {
	uint32_t *begin, *nodes;
};

/* By the order in which a search that goes deep first numbers the core, but for the first array. */
struct search {
	uint32_t *number; /* of each node of the core */
	uint32_t *node;	  /* the reverse: in the core; at last in the graph */
	/* Its parent in the tree of the search; of those that are linked, what is left of the way to it. */
	uint32_t *ancestor;
	uint32_t *semi, *label;	 /* as in the paper */
	uint32_t *bucket, *next; /* of those with that semidominator; 0: none */
	uint32_t *dominator;	 /* is next, for those that are in no bucket any more */
	uint32_t *way;		 /* room */
	size_t way_cap;
};

static bool in_core(const struct core *c, uint32_t node)
{
	return c->bits[node / 64] >> node % 64 & 1;
}

static uint32_t core_index(const struct core *c, uint32_t node)
{
	const uint64_t lower = (UINT64_C(1) << node % 64) - 1;

	return c->before[node / 64] +
	       (uint32_t)__builtin_popcountll(c->bits[node / 64] & lower);
}

static void add_way_to(struct core *c, const struct graph *g, uint32_t node)
{
	for (; !in_core(c, node); node = g->parent[node] - 1) {
		c->bits[node / 64] |= UINT64_C(1) << node % 64;
		if (!g->parent[node])
			return;
	}
}

static void find_core(struct core *c, const struct graph *g)
{
	const uint32_t words = g->count / 64 + 1;

	c->bits = xcalloc(words, sizeof(*c->bits));
	c->before = xcalloc(words, sizeof(*c->before));
	for (size_t i = 0; i < g->edge_count; i++) {
		add_way_to(c, g, g->edges[i].from);
		add_way_to(c, g, g->edges[i].to);
	}
	for (uint32_t i = 0; i < words; i++) {
		c->before[i] = c->count;
		c->count += (uint32_t)__builtin_popcountll(c->bits[i]);
	}
}

/* The next node of the core, from that one on; g->count: none. */
static uint32_t next_in_core(const struct graph *g, const struct core *c, uint32_t node)
{
	for (; node < g->count; node = (node / 64 + 1) * 64) {
		const uint64_t bits = c->bits[node / 64] >> node % 64;
		if (bits)
			return node + (uint32_t)__builtin_ctzll(bits);
	}
	return g->count;
}

static void take_edge(struct lists *l, uint32_t from, uint32_t to)
{
	if (l->nodes)
		l->nodes[--l->begin[from]] = to;
	else
		l->begin[from]++;
}

/* Without l->nodes counts them. number: of nodes in the lists, by their indices in the core; NULL: these. */
static void take_edges(struct lists *l, const struct graph *g, const struct core *c,
		       const uint32_t *number)
{
	for (uint32_t i = 0, n = next_in_core(g, c, 0); n < g->count;
	     i++, n = next_in_core(g, c, n + 1)) {
		const uint32_t parent =
			g->parent[n] ? core_index(c, g->parent[n] - 1) : NONE;
		if (parent != NONE && number)
			take_edge(l, number[i], number[parent]);
		else if (parent != NONE)
			take_edge(l, parent, i);
	}
	for (size_t i = 0; i < g->edge_count; i++) {
		const uint32_t from = core_index(c, g->edges[i].from),
			       to = core_index(c, g->edges[i].to);
		if (number)
			take_edge(l, number[to], number[from]);
		else
			take_edge(l, from, to);
	}
}

/* Where edges lead to; with numbers where they come from. */
static struct lists lists_of(const struct graph *g, const struct core *c,
			     const uint32_t *number)
{
	struct lists l = { .begin = xcalloc((size_t)c->count + 1, sizeof(*l.begin)) };
	uint32_t sum = 0;

	take_edges(&l, g, c, number);
	for (uint32_t i = 0; i < c->count; i++)
		l.begin[i] = sum += l.begin[i];
	l.begin[c->count] = sum;
	l.nodes = xcalloc((size_t)sum + 1, sizeof(*l.nodes));
	take_edges(&l, g, c, number);
	return l;
}

static void lists_free(struct lists *l)
{
	xfree(l->begin);
	xfree(l->nodes);
}

static void number_nodes(struct search *s, const struct lists *to, uint32_t count)
{
	AUTO(xfree) uint32_t *left = xcalloc(count, sizeof(*left));
	uint32_t at = count - 1, n = 0;

	for (uint32_t i = 0; i < count; i++) {
		s->number[i] = NONE;
		left[i] = to->begin[i + 1];
	}
	s->node[n] = at;
	s->number[at] = n++;
	for (;;) {
		const uint32_t number = s->number[at];
		const uint32_t next =
			left[at] > to->begin[at] ? to->nodes[--left[at]] : NONE;
		if (next == NONE && !number)
			return;
		if (next == NONE) {
			at = s->node[s->ancestor[number]];
		} else if (s->number[next] == NONE) {
			s->ancestor[n] = number;
			s->node[n] = next;
			s->number[next] = n++;
			at = next;
		}
	}
}

/* Of the nodes on the way to v from the first that is linked, the one with the least semidominator. Those from
 * linked on are. */
static uint32_t least_on_way(struct search *s, uint32_t v, uint32_t linked)
{
	size_t n = 0;

	if (v < linked)
		return v;
	for (uint32_t at = v; s->ancestor[at] >= linked; at = s->ancestor[at]) {
		GROW(s->way, n, s->way_cap);
		s->way[n++] = at;
	}
	while (n--) {
		const uint32_t at = s->way[n], before = s->ancestor[at];
		if (s->semi[s->label[before]] < s->semi[s->label[at]])
			s->label[at] = s->label[before];
		s->ancestor[at] = s->ancestor[before];
	}
	return s->label[v];
}

static void empty_bucket(struct search *s, uint32_t of, uint32_t linked)
{
	for (uint32_t v = s->bucket[of], next; v; v = next) {
		const uint32_t u = least_on_way(s, v, linked);
		next = s->next[v];
		s->dominator[v] = s->semi[u] < s->semi[v] ? u : of;
	}
	s->bucket[of] = 0;
}

static bool find(struct search *s, const struct lists *from, uint32_t count,
		 uint64_t until_ns)
{
	for (uint32_t v = 0; v < count; v++)
		s->semi[v] = s->label[v] = v;
	for (uint32_t w = count - 1; w > 0; w--) {
		if (until_ns && w % NODES_A_LOOK == 0 && processor_ns() > until_ns)
			return false;
		for (uint32_t i = from->begin[w]; i < from->begin[w + 1]; i++) {
			const uint32_t u = least_on_way(s, from->nodes[i], w + 1);
			if (s->semi[u] < s->semi[w])
				s->semi[w] = s->semi[u];
		}
		s->next[w] = s->bucket[s->semi[w]];
		s->bucket[s->semi[w]] = w;
		empty_bucket(s, s->ancestor[w], w);
	}
	for (uint32_t w = 1; w < count; w++)
		if (s->dominator[w] != s->semi[w])
			s->dominator[w] = s->dominator[s->dominator[w]];
	return true;
}

static void put_back(struct search *s, struct graph *g, const struct core *c)
{
	for (uint32_t i = 0, n = next_in_core(g, c, 0); n < g->count;
	     i++, n = next_in_core(g, c, n + 1))
		s->node[s->number[i]] = n;
	for (uint32_t w = 1; w < c->count; w++)
		g->parent[s->node[w]] = s->node[s->dominator[w]] + 1;
}

static bool search_core(struct graph *g, const struct core *c)
{
	AUTO(xfree) uint32_t *number = xcalloc(c->count, sizeof(*number));
	AUTO(xfree) uint32_t *node = xcalloc(c->count, sizeof(*node));
	AUTO(xfree) uint32_t *ancestor = xcalloc(c->count, sizeof(*ancestor));
	struct search s = { .number = number, .node = node, .ancestor = ancestor };
	struct lists lists = lists_of(g, c, NULL);

	number_nodes(&s, &lists, c->count);
	lists_free(&lists);
	lists = lists_of(g, c, number);
	xfree(TAKE(g->edges));
	g->edge_count = 0;
	AUTO(xfree) uint32_t *label = xcalloc(c->count, sizeof(*label));
	AUTO(xfree) uint32_t *bucket = xcalloc(c->count, sizeof(*bucket));
	AUTO(xfree) uint32_t *next = xcalloc(c->count, sizeof(*next));
	s.semi = node; /* that is not needed until it is put back */
	s.label = label;
	s.bucket = bucket;
	s.next = s.dominator = next;
	const bool ok = find(&s, &lists, c->count, g->until_ns);
	lists_free(&lists);
	if (ok)
		put_back(&s, g, c);
	xfree(s.way);
	return ok;
}

bool dominators_find(struct graph *g)
{
	struct core core = { .count = 0 };

	find_core(&core, g);
	const bool fits = (uint64_t)core.count * NODE_BYTES +
				  (uint64_t)g->edge_count * EDGE_BYTES <=
			  g->memory;
	const bool ok = fits && (!core.count || search_core(g, &core));
	xfree(TAKE(g->edges));
	xfree(core.bits);
	xfree(core.before);
	return ok;
}
