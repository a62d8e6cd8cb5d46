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
	SAMPLES = 64,	 /* groups of which stacks are measured */
	SHARE = 4, /* part of the document that objects get, whatever goroutines need */
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
	if (!w->graph->frames || !goroutines_valued(w->graph->options, g))
		how.values = NULL;
	how.has_leads = false;
	print_goroutine(w->nowhere, &how, g, 0);
	w->has_leads = how.has_leads || how.redacted != w->graph->how.redacted;
	drop(w);
}

/* Its own texts are those of few. */
static bool has_texts(struct goroutine_of it)
{
	return runtime_labels(it.runtime, it.goroutine) || goroutines_urgent(it);
}

/* If one goroutine of a group has only numbers, none of them secret, so have the others: the same
 * variables. */
static void walk_member(struct graph_walk *w, struct goroutine_of it, uint32_t *plain)
{
	uint32_t *bytes = &plain[groups_of(w->graph->groups, it)];
	const uint64_t before = w->bytes;

	if (*bytes && !w->graph->every && !has_texts(it)) {
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
		    !(w->graph->frames || w->graph->every || has_texts(it)))
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
	w->of_objects += w->bytes - before;
	objects_measured(w->graph->how.objects, i, w->bytes - before);
}

/* Those that are new, then one that is not what it was when it was visited. */
static bool next_object(struct graph_walk *w, size_t *ret)
{
	struct objects *objects = w->graph->how.objects;

	*ret = w->next;
	if (w->next == objects_count(objects) ||
	    w->of_objects >= w->graph->how.values->document_bytes)
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

/* What a walk has printed. */
struct walked {
	uint64_t goroutines, objects, rest;
};

static struct walked walk(struct graph *graph, struct sink *nowhere, bool first)
{
	struct graph_walk w = { .graph = graph, .nowhere = nowhere };
	struct walked ret = { 0 };

	objects_begin_walk(graph->how.objects);
	walk_goroutines(&w, true);
	graph_walk_objects(&w);
	/* Later ones come to all objects there. */
	if (first)
		objects_mark_urgent(graph->how.objects);
	walk_goroutines(&w, false);
	ret.goroutines = w.bytes - w.of_objects;
	if (graph->print_others)
		graph->print_others(graph->arg, nowhere);
	drop(&w);
	ret.rest = w.bytes - w.of_objects - ret.goroutines;
	graph_walk_objects(&w);
	ret.objects = w.of_objects;
	return ret;
}

/* What goroutines take without values, by some of the groups. */
static uint64_t stack_bytes(const struct graph *graph, struct sink *nowhere)
{
	const struct groups *groups = graph->groups;
	struct runtimes *all = graph->capture->runtimes;
	const size_t step = groups->count / SAMPLES + 1;
	struct goroutine_printing how = graph->how;
	uint64_t bytes = 0, n = 0;

	how.values = NULL;
	for (size_t i = 0; i < groups->count; i += step) {
		const struct group *group = &groups->list[i];
		struct goroutine_of it =
			runtimes_goroutine(all, groups->members[group->first]);
		how.runtime = it.runtime;
		print_goroutine(nowhere, &how, it.goroutine, i);
		bytes += sink_part_bytes(nowhere) * group->count;
		n += group->count;
		sink_part_cut(nowhere, 0);
	}
	return n ? bytes / n * runtimes_goroutine_count(all) : 0;
}

static uint64_t left(uint64_t most, uint64_t used)
{
	return most > used ? most - used : 0;
}

/* Goroutines have room first. Their values, unlike their stacks, are omitted where objects would
 * not get a quarter of the document otherwise. */
static uint64_t room_for_objects(const struct graph *graph, const struct walked *walked,
				 struct sink *nowhere)
{
	const uint64_t most = graph->how.values->document_bytes;
	const uint64_t all = left(most, walked->goroutines + walked->rest + TAIL);

	if (walked->objects <= all)
		return all;
	const uint64_t stacks = stack_bytes(graph, nowhere);
	const uint64_t spare = left(most, stacks + stacks / SHARE + walked->rest + TAIL);
	const uint64_t share = spare < most / SHARE ? spare : most / SHARE;
	return all > share ? all : share;
}

/* As many as leave room for saying that the others are not there. */
static size_t fitting(const struct graph *graph, const struct walked *walked,
		      struct sink *nowhere)
{
	const struct objects *objects = graph->how.objects;
	const uint64_t room = room_for_objects(graph, walked, nowhere);
	size_t n = 0;

	if (walked->objects <= room && objects_are_visited(objects))
		return objects_count(objects);
	uint64_t lost = LIMITED * objects_lost_references(objects, 0);
	for (uint64_t bytes = 0; n < objects_count(objects); n++) {
		bytes += objects_bytes(objects, n);
		lost -= LIMITED * objects_referrers(objects, n);
		if (bytes + lost > room || !objects_bytes(objects, n))
			break; /* or nobody came there */
	}
	return n;
}

/* Literals. Variables of packages are in the file, too, but the program writes to them. */
static bool is_in_file(void *arg, uint64_t addr)
{
	const struct capture *c = arg;
	const struct image *img = images_at(c->images, addr);

	return img && image_is_constant(img, addr);
}

void graph_forgive_literals(struct capture *c, struct redaction *r)
{
	redaction_set_public(r, is_in_file, c);
}

/* Until a walk finds nothing that the one before did not know. */
static struct walked walk_until_settled(struct graph *graph, struct sink *nowhere)
{
	struct redaction *r = graph->how.redaction;
	struct walked walked = { 0 };

	for (int i = 0; i <= WALKS_MAX; i++) {
		redaction_ask(r);
		walked = walk(graph, nowhere, i == 0);
		bool settled = redaction_settled(r);
		if (settled && objects_settled(graph->how.objects))
			break;
		if (i + 1 == WALKS_MAX)
			redaction_suspect_all(r);
	}
	return walked;
}

void graph_find(struct graph *graph)
{
	AUTO(sink_free) struct sink *nowhere = sink_part_new();
	struct objects *objects = graph->how.objects;

	const struct walked walked = walk_until_settled(graph, nowhere);
	objects_sort(objects);
	const size_t n = fitting(graph, &walked, nowhere);
	if (n < objects_count(objects)) {
		objects_limit(objects, n);
		walk(graph, nowhere, false); /* counts references of what is left */
	}
	objects_close(objects);
	redaction_set_missed(graph->how.redaction, objects_missed_some(objects));
}

void graph_print_objects(struct graph *graph, struct sink *out)
{
	for (size_t i = 0; i < objects_count(graph->how.objects); i++) {
		if (i % BATCH == 0)
			runtimes_begin_pass(graph->capture->runtimes);
		print_object(out, &graph->how, i);
	}
}
