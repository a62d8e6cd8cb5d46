/* SPDX-License-Identifier: Apache-2.0 */
/* frames_priv.h - what other folders need of frames.c. Private to goruntime. */
#ifndef GOSNAP_FRAMES_PRIV_H
#define GOSNAP_FRAMES_PRIV_H

#include "goruntime/frames/frames.h"

struct expansions;

void expansions_free(struct expansions *x);
/* The index, among all frames of the stack with inlined calls expanded, of an unwound
 * frame. */
int32_t frame_number(struct runtimes *all, uint32_t stack, int32_t unwound);

#endif
