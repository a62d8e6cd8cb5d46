/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - checks unwound stacks against frame pointers. */
#ifndef GOSNAP_VERIFY_H
#define GOSNAP_VERIFY_H

#include <stdint.h>

struct runtimes;

/* Compares each goroutine's stack, unwound by pclntab, with its frame pointers: does each
 * frame's frame pointer lead to the same caller? A mismatch with a known cause is
 * excused. */
enum verify_excuse {
	EXCUSE_FRAMELESS, /* a function without a frame saves none: skips its caller */
	EXCUSE_ASSEMBLY,  /* assembly with a frame that does not save the frame pointer */
	EXCUSE_INTERRUPTED, /* in the middle of a prologue or epilogue */
	EXCUSE_CALLBACK,    /* it belongs to the C code that called back */
	EXCUSE_COPYING,	    /* the stack is being moved; not all are adjusted yet */
	EXCUSE_NONE_KNOWN, /* syscalls before Go 1.23 keep none; other code without one */
	VERIFY_EXCUSES
};

struct verification {
	uint64_t goroutines;
	uint64_t frames; /* checked: agreed + excused + disagreements */
	uint64_t agreed, excused[VERIFY_EXCUSES];
	uint64_t disagreements; /* each is also a warning */
};

/* Call after runtimes_decode(). */
void runtimes_verify(struct runtimes *all, struct verification *ret);

#endif
