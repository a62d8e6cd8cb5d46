/* SPDX-License-Identifier: Apache-2.0 */
/* goroutines.h - the array goroutines of the document, batch by batch: which of them get
 * values (values_plan.h), and several processes that print them (workers.h). Whatever their
 * number, the document is the same. */
#ifndef GOSNAP_GOROUTINES_H
#define GOSNAP_GOROUTINES_H

#include "src/analysis/groups.h"
#include "printers/printers.h"
#include "src/capture/capture.h"
#include "src/snapshot/progress.h"

struct snap_options;

struct goroutines_printed {
	uint64_t goroutines, variables, withheld;
	uint64_t elided; /* without values for want of room */
	uint64_t lost;	 /* ... because the process that was to print them died */
};

/* In the array that is open. Adds to *ret. */
void goroutines_print(struct sink *out, struct capture *c,
		      const struct snap_options *options, const struct groups *groups,
		      const struct goroutine_printing *how, progress_count *written,
		      struct goroutines_printed *ret);
/* Before anything of the threads and goroutines is printed: what is a secret in all of them. */
void goroutines_learn(struct capture *c, const struct snap_options *options,
		      const struct groups *groups, const struct goroutine_printing *how);
/* Is it to be in the document? arg: struct snap_options. */
bool goroutines_wanted(void *arg, const struct goroutine *g);

#endif
