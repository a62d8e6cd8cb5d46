/* SPDX-License-Identifier: Apache-2.0 */
/* goroutines.h - prints the document's array of goroutines in batches: values_plan.h
 * decides which of them get values, and several processes print them (workers.h). The
 * number of processes does not affect the document. */
#ifndef GOSNAP_GOROUTINES_H
#define GOSNAP_GOROUTINES_H

#include "src/analysis/groups.h"
#include "printers/printers.h"
#include "src/capture/capture.h"
#include "src/snapshot/progress.h"

struct snap_options;

struct goroutines_printed {
	uint64_t goroutines, variables, redacted;
	uint64_t omitted; /* without values because of the size limit */
	uint64_t lost;	  /* ... because the process that printed them died */
};

/* Appends to the open array. Adds to *ret. */
void goroutines_print(struct sink *out, struct capture *c,
		      const struct snap_options *options, const struct groups *groups,
		      const struct goroutine_printing *how, progress_count *written,
		      struct goroutines_printed *ret);
/* How many workers that may start; 0: none. */
unsigned goroutines_workers(const struct snap_options *options);
/* Should it be in the document? arg: struct snap_options. */
bool goroutines_wanted(void *arg, const struct goroutine *g);

/* Is it one of those that have values, if any have? */
bool goroutines_valued(const struct snap_options *options, const struct goroutine *g);

/* A panicking goroutine is what everyone looks for. */
bool goroutines_urgent(struct goroutine_of it);

#endif
