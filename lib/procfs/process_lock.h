/* SPDX-License-Identifier: Apache-2.0 */
/* process_lock.h - serializes gosnaps that work on the same process: a lock on the process's
 * folder in /proc. Nothing is written or left behind, and users who see the same /proc
 * exclude each other. */
#ifndef GOSNAP_PROCESS_LOCK_H
#define GOSNAP_PROCESS_LOCK_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Waits at most wait_ns. *ret: a descriptor to close when done (a child of ours that
 * inherits it keeps the lock); -1: no such process. False: err says who has the lock
 * (ERR_CANNOT). */
MUST_CHECK bool process_lock_take(pid_t pid, uint64_t wait_ns, int *ret, struct err *err);

#endif
