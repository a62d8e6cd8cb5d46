/* SPDX-License-Identifier: Apache-2.0 */
/* operations_priv.h - what is known of functions, and how much work is left. Private to
 * goruntime/operations. */
#ifndef GOSNAP_OPERATIONS_PRIV_H
#define GOSNAP_OPERATIONS_PRIV_H

#include "goruntime/operations/walk.h"

enum { GOROUTINE_INSTRUCTIONS = 1 << 16 };

struct operations {
	struct runtime *rt;
	struct routines *routines;
	struct walker *walker;
	int64_t left; /* instructions */
	struct event_list events;
};

#endif
