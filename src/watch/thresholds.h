/* SPDX-License-Identifier: Apache-2.0 */
/* thresholds.h - which of the processes that are watched come to meet a condition, as they run. Looks at /proc
 * only: goroutines are for whoever takes the snapshot (running.h). Knows times and numbers. */
#ifndef GOSNAP_WATCH_THRESHOLDS_H
#define GOSNAP_WATCH_THRESHOLDS_H

#include <sys/types.h>

#include "src/record/condition.h"
#include "src/snapshot/trigger.h"

struct thresholds;

struct thresholds_options {
	const struct condition *condition; /* borrowed */
	uint64_t for_ns;		   /* so long it has to be met */
	uint64_t again_ns;		   /* the same process is not told again before */
};
struct thresholds *thresholds_new(const struct thresholds_options *options);
/* What is known of processes stays. */
void thresholds_change(struct thresholds *thresholds,
		       const struct thresholds_options *options);
void thresholds_free(struct thresholds *thresholds);
DEFINE_AUTO(struct thresholds, thresholds_free)

/* In how many milliseconds all are to be looked at again; 0: now. */
int thresholds_wait(struct thresholds *thresholds);
/* Looks at one. True: it is time for a snapshot, for the reason *ret, as far as that is known without
 * its goroutines. */
bool thresholds_look(struct thresholds *thresholds, pid_t pid, struct trigger *ret);
/* After all were looked at. */
void thresholds_looked(struct thresholds *thresholds);
/* There was no snapshot of it: it has too few goroutines, or others were being taken. */
void thresholds_not_taken(struct thresholds *thresholds, pid_t pid);

#endif
