/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - the locks of package sync: their state. */
#ifndef GOSNAP_LOCK_H
#define GOSNAP_LOCK_H

#include "goruntime/types/type.h"

/* What has_ does not vouch for is not known, or this lock has no such thing. */
struct wait_lock {
	bool has_state, locked, starving;
	bool has_waiters;
	uint32_t waiters;
	bool has_readers, writer;
	uint32_t readers, leaving; /* readers that hold it; those a writer waits for */
	bool has_counter;
	int32_t counter;
};

/* A sync.Mutex, RWMutex, WaitGroup or Cond; false: it is none, or cannot be read. */
bool runtime_lock(struct runtime *rt, const struct value *v, struct wait_lock *ret);

#endif
