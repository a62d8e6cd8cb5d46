/* SPDX-License-Identifier: Apache-2.0 */
/* dominators.h - the dominator tree of a graph: the nearest node that all ways from the root to a node go
 * through (Lengauer and Tarjan, A fast algorithm for finding dominators in a flowgraph, 1979). */
#ifndef GOSNAP_DOMINATORS_H
#define GOSNAP_DOMINATORS_H

#include "lib/base/util.h"

struct edge {
	uint32_t from, to;
};

/* A tree over all nodes, and those edges that are not in it. */
struct graph {
	/* Of each node: 1 + the node before it in the tree; 0: it is the root, or cannot be reached. */
	uint32_t *parent;
	uint32_t count;	    /* the last node is the root */
	struct edge *edges; /* between nodes that can be reached; owned */
	size_t edge_count;
	uint64_t memory;   /* bytes that it may take beside these */
	uint64_t until_ns; /* of processor_ns(); 0: for ever */
};

/* Each parent becomes the dominator of its node; the edges are freed in either case. Takes some 40 bytes for each
 * node that edges, or the ways to their ends, touch, and 8 for each edge; time of about the order of both. False:
 * it would take more than it may. */
MUST_CHECK bool dominators_find(struct graph *g);

#endif
