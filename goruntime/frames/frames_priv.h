/* SPDX-License-Identifier: Apache-2.0 */
/* frames_priv.h - what the other rooms want of frames.c. Private to goruntime. */
#ifndef GOSNAP_FRAMES_PRIV_H
#define GOSNAP_FRAMES_PRIV_H

#include "goruntime/frames/frames.h"

struct expansions;

void expansions_free(struct expansions *x);
/* Among all frames of a stack, those of inlined calls included, the number of one that was unwound. */
int32_t frame_number(struct runtimes *all, uint32_t stack, int32_t unwound);

#endif
