/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of random graphs, and of such as are hard, against what is found by taking each node away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "goruntime/retention/dominators.h"
#include "lib/base/util.h"
#include "tests/unit/unit.h"

enum { NODES = 40, EDGES = 400, GRAPHS = 20000, LONG = 300000 };

struct example {
	uint32_t count;
	struct edge
		all[EDGES]; /* of which those that made the tree are not given to it */
	size_t edge_count;
	uint32_t parent[NODES];
};

static uint32_t state = 1;

static uint32_t random_below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

static void add(struct example *e, uint32_t from, uint32_t to)
{
	e->all[e->edge_count++] = (struct edge){ from, to };
}

static void make(struct example *e)
{
	e->count = 2 + random_below(NODES - 1);
	e->edge_count = 0;
	const uint32_t n = e->count * (1 + random_below(4));
	for (uint32_t i = 0; i < n; i++)
		add(e, random_below(e->count), random_below(e->count));
	add(e, e->count - 1, random_below(e->count));
}

/* Which nodes the root leads to without that one. parents: of the tree that this makes. */
static void reach(const struct example *e, uint32_t without, bool *reached,
		  uint32_t *parents)
{
	memset(reached, 0, NODES * sizeof(*reached));
	reached[e->count - 1] = without != e->count - 1;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < e->edge_count; i++) {
			const struct edge *edge = &e->all[i];
			if (!reached[edge->from] || reached[edge->to] ||
			    edge->to == without)
				continue;
			reached[edge->to] = more = true;
			if (parents)
				parents[edge->to] = edge->from + 1;
		}
	}
}

/* The tree, and all edges between nodes that can be reached: those in the tree once more. */
static void find(struct example *e)
{
	bool reached[NODES];
	struct edge *edges = xcalloc(EDGES, sizeof(*edges));
	struct graph g = { e->parent, e->count, edges, 0, UINT64_MAX, 0 };

	memset(e->parent, 0, sizeof(e->parent));
	reach(e, UINT32_MAX, reached, e->parent);
	for (size_t i = 0; i < e->edge_count; i++)
		if (reached[e->all[i].from] &&
		    (e->parent[e->all[i].to] != e->all[i].from + 1 || random_below(2)))
			edges[g.edge_count++] = e->all[i];
	assert_true(dominators_find(&g));
}

static bool is_above(const struct example *e, uint32_t above, uint32_t node)
{
	for (size_t i = 0; i < NODES && e->parent[node]; i++) {
		node = e->parent[node] - 1;
		if (node == above)
			return true;
	}
	return false;
}

static void check(const struct example *e)
{
	bool reached[NODES], left[NODES];

	reach(e, UINT32_MAX, reached, NULL);
	for (uint32_t away = 0; away < e->count; away++) {
		reach(e, away, left, NULL);
		for (uint32_t node = 0; node < e->count; node++)
			if (node != away && reached[node])
				assert_int_equal(is_above(e, away, node),
						 reached[away] && !left[node]);
	}
}

static void test_random(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < GRAPHS; i++) {
		struct example e;
		make(&e);
		find(&e);
		check(&e);
	}
}

/* A list whose nodes all lead to one more: LONG - 1 ... 0, the root leads to it; LONG is what all lead to. */
static struct graph long_graph(void)
{
	uint32_t *parent = xcalloc(LONG + 2, sizeof(*parent));
	struct edge *edges = xcalloc(2 * LONG, sizeof(*edges));
	struct graph g = { parent, LONG + 2, edges, 0, UINT64_MAX, 0 };

	for (uint32_t i = 0; i < LONG; i++) {
		parent[i] = i == LONG - 1 ? LONG + 2 : i + 2;
		edges[g.edge_count++] = (struct edge){ i, LONG };
		if (i + 1 < LONG)
			edges[g.edge_count++] = (struct edge){ i, i + 1 };
	}
	parent[LONG] = 1;
	return g;
}

/* No recursion, and no time that grows with the square. */
static void test_long(void **unused)
{
	(void)unused;
	struct graph g = long_graph();

	assert_true(dominators_find(&g));
	for (uint32_t i = 0; i < LONG - 1; i++)
		assert_int_equal(g.parent[i], i + 2);
	assert_int_equal(g.parent[LONG], LONG);
	xfree(g.parent);
}

static void test_limits(void **unused)
{
	(void)unused;
	struct graph late = long_graph(), large = long_graph();

	late.until_ns = 1;
	assert_false(dominators_find(&late));
	large.memory = UINT64_C(40) * LONG;
	assert_false(dominators_find(&large));
	xfree(late.parent);
	xfree(large.parent);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_limits),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
