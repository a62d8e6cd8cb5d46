/* SPDX-License-Identifier: Apache-2.0 */
/* second_look.h - finds out which goroutines stay where they were when they were captured, by looking
 * at them again and again while the process runs. Nothing is stopped. Where the runtime does not note
 * since when a goroutine waits, this is how long it has waited at least. */
#ifndef GOSNAP_SECOND_LOOK_H
#define GOSNAP_SECOND_LOOK_H

#include "src/capture/capture.h"

/* The default duration of a second look. */
#define SECOND_LOOK_NS (UINT64_C(2) * SECOND_NS)

struct second_look {
	/* By goroutine: how long it has stayed; 0: it has not, or was not looked at.
	 * NULL: no goroutine was looked at. */
	uint64_t *ns;
	uint64_t wanted, goroutines,
		stayed;	      /* numbers of goroutines: asked for, looked at, stayed */
	uint64_t observed_ns; /* since the capture, until the last look */
	uint64_t untold;      /* looked at, and it is not known whether they stayed */
	bool was_cut;	      /* the process ended or was stopped: nothing is known */
};

/* Is a second look possible? Not at a core, nor at a process that does not run
 * meanwhile. */
bool second_look_can(const struct capture *c);
/* Looks for for_ns at the goroutines for which wanted[] is not 0. Further calls add other
 * goroutines to *look, which begins as all zero. Call second_look_done() afterwards. */
void second_look_take(struct second_look *look, const struct capture *c,
		      const uint8_t *wanted, uint64_t for_ns);
void second_look_done(struct second_look *look);

#endif
