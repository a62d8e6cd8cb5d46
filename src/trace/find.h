/* SPDX-License-Identifier: Apache-2.0 */
/* find.h - which functions of a program are meant, where probes have to be, and what they copy. In a
 * sandbox, as files are hostile. */
#ifndef GOSNAP_TRACE_FIND_H
#define GOSNAP_TRACE_FIND_H

#include "goruntime/goruntime.h"
#include "src/bpf/trace.h"
#include "src/trace/when.h"

enum { TRACE_NAME = 256 };
struct trace_function {
	char name[TRACE_NAME]; /* or its beginning */
	struct call_point point;
	struct call_plan plan;
	struct call_returns returns; /* if asked for; and what to copy there */
	struct call_plan results;
	struct trace_conditions conditions; /* with trace_search.when */
};

struct trace_functions {
	struct call_facts facts;
	struct trace_function list[TRACE_POINTS];
	size_t count;
	size_t repeated;  /* whose calls may be counted several times */
	size_t elsewhere; /* not all of whose returns are known */
};

struct trace_search {
	int file;	  /* its descriptor */
	const char *name; /* for messages */
	/* See match.h. */
	char *const *words;
	size_t count;
	const struct when *when; /* NULL: all calls */
	bool returns, no_sandbox;
};

/* The caller frees it with trace_functions_free(). NULL: err says which word means none, and what it might
 * mean. */
struct trace_functions *trace_find(const struct trace_search *search, struct err *err);
void trace_functions_free(struct trace_functions *functions);
DEFINE_AUTO(struct trace_functions, trace_functions_free)

#endif
