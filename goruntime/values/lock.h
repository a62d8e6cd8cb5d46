/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - the state of locks of package sync. */
#ifndef GOSNAP_LOCK_H
#define GOSNAP_LOCK_H

#include "goruntime/types/type.h"

/* A member is valid only if its has_ member is set: else not known, or not part of this
 * lock. */
struct wait_lock {
	bool has_state, locked, starving;
	bool has_waiters;
	uint32_t waiters;
	bool has_readers, writer;
	uint32_t readers, leaving; /* readers holding it; readers a writer waits for */
	bool has_counter;
	int32_t counter;
};

/* v: a sync.Mutex, RWMutex, WaitGroup or Cond. False: none of these, or unreadable. */
bool runtime_lock(struct runtime *rt, const struct value *v, struct wait_lock *ret);

#endif
