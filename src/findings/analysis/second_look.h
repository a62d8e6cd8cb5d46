/* SPDX-License-Identifier: Apache-2.0 */
/* second_look.h - finds out which goroutines stay where they were when they were captured, by looking
 * at them again and again while the process runs. Nothing is stopped. Where the runtime does not note
 * since when a goroutine waits, this is how long it has waited at least. */
#ifndef GOSNAP_SECOND_LOOK_H
#define GOSNAP_SECOND_LOOK_H

#include "src/capture/capture.h"

/* For how long, unless somebody wants it otherwise. */
#define SECOND_LOOK_NS (UINT64_C(2) * SECOND_NS)

struct second_look {
	/* By goroutine: it has stayed so long; 0: it has not, or was not looked at. NULL: none was. */
	uint64_t *ns;
	uint64_t wanted, goroutines,
		stayed;	      /* asked for, looked at, and those that stayed */
	uint64_t observed_ns; /* since the capture, until the last look */
	uint64_t untold;      /* looked at, and it is not known whether they stayed */
	bool was_cut; /* the process ended, or somebody stopped it: nothing is known */
};

/* Is it possible? Not of a core, nor of a process that does not run meanwhile. */
bool second_look_can(const struct capture *c);
/* Looks for so long at the goroutines for which wanted[] is not 0; again at others, if asked again.
 * second_look_done() afterwards. *look begins as all zero. */
void second_look_take(struct second_look *look, const struct capture *c,
		      const uint8_t *wanted, uint64_t for_ns);
void second_look_done(struct second_look *look);

#endif
