/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.h - distinct stacks, each kept once; goroutine records refer to them by number.
 * Private to goruntime. */
#ifndef GOSNAP_STACKS_H
#define GOSNAP_STACKS_H

#include "goruntime/runtime/stack.h"
#include "lib/base/util.h"

struct stacks;

struct stacks *stacks_new(void);
void stacks_free(struct stacks *s);
DEFINE_AUTO(struct stacks, stacks_free)

/* The number of this stack. Stacks with the same pcs, flags and frame sizes have the same
 * number. Adding a stack may move the frames that stacks_get() returned. */
uint32_t stacks_intern(struct stacks *s, const struct raw_frame *frames, size_t n);
size_t stacks_count(const struct stacks *s);
size_t stacks_frames(const struct stacks *s); /* total of all stacks */
struct stack stacks_get(const struct stacks *s, uint32_t id);

#endif
