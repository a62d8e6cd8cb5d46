/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.h - stacks and reasons by the numbers that records have. Results are borrowed
 * until runtimes_close(); a stack's frames may move until runtimes_decode() has
 * returned. */
#ifndef GOSNAP_LOOKUP_H
#define GOSNAP_LOOKUP_H

#include "goruntime/runtime/stack.h"

struct runtimes;
struct runtime;

/* Why something is incomplete. Never NULL. */
const char *runtime_reason(const struct runtime *rt, uint32_t reason);
/* The same for any runtime or thread. */
const char *runtimes_reason(const struct runtimes *all, uint32_t reason);

size_t runtimes_stack_count(const struct runtimes *all);
/* Empty of NO_STACK. */
struct stack runtimes_stack(const struct runtimes *all, uint32_t id);

#endif
