/* SPDX-License-Identifier: Apache-2.0 */
/* killed_core.h - a core file of what the kernel copied of a process that was killed: registers of its threads,
 * goroutines, their stacks. So it is read as all cores are, in a sandbox. Trusts the kernel, and nothing
 * that the process had in its memory. */
#ifndef GOSNAP_KILLED_CORE_H
#define GOSNAP_KILLED_CORE_H

#include "goruntime/goruntime.h"
#include "src/killed/killed.h"

struct killed_core {
	const struct killed *killed;
	const struct goroutine_list *program;
	int file; /* of it */
	const char *path;
};

/* Returns a file; *ret_left_out: pieces that it has no room for. -1: err. */
int killed_core_write(const struct killed_core *core, uint64_t *ret_left_out,
		      struct err *err);

#endif
