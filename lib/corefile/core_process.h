/* SPDX-License-Identifier: Apache-2.0 */
/* core_process.h - what a core tells of its process: the kernel's notes, and the arguments and
 * environment that the kernel put on the first stack. */
#ifndef GOSNAP_CORE_PROCESS_H
#define GOSNAP_CORE_PROCESS_H

#include "lib/procfs/process.h"
#include "lib/target/target.h"

/* t is a core. Never NULL; the caller frees it with process_free(). */
struct process *core_process(struct target *t);

#endif
