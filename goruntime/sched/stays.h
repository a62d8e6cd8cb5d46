/* SPDX-License-Identifier: Apache-2.0 */
/* stays.h - tells whether goroutines have run since they were captured, from their records in memory
 * of the process as it runs. Stops nothing, and keeps nothing.
 *
 * Whenever a goroutine parks, casgstatus() (runtime/proc.go, 1.17 to 1.27) adds 1 to its g.trackingSeq,
 * a byte. A goroutine that was parked and is parked again has run if the byte is another one. After 256
 * times it is the same one again, so look often. System calls are not counted from 1.26 on
 * (reentersyscall), nor are switches to a coroutine (coroswitch_m): no goroutine in these is told to
 * stay. */
#ifndef GOSNAP_STAYS_H
#define GOSNAP_STAYS_H

#include "goruntime/runtime/goroutine.h"

struct target;

enum goroutine_stay {
	GOROUTINE_RAN,	  /* or may have; or its record cannot be read */
	GOROUTINE_STAYED, /* it has not run since it was captured */
	GOROUTINE_IS_THERE, /* where it was; it may have run, and come back: nothing counts that */
};

/* Of a goroutine that was captured as it waited, or was in a system call. */
enum goroutine_stay runtime_goroutine_stay(const struct runtime *rt, struct target *live,
					   const struct goroutine *g);

#endif
