/* SPDX-License-Identifier: Apache-2.0 */
/* unwind.h - unwinds from a frame's registers to its caller's, by call frame
 * information (.eh_frame). The interface is one step, implemented in unwind_cfi.c; it
 * keeps no stack. Knows nothing of Go: goruntime combines it with the pclntab
 * unwinder. */
#ifndef GOSNAP_UNWIND_H
#define GOSNAP_UNWIND_H

#include "lib/elf/image.h"

struct unwind;

struct unwind *unwind_new(struct target *t, const struct images *images);
void unwind_free(struct unwind *u);
DEFINE_AUTO(struct unwind, unwind_free)

enum unwind_result {
	UNWIND_CALLER, /* regs are now the caller's */
	UNWIND_END,    /* the outermost frame, by its call frame information */
	UNWIND_LOST,   /* no information, or unreadable memory: err says which */
};

/* at_instruction, on input: pc is an instruction about to run (innermost frame,
 * interrupted frame), not a return address. On output, the same for the caller: true if
 * this frame was a signal trampoline. Nothing is guessed: without information the stack
 * is lost. */
enum unwind_result unwind_step(struct unwind *u, struct regs *regs, bool *at_instruction,
			       struct err *err);

#endif
