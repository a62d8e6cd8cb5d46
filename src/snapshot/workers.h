/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h - processes that print batches of goroutines. Each is a fork of ours with
 * everything read and looked up so far; its output comes back through a pipe. If a worker
 * dies, or sends numbers outside its batch, only what it had not sent is lost, and
 * another one replaces it. */
#ifndef GOSNAP_WORKERS_H
#define GOSNAP_WORKERS_H

#include "lib/base/util.h"

enum { BATCH_MAX = 4096, WORKERS_MAX = 4 };

enum values_why { VALUES_WANTED, VALUES_TOO_MUCH, VALUES_LOST, VALUES_NOT_ASKED };

/* Goroutines [first, end) of the document. */
struct batch {
	uint64_t first, end;
	uint64_t room;		   /* total bytes for goroutines with values */
	uint8_t values[BATCH_MAX]; /* enum values_why */
};

/* One printed goroutine. */
struct printed {
	uint64_t goroutine; /* index in the document */
	uint32_t variables, redacted;
	uint32_t bytes;
	uint8_t values; /* enum values_why; too much if there was no room */
};

/* text: of all n in list. Borrowed for the call. */
typedef void printed_fn(void *arg, const struct printed *list, size_t n, const char *text,
			size_t bytes);
typedef void print_batch_fn(void *arg, const struct batch *batch, printed_fn *fn,
			    void *fn_arg);

struct workers;

/* Memory that at most count workers will share with us: to be called before a sandbox is closed, in which
 * there is no other, nor are there more workers. */
void workers_reserve(unsigned count);
unsigned workers_reserved(void); /* 0: that was not called */
/* print, arg: the work. prepare: called first in each new worker. count: at least 2. */
struct workers *workers_start(unsigned count, print_batch_fn *print,
			      void (*prepare)(void *arg), void *arg);
/* Terminates the workers. */
void workers_end(struct workers *w);
DEFINE_AUTO(struct workers, workers_end)

/* Hands out a batch. Batches must be collected in the same order. */
void workers_submit(struct workers *w, const struct batch *batch);
/* Calls fn as print does. Returns the first goroutine that is missing; all before it are
 * there. batch->end: the batch is complete. */
uint64_t workers_collect(struct workers *w, const struct batch *batch, printed_fn *fn,
			 void *fn_arg);
/* How the last worker that died did so: "signal 9"; NULL: none. */
const char *workers_death(const struct workers *w);

#endif
