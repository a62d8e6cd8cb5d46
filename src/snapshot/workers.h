/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h - processes that print batches of goroutines. Each is a fork of ours, with all that
 * was read and looked up so far; what it prints comes back through a pipe. A worker that dies, or
 * sends numbers that are not of its batch, costs what it had not sent, and gives way to another
 * one. */
#ifndef GOSNAP_WORKERS_H
#define GOSNAP_WORKERS_H

#include "lib/base/util.h"

enum { BATCH_MAX = 4096, WORKERS_MAX = 4 };

enum values_why { VALUES_WANTED, VALUES_TOO_MUCH, VALUES_LOST, VALUES_NOT_ASKED };

/* Goroutines first to end of the document. */
struct batch {
	uint64_t first, end;
	uint64_t room;		   /* bytes of those with values, together */
	uint8_t values[BATCH_MAX]; /* enum values_why */
};

/* One of them, printed. */
struct printed {
	uint64_t goroutine; /* of the document */
	uint32_t variables, withheld;
	uint32_t bytes;
	uint8_t values; /* enum values_why: not wanted when there was no room after all */
};

/* text: of the n in list. Borrowed for the call. */
typedef void printed_fn(void *arg, const struct printed *list, size_t n, const char *text,
			size_t bytes);
typedef void print_batch_fn(void *arg, const struct batch *batch, printed_fn *fn,
			    void *fn_arg);

struct workers;

/* print and arg: what a worker does. prepare: first thing in a new one. count: 2 at least. */
struct workers *workers_start(unsigned count, print_batch_fn *print,
			      void (*prepare)(void *arg), void *arg);
/* Ends those that there are. */
void workers_end(struct workers *w);
DEFINE_AUTO(struct workers, workers_end)

/* Batches are handed out in turn, and are to be collected in the same order. */
void workers_submit(struct workers *w, const struct batch *batch);
/* Calls fn as print does. Returns the first goroutine that did not come back: all before it
 * did; batch->end when the whole batch is there. */
uint64_t workers_collect(struct workers *w, const struct batch *batch, printed_fn *fn,
			 void *fn_arg);
/* How the last one that died did: "signal 9"; NULL: none. */
const char *workers_death(const struct workers *w);

#endif
