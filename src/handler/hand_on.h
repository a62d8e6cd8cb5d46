/* SPDX-License-Identifier: Apache-2.0 */
/* hand_on.h - gives a core to whom it went before gosnap was installed: another program, or a file that
 * the kernel would have written. Whatever became of a snapshot, this is done. Allocates nothing. */
#ifndef GOSNAP_HAND_ON_H
#define GOSNAP_HAND_ON_H

#include "src/handler/crash.h"

struct core_source {
	int fd;		     /* a pipe or socket; read to its end */
	const uint8_t *head; /* was read from it already */
	size_t head_len;
	int copy; /* a pipe that gets the same, unless it is full for too long; -1: none */
	uint64_t copy_until_ns;
};

/* pattern: as it was in core_pattern. Becomes that program, if it can: the stream is untouched. In all
 * other cases it returns when the core has been handed on, or reports why not. */
void hand_on(const struct crash *crash, const char *pattern, struct core_source *source);

#endif
