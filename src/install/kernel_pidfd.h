/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_pidfd.h - does the kernel pass a descriptor of the process to who gets its core, in place of %F?
 * One that does not leaves the word empty, so nothing tells but a crash. Linux 6.16 does; stable releases
 * of older ones got it later, with the function umh_coredump_setup(), which the same commit named so
 * ("coredump: hand a pidfd to the usermode coredump helper"). */
#ifndef GOSNAP_KERNEL_PIDFD_H
#define GOSNAP_KERNEL_PIDFD_H

#include "lib/base/util.h"

/* Is the running kernel FIRST.SECOND or later? */
bool kernel_is(unsigned first, unsigned second);

bool kernel_passes_pidfd(void);

#endif
