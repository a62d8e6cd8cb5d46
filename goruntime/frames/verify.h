/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - stacks as they were unwound, compared with a second witness. */
#ifndef GOSNAP_VERIFY_H
#define GOSNAP_VERIFY_H

#include <stdint.h>

struct runtimes;

/* Each goroutine's stack as it was unwound, by pclntab, against its frame pointers: does
 * the frame pointer of each frame lead to the same caller? Where it cannot, for a known
 * cause, it is excused. */
enum verify_excuse {
	EXCUSE_FRAMELESS, /* a function without a frame saves none: its caller is skipped */
	EXCUSE_ASSEMBLY, /* assembly with a frame, but without the frame pointer in it */
	EXCUSE_INTERRUPTED, /* in the middle of a prologue or epilogue */
	EXCUSE_CALLBACK,    /* it is that of the C code that called back */
	EXCUSE_COPYING,	    /* the stack is being moved, and they are not all adjusted */
	EXCUSE_NONE_KNOWN, /* syscalls before Go 1.23 keep none; and what else has none */
	VERIFY_EXCUSES
};

struct verification {
	uint64_t goroutines;
	uint64_t frames; /* looked at: agreed + excused + disagreements */
	uint64_t agreed, excused[VERIFY_EXCUSES];
	uint64_t disagreements; /* each is a warning, too */
};

/* After runtimes_decode(). */
void runtimes_verify(struct runtimes *all, struct verification *ret);

#endif
