/* SPDX-License-Identifier: Apache-2.0 */
/* unwind.h - from the registers of a frame to those of its caller, by call frame
 * information (.eh_frame). The seam is one step: what does the step is unwind_cfi.c.
 * Knows no Go: goruntime composes it with the pclntab unwinder. */
#ifndef GOSNAP_UNWIND_H
#define GOSNAP_UNWIND_H

#include "lib/elf/image.h"

struct unwind;

struct unwind *unwind_new(struct target *t, const struct images *images);
void unwind_free(struct unwind *u);
DEFINE_AUTO(struct unwind, unwind_free)

enum unwind_result {
	UNWIND_CALLER, /* regs now are the caller's */
	UNWIND_END,    /* this was the outermost frame, says its call frame information */
	UNWIND_LOST,   /* no information, or memory that cannot be read: err says which */
};

/* exact in: the pc is that of an instruction about to run (innermost frame, interrupted
 * frame), not a return address. exact out: the same of the caller, true when this frame
 * was a signal trampoline. Nothing is guessed: without information the stack is lost. */
enum unwind_result unwind_step(struct unwind *u, struct regs *regs, bool *exact,
			       struct err *err);

#endif
