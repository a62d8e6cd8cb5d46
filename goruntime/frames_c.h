/* SPDX-License-Identifier: Apache-2.0 */
/* frames_c.h - variables of C functions on a thread's own stack: the thread is walked again, and
 * its registers are kept as call frame information restores them. Private to goruntime. */
#ifndef GOSNAP_FRAMES_C_H
#define GOSNAP_FRAMES_C_H

#include "runtime_priv.h"
#include "variables.h"

struct c_frames;

/* NULL: the thread's registers are not known. */
struct c_frames *c_frames_new(struct runtimes *all, size_t thread);
void c_frames_free(struct c_frames *frames);
DEFINE_AUTO(struct c_frames, c_frames_free)

/* Of the i-th frame of the thread's stack, until the next call. NULL: *ret_why says why. */
struct frame_variables *c_frame_variables(struct c_frames *frames, uint32_t i,
					  const struct raw_frame *raw,
					  const char *function, const char **ret_why);

#endif
