/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - work that may fail, hang or be killed at no loss to who asked for it. */
#ifndef GOSNAP_CHILD_H
#define GOSNAP_CHILD_H

#include <sys/types.h>

#include "lib/base/util.h"

struct child {
	pid_t pid;
	int ended; /* a pipe that is closed once it, and what it forked, has ended */
};

/* A fork: true in both. In the child, which dies with its parent, ret->pid is 0. */
MUST_CHECK bool child_start(struct child *ret);

enum child_end {
	CHILD_EXITED, /* *ret has its status */
	CHILD_KILLED, /* *ret has the signal */
	CHILD_LATE,   /* was killed by us at that time */
};
enum child_end child_wait(const struct child *child, uint64_t until_ns, int *ret);

#endif
