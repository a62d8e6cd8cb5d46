/* SPDX-License-Identifier: Apache-2.0 */
/* stays.h - tells whether goroutines have run since they were captured, from their records in memory
 * of the process as it runs. Stops nothing, and keeps nothing.
 *
 * Whenever a goroutine stops running, casgstatus() (runtime/proc.go, 1.17 to 1.27) adds 1 to its
 * g.trackingSeq, a byte: to wait, for a system call, or because another one is to run. A goroutine that
 * waited before and waits again has run if the byte is another one. After 256 times it is the same one
 * again, so look often. */
#ifndef GOSNAP_STAYS_H
#define GOSNAP_STAYS_H

#include "goruntime/runtime/goroutine.h"

struct target;

/* What is compared. */
struct goroutine_look {
	bool is_counted; /* since 1.17 */
	uint8_t count;	 /* how often it has stopped running */
};

/* Looks at one that was captured as it waited, or was in a system call. False: it runs, it is no longer
 * where it was, or its record cannot be read. */
bool runtime_goroutine_look(const struct runtime *rt, struct target *live,
			    const struct goroutine *g, struct goroutine_look *ret);

#endif
