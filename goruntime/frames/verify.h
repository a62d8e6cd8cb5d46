/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - checks unwound stacks against frame pointers. */
#ifndef GOSNAP_VERIFY_H
#define GOSNAP_VERIFY_H

#include <stdint.h>

struct runtimes;

/* Compares each goroutine's stack, unwound by pclntab, with its frame pointers: does each
 * frame's frame pointer lead to the same caller? A mismatch with a known cause is
 * inconclusive. */
enum verify_inconclusive {
	INCONCLUSIVE_FRAMELESS, /* a function without a frame saves none: skips its caller */
	INCONCLUSIVE_ASSEMBLY, /* assembly with a frame that does not save the frame pointer */
	INCONCLUSIVE_INTERRUPTED, /* in the middle of a prologue or epilogue */
	INCONCLUSIVE_CALLBACK,	  /* it belongs to the C code that called back */
	INCONCLUSIVE_COPYING,	  /* the stack is being moved; not all are adjusted yet */
	/* System calls before Go 1.23 keep none, nor do functions that recovered before 1.21; other code
	 * without one. */
	INCONCLUSIVE_NO_FRAME_POINTER,
	VERIFY_INCONCLUSIVE
};

struct verification {
	uint64_t goroutines;
	uint64_t frames; /* checked: agreed + inconclusive + disagreements */
	uint64_t agreed, inconclusive[VERIFY_INCONCLUSIVE];
	uint64_t disagreements; /* each is also a warning */
};

/* Call after runtimes_decode(). */
void runtimes_verify(struct runtimes *all, struct verification *ret);

#endif
