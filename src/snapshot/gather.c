/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/gather.h"

#include "src/snapshot/goroutines.h"
#include "src/snapshot/snap.h"

struct rehearsal {
	struct graph_walk walk;
	bool *done; /* by goroutine */
};

static void rehearse_one(struct rehearsal *r, size_t i)
{
	const struct graph *graph = r->walk.graph;
	struct goroutine_of it = runtimes_goroutine(graph->capture->runtimes, i);

	if (r->done[i] || !graph_wants(graph, it.goroutine) ||
	    r->walk.bytes >= graph->how.values->document_bytes)
		return;
	r->done[i] = true;
	graph_walk_goroutine(&r->walk, it.runtime, it.goroutine);
}

void gather_rehearse(struct graph *graph)
{
	struct runtimes *all = graph->capture->runtimes;
	const struct groups *groups = graph->groups;
	const size_t n = runtimes_goroutine_count(all);
	AUTO(xfree) bool *done = xcalloc(n + 1, sizeof(*done));
	AUTO(sink_free) struct sink *nowhere = sink_part_new();
	struct rehearsal r = { .walk = { .graph = graph, .nowhere = nowhere },
			       .done = done };

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		if (goroutines_urgent(it) || it.goroutine->thread >= 0)
			rehearse_one(&r, i);
	}
	graph_walk_objects(&r.walk);
	for (size_t i = groups->count; i-- > 0;)
		rehearse_one(&r, groups->members[groups->list[i].first]);
	for (size_t i = 0; i < n; i++)
		rehearse_one(&r, i);
	if (graph->print_others)
		graph->print_others(graph->arg, nowhere);
	sink_part_cut(nowhere, 0);
	graph_walk_objects(&r.walk);
}

static bool has_time(void *arg)
{
	const struct graph_walk *walk = arg;

	return capture_has_time(walk->graph->capture);
}

static void read_ran(void *arg, struct runtime *rt, const struct goroutine *g)
{
	graph_walk_goroutine(arg, rt, g);
}

bool gather_changed(struct graph *graph)
{
	AUTO(sink_free) struct sink *nowhere = sink_part_new();
	struct graph_walk walk = { .graph = graph, .nowhere = nowhere };

	bool whole =
		!graph->frames ||
		runtimes_each_ran(graph->capture->runtimes,
				  &(struct ran_goroutines){ has_time, read_ran, &walk });
	walk.has_time = has_time;
	graph_walk_objects(&walk);
	return whole && walk.next == objects_count(graph->how.objects);
}
