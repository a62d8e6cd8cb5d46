/* SPDX-License-Identifier: Apache-2.0 */
/* frames_c.h - variables of functions on a thread's own stack, in C and in Go's
 * scheduler. Walks the thread's stack again and keeps the registers that call frame
 * information restores. Private to goruntime. */
#ifndef GOSNAP_FRAMES_C_H
#define GOSNAP_FRAMES_C_H

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/variables/variables_priv.h"

struct c_frames;

/* NULL: the thread's registers are not known. */
struct c_frames *c_frames_new(struct runtimes *all, size_t thread);
/* The frames below one with these registers, where C has called back into Go. */
struct c_frames *c_frames_below(struct runtimes *all, size_t thread,
				const struct regs *regs);
void c_frames_free(struct c_frames *frames);
DEFINE_AUTO(struct c_frames, c_frames_free)

/* The functions inlined at pc, innermost first. Returns how many; 0 if there are more
 * than C_INLINED_MAX. Names are borrowed from the file's debugging information, which
 * covers Go code too. */
enum { C_INLINED_MAX = 64 };
uint32_t c_inlined_at(struct runtimes *all, uint64_t pc, bool at_instruction,
		      const char *ret[C_INLINED_MAX]);
/* The variables of frame i of the thread's stack, valid until the next call. call: which
 * of the functions inlined there; the function itself comes last. NULL: *ret_why says
 * why. */
struct frame_variables *c_frame_variables(struct c_frames *frames, uint32_t i,
					  const struct raw_frame *raw,
					  const struct code_frame *frame, uint32_t call,
					  const char **ret_why);
/* The same for a Go function; call: which call of code. */
struct frame_variables *system_frame_variables(struct c_frames *frames, uint32_t i,
					       struct runtime *rt,
					       const struct code *code, uint32_t call,
					       const char **ret_why);

#endif
