/* SPDX-License-Identifier: Apache-2.0 */
/* mounts.h - which file systems a process sees, and which of these programs can be held on. */
#ifndef GOSNAP_STRICT_MOUNTS_H
#define GOSNAP_STRICT_MOUNTS_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Calls fn for each mount where programs can be held, with the number of its file system and our name for it.
 * pid 0: ours. */
typedef void mounts_fn(void *arg, dev_t device, const char *place);
void mounts_each(pid_t pid, mounts_fn *fn, void *arg);
/* False: err says what file system it is on, where no program can be held. */
MUST_CHECK bool mounts_can_hold(int folder, struct err *err);

#endif
