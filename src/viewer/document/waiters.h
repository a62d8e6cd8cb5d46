/* SPDX-License-Identifier: Apache-2.0 */
/* waiters.h - locks, and channels that goroutines send to: how many wait for each. */
#ifndef GOSNAP_WAITERS_H
#define GOSNAP_WAITERS_H

#include <stdint.h>

#include "lib/base/table.h"

struct model;
struct model_goroutine;

/* Initialize to { { NULL } }. */
struct waiters {
	struct table counts; /* by address */
};

void waiters_done(struct waiters *waiters);

/* For each of the program's own goroutines. */
void waiters_add(struct waiters *waiters, const struct model *m,
		 const struct model_goroutine *goroutine);
/* How many wait for the object at addr. */
uint64_t waiters_of(const struct waiters *waiters, uint64_t addr);

#endif
