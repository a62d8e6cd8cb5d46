/* SPDX-License-Identifier: Apache-2.0 */
/* print_goroutine.h - one goroutine. */
#ifndef GOSNAP_PRINT_GOROUTINE_H
#define GOSNAP_PRINT_GOROUTINE_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "printers/values/print_values.h"

/* Member runtime: whose something is, when not the first one's. NULL: nobody's. */
void print_whose(struct sink *out, const struct runtimes *all, const struct runtime *rt);

/* An array of all frames of a stack; returns how many. */
size_t print_frames(struct sink *out, struct runtimes *all, uint32_t stack);

struct goroutine_printing {
	struct runtimes *runtimes;
	struct runtime *runtime; /* whose goroutine it is */
	const struct target_thread *threads;
	struct moment moment;
	bool full_frames; /* frames do not leave out what their group says */
	const struct value_bounds *values; /* NULL: none are wanted */
	const char *values_elided;	   /* then why not, or NULL */
	struct redaction *redaction;
	uint64_t variables; /* counts those printed */
	uint64_t withheld;  /* ... values withheld */
};
/* group: the id of its stack's group in this document. */
void print_goroutine(struct sink *out, struct goroutine_printing *p,
		     const struct goroutine *g, uint64_t group);

#endif
