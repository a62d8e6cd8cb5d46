/* SPDX-License-Identifier: Apache-2.0 */
/* frames_c.h - variables of functions on a thread's own stack, those of C and those of Go's
 * scheduler: the thread is walked again, and its registers are kept as call frame information
 * restores them. Private to goruntime. */
#ifndef GOSNAP_FRAMES_C_H
#define GOSNAP_FRAMES_C_H

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/variables/variables_priv.h"

struct c_frames;

/* NULL: the thread's registers are not known. */
struct c_frames *c_frames_new(struct runtimes *all, size_t thread);
/* Below what has these registers when it is called: where C has called back to Go. */
struct c_frames *c_frames_below(struct runtimes *all, size_t thread,
				const struct regs *regs);
void c_frames_free(struct c_frames *frames);
DEFINE_AUTO(struct c_frames, c_frames_free)

/* The functions that are inlined at pc, innermost first: C_INLINED_MAX at most, else none. Returns
 * how many; names are borrowed from the debugging information of the file, which has Go, too. */
enum { C_INLINED_MAX = 64 };
uint32_t c_inlined_at(struct runtimes *all, uint64_t pc, bool exact,
		      const char *ret[C_INLINED_MAX]);
/* Of the i-th frame of the thread's stack, until the next call; call: which of those that are
 * inlined there, behind them the function itself. NULL: *ret_why says why. */
struct frame_variables *c_frame_variables(struct c_frames *frames, uint32_t i,
					  const struct raw_frame *raw,
					  const struct code_frame *frame, uint32_t call,
					  const char **ret_why);
/* ... of a Go function, of whose code this is a call. */
struct frame_variables *system_frame_variables(struct c_frames *frames, uint32_t i,
					       struct runtime *rt,
					       const struct code *code, uint32_t call,
					       const char **ret_why);

#endif
