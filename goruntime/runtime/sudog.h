/* SPDX-License-Identifier: Apache-2.0 */
/* sudog.h - runtime.sudog: a goroutine in the queue of a channel or semaphore. Private to
 * goruntime. */
#ifndef GOSNAP_SUDOG_H
#define GOSNAP_SUDOG_H

#include "goruntime/layout/layout.h"

struct sudog {
	uint64_t g, channel, elem;
	uint64_t next, prev; /* in the channel's queue */
	uint64_t next_case;
};
/* bytes: L_sudog_size of them, which must be known (sudog_is_known()). */
enum { SUDOG_MAX = 256 };
struct sudog sudog_parse(const struct layout *l, const uint8_t *bytes);
bool sudog_is_known(const struct layout *l);

#endif
