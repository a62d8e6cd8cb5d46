/* SPDX-License-Identifier: Apache-2.0 */
/* stack_types.h - what the pointers on a stack refer to, by the variables that debug information describes.
 * Offsets are those of a stack plan. Private to goruntime/heap. */
#ifndef GOSNAP_STACK_TYPES_H
#define GOSNAP_STACK_TYPES_H

#include "goruntime/heap/object_types.h"
#include "goruntime/symtab/code.h"

struct stack_types;

/* Adds the variables of a frame to *types, which is made if it is NULL. */
void stack_types_add(struct stack_types **types, const struct runtimes *all,
		     const struct raw_frame *raw);
void stack_types_free(struct stack_types *types);
/* What the pointer at that offset refers to. False: no variable is there, or several say different things. types
 * may be NULL. */
bool stack_types_at(const struct heap *h, struct stack_types *types, int64_t off,
		    struct object_type *ret);

#endif
