/* SPDX-License-Identifier: Apache-2.0 */
/* target_copy.h - the copy-on-write image of a process (live_copy.h) as a target: its
 * memory at one instant, read while the process runs. What the copy lacks or cannot
 * freeze (MADV_DONTFORK, MADV_WIPEONFORK, shared memory) is read from the running
 * process, and counted. */
#ifndef GOSNAP_TARGET_COPY_H
#define GOSNAP_TARGET_COPY_H

#include "lib/target/target.h"

/* Copies live's thread list. live stays the caller's and must outlive the target, which
 * must be closed before the copy is ended, or reads fail. */
struct target *target_copy_open(pid_t copy, struct target *live, struct err *err);

/* Do any of these bytes come from the running process? t: a struct target; for
 * runtimes_mark_changeable(). */
bool target_copy_is_foreign(void *t, uint64_t addr, uint64_t len);
/* Was it killed? Its memory is gone then. */
bool target_copy_is_gone(const struct target *t);
/* Bytes read from the running process, by us and by our forks. */
uint64_t target_copy_foreign_bytes(const struct target *t);

#endif
