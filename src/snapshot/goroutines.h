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
/* Collects secrets from all threads and goroutines before any of them is printed. */
void goroutines_scan_secrets(struct capture *c, const struct snap_options *options,
			     const struct groups *groups,
			     const struct goroutine_printing *how);
/* Should it be in the document? arg: struct snap_options. */
bool goroutines_wanted(void *arg, const struct goroutine *g);

/* For CAPTURE_GATHER: makes what goroutines_learn() and goroutines_print() will, and throws it
 * away. First those that everyone looks for, then one of each group, small groups first, then
 * the others: this is the order in which their memory is read while the process is stopped. */
void goroutines_rehearse(struct capture *c, const struct snap_options *options,
			 const struct groups *groups,
			 const struct goroutine_printing *how);
/* The same for goroutines that have run since, while the process is still stopped. False: there
 * was not time for all. */
bool goroutines_gather(struct capture *c, const struct goroutine_printing *how);

#endif
