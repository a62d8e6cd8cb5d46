/* SPDX-License-Identifier: Apache-2.0 */
/* holder.h - a goroutine that has a lock, and those who wait for it. Private to
 * src/findings. */
#ifndef GOSNAP_HOLDER_H
#define GOSNAP_HOLDER_H

#include "src/findings/finding.h"

/* The lock that the goroutine has and that most wait for, directly. NULL: none. */
const struct wait_object *holder_lock(const struct finder *f, uint32_t holder,
				      const struct partner **ret_as);
/* "12 goroutines wait for goroutine 5, which has mutex 0xc0, locked in main.f at main.go:1" */
void say_holder(const struct finder *f, struct text *text, uint32_t holder,
		const struct wait_object *o, const struct partner *as);

#endif
