/* SPDX-License-Identifier: Apache-2.0 */
/* holder.h - findings about a goroutine that has a lock for which others wait. Private to
 * src/findings. */
#ifndef GOSNAP_HOLDER_H
#define GOSNAP_HOLDER_H

#include "src/findings/finding.h"

enum { MANY = 10 /* goroutines */ };

/* Returns the lock of the goroutine that most others wait for directly. NULL: it has
 * none. */
const struct wait_object *holder_lock(const struct finder *f, uint32_t holder,
				      const struct partner **ret_as);
/* Adds a finding about a goroutine that keeps a lock from others. Its text ends with ".
 * It ", and the caller goes on from there. NULL: the goroutine has no such lock. */
struct finding *holder_finding(struct finder *f, const char *kind, uint32_t holder,
			       const char *advice);
/* Adds "12 goroutines wait for goroutine 5, which has mutex 0xc0, locked in main.f at
 * main.go:1". */
void say_holder(const struct finder *f, struct text *text, uint32_t holder,
		const struct wait_object *o, const struct partner *as);

#endif
