/* SPDX-License-Identifier: Apache-2.0 */
/* holder.h - a goroutine that has a lock, and those who wait for it. Private to
 * src/findings. */
#ifndef GOSNAP_HOLDER_H
#define GOSNAP_HOLDER_H

#include "src/findings/finding.h"

enum { MANY = 10 /* goroutines */ };

/* The lock that the goroutine has and that most wait for, directly. NULL: none. */
const struct wait_object *holder_lock(const struct finder *f, uint32_t holder,
				      const struct partner **ret_as);
/* A finding about a goroutine with a lock that it keeps from others, which says so; more of it is to be
 * added. NULL: it has none. */
struct finding *holder_finding(struct finder *f, const char *kind, uint32_t holder,
			       const char *advice);
/* "12 goroutines wait for goroutine 5, which has mutex 0xc0, locked in main.f at main.go:1" */
void say_holder(const struct finder *f, struct text *text, uint32_t holder,
		const struct wait_object *o, const struct partner *as);

#endif
