/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/graph.h"

#include "redaction/redaction.h"
#include "src/snapshot/goroutines.h"
#include "src/snapshot/snap.h"

enum {
	BATCH = 256,	 /* goroutines, or objects, whose memory is kept at a time */
	WALKS_MAX = 8,	 /* past this, all text is taken for a secret */
	REFERRERS = 20,	 /* bytes of an object that say how many there are */
	LIMITED = 16,	 /* more bytes of a reference to what has no room */
	TAIL = 32 << 10, /* bytes after the objects */
};

/* Takes what was printed. */
static void drop(struct graph_walk *w)
{
	w->bytes += sink_part_bytes(w->nowhere);
	sink_part_cut(w->nowhere, 0);
}

bool graph_wants(const struct graph *graph, const struct goroutine *g)
{
	return g->stack != NO_STACK && goroutines_wanted((void *)graph->options, g);
}

void graph_walk_goroutine(struct graph_walk *w, struct runtime *rt,
			  const struct goroutine *g)
{
	struct goroutine_printing how = w->graph->how;

	how.runtime = rt;
	if (!w->graph->frames)
		how.values = NULL;
	how.has_leads = false;
	print_goroutine(w->nowhere, &how, g, 0);
	w->has_leads = how.has_leads;
	drop(w);
}

/* Its own texts are those of few. */
static bool has_texts(struct goroutine_of it)
{
	return runtime_labels(it.runtime, it.goroutine) || goroutines_urgent(it);
}

/* If one goroutine of a group has only numbers, so have the others: the same variables. */
static void walk_member(struct graph_walk *w, struct goroutine_of it, uint32_t *plain)
{
	uint32_t *bytes = &plain[groups_of(w->graph->groups, it)];
	const uint64_t before = w->bytes;

	if (*bytes && !has_texts(it)) {
		w->bytes += *bytes;
		return;
	}
	graph_walk_goroutine(w, it.runtime, it.goroutine);
	if (!w->has_leads)
		*bytes = (uint32_t)(w->bytes - before);
}

static void walk_goroutines(struct graph_walk *w, bool urgent)
{
	struct runtimes *all = w->graph->capture->runtimes;
	const size_t n = runtimes_goroutine_count(all);
	AUTO(xfree)
	uint32_t *plain = xcalloc(w->graph->groups->count + 1, sizeof(*plain));

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		const bool alone = urgent || !w->graph->frames;
		if (!alone && i % BATCH == 0)
			runtimes_read_ahead(all, i, i + BATCH < n ? i + BATCH : n, true);
		if (!graph_wants(w->graph, it.goroutine) ||
		    goroutines_urgent(it) != urgent ||
		    !(w->graph->frames || has_texts(it)))
			continue;
		if (alone)
			runtimes_read_ahead(all, i, i + 1, true);
		walk_member(w, it, plain);
	}
}

static void walk_object(struct graph_walk *w, size_t i)
{
	const uint64_t before = w->bytes;

	print_object(w->nowhere, &w->graph->how, i);
	drop(w);
	w->bytes += REFERRERS;
	objects_measured(w->graph->how.objects, i, w->bytes - before);
}

/* Those that are new, then one that is not what it was when it was visited. */
static bool next_object(struct graph_walk *w, size_t *ret)
{
	struct objects *objects = w->graph->how.objects;

	*ret = w->next;
	if (w->next == objects_count(objects) ||
	    w->bytes >= w->graph->how.values->document_bytes)
		return objects_take_changed(objects, ret);
	w->next++;
	return true;
}

void graph_walk_objects(struct graph_walk *w)
{
	size_t n = 0, i;

	for (; (!w->has_time || w->has_time(w)) && next_object(w, &i); n++) {
		if (n % BATCH == 0)
			runtimes_begin_pass(w->graph->capture->runtimes);
		walk_object(w, i);
	}
}

/* As many as leave room for all else, and for saying that the others are not there. */
static size_t fitting(const struct graph_walk *w)
{
	const struct objects *objects = w->graph->how.objects;
	const uint64_t most = w->graph->how.values->document_bytes;
	uint64_t bytes = w->bytes + TAIL;
	size_t n = w->next;

	if (n < objects_count(objects) || bytes > most)
		bytes += LIMITED * objects_references(objects);
	while (n > 0 && bytes > most)
		bytes -= objects_bytes(objects, --n);
	return n;
}

static size_t walk(struct graph *graph, struct sink *nowhere)
{
	struct graph_walk w = { .graph = graph, .nowhere = nowhere };

	objects_begin_walk(graph->how.objects);
	walk_goroutines(&w, true);
	graph_walk_objects(&w);
	walk_goroutines(&w, false);
	if (graph->print_others)
		graph->print_others(graph->arg, nowhere);
	drop(&w);
	graph_walk_objects(&w);
	return fitting(&w);
}

static bool is_in_file(void *arg, uint64_t addr)
{
	const struct graph *graph = arg;

	return images_at(graph->capture->images, addr) != NULL;
}

void graph_find(struct graph *graph)
{
	AUTO(sink_free) struct sink *nowhere = sink_part_new();
	struct redaction *r = graph->how.redaction;
	size_t n = 0;

	redaction_set_public(r, is_in_file, graph);
	for (int i = 0; i <= WALKS_MAX; i++) {
		redaction_ask(r);
		n = walk(graph, nowhere);
		bool settled = redaction_settled(r);
		if (settled && objects_settled(graph->how.objects))
			break;
		if (i + 1 == WALKS_MAX)
			redaction_suspect_all(r);
	}
	if (n < objects_count(graph->how.objects)) {
		objects_limit(graph->how.objects, n);
		walk(graph, nowhere); /* counts references of what is left */
	}
	objects_close(graph->how.objects);
}

void graph_print_objects(struct graph *graph, struct sink *out)
{
	for (size_t i = 0; i < objects_count(graph->how.objects); i++) {
		if (i % BATCH == 0)
			runtimes_begin_pass(graph->capture->runtimes);
		print_object(out, &graph->how, i);
	}
}
