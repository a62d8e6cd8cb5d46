/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - finds what the document's variables refer to, and the secrets in it, before
 * anything is written; then prints the document's array of objects. Objects of goroutines
 * that panic come first, then those of all, by the references that lead to them. */
#ifndef GOSNAP_GRAPH_H
#define GOSNAP_GRAPH_H

#include "printers/printers.h"
#include "src/analysis/groups.h"
#include "src/capture/capture.h"

struct snap_options;

struct graph {
	struct capture *capture;
	const struct snap_options *options;
	const struct groups *groups;
	struct goroutine_printing how; /* with values and objects */
	bool frames;		       /* their variables are in the document */
	bool every;		       /* reads all that the document will need */
	/* Prints what else is in the document, to nowhere; NULL: nothing refers to objects. */
	void (*print_others)(void *arg, struct sink *nowhere);
	void *arg;
};

/* Prints goroutines and objects to nowhere. */
struct graph_walk {
	struct graph *graph;
	struct sink *nowhere;
	uint64_t bytes, of_objects; /* printed */
	size_t next;		    /* object */
	bool has_leads;		    /* of the goroutine just walked: print_goroutine.h */
	bool (*has_time)(void *walk); /* asked before each object; NULL: there is */
};
void graph_walk_goroutine(struct graph_walk *walk, struct runtime *rt,
			  const struct goroutine *g);
/* Those found on the way, too, as long as the document has room. */
void graph_walk_objects(struct graph_walk *walk);
/* Is it in the document, with values? */
bool graph_wants(const struct graph *graph, const struct goroutine *g);

/* Walks to nowhere until there is nothing more to be found. Then it is known which objects
 * the document has room for. */
void graph_find(struct graph *graph);
/* From here on a literal that looks like a secret is not learned. */
void graph_forgive_literals(struct capture *c, struct redaction *r);
/* Appends to the open array. */
void graph_print_objects(struct graph *graph, struct sink *out);

#endif
