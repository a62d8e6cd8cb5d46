/* SPDX-License-Identifier: Apache-2.0 */
/* target_copy.h - the copy-on-write image of a process (live_copy.h), as a target: one
 * instant of its memory, read while the process runs on. Where the copy has nothing, or not
 * an instant (MADV_DONTFORK, MADV_WIPEONFORK, shared memory), the running process is read,
 * and counted. */
#ifndef GOSNAP_TARGET_COPY_H
#define GOSNAP_TARGET_COPY_H

#include "lib/target/target.h"

/* Takes live's threads over as copies; live stays the caller's and must outlive the copy's
 * target, which is to be closed before the copy is given up, or reads fail. */
struct target *target_copy_open(pid_t copy, struct target *live, struct err *err);

/* Does any of these bytes belong to the running process? t: a struct target; for
 * runtimes_mark_changeable(). */
bool target_copy_is_foreign(void *t, uint64_t addr, uint64_t len);
/* Bytes that were read of the running process, by us and by forks of ours. */
uint64_t target_copy_foreign_bytes(const struct target *t);

#endif
