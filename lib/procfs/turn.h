/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h - two gosnaps on one process take turns: a lock that is on the process itself, its
 * folder in /proc, so that nothing has to be written anywhere, nothing stays behind, and
 * users who see the same /proc exclude each other. */
#ifndef GOSNAP_TURN_H
#define GOSNAP_TURN_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Waits for at most that long. *ret: a descriptor, to be closed when the turn is over (a
 * child of ours that has it holds the turn, too); -1: there is no such process. False: who
 * holds it (ERR_CANNOT). */
MUST_CHECK bool turn_take(pid_t pid, uint64_t wait_ns, int *ret, struct err *err);

#endif
