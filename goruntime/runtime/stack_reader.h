/* SPDX-License-Identifier: Apache-2.0 */
/* stack_reader.h - reads a goroutine's stack through a buffer of a few kilobytes, enough for
 * most stacks in one read. Private to goruntime. */
#ifndef GOSNAP_STACK_READER_H
#define GOSNAP_STACK_READER_H

#include "lib/target/target.h"

enum { WINDOW_BYTES = 8192 };

struct stack_reader {
	struct target *target;
	uint64_t low, high; /* [low, high): nothing outside it is read */
	uint64_t addr;	    /* of the bytes in piece */
	size_t len;	    /* 0 at first */
	uint8_t piece[WINDOW_BYTES];
};

static inline void stack_reader_init(struct stack_reader *w, struct target *t,
				     uint64_t low, uint64_t high)
{
	w->target = t;
	w->low = low;
	w->high = high;
	w->addr = w->len = 0;
}

/* len bytes, at most WINDOW_BYTES, borrowed until the next call. NULL: ERR_BAD_DATA when
 * they are not all on the stack, or the error of the read. */
const uint8_t *stack_reader_bytes(struct stack_reader *w, uint64_t addr, size_t len,
				  struct err *err);

#endif
