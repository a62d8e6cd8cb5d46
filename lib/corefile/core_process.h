/* SPDX-License-Identifier: Apache-2.0 */
/* core_process.h - what a core tells of its process: the kernel's notes, and the arguments and
 * environment that the kernel put on the first stack. */
#ifndef GOSNAP_CORE_PROCESS_H
#define GOSNAP_CORE_PROCESS_H

#include "lib/procfs/process.h"
#include "lib/target/target.h"

/* t is a core. Never NULL; the caller frees it with process_free(). */
struct process *core_process(struct target *t);

/* What the kernel put on the first stack: [begin, end), with the strings of the arguments and of
 * the environment, [arguments, environment) and [environment, name). */
struct first_stack {
	uint64_t begin, arguments, environment, name, end;
};
/* Of any target. It has a few megabytes at most. False: not found. */
bool core_first_stack(struct target *t, struct first_stack *ret);

#endif
