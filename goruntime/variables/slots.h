/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - what a frame holds when there is no debugging information: the words that the garbage
 * collector is told to follow, and what their neighbours say of their types. Private to
 * goruntime. */
#ifndef GOSNAP_SLOTS_H
#define GOSNAP_SLOTS_H

#include "goruntime/variables/variables_priv.h"

/* The receiver of a method has the type that its function's name tells, *T.
 * Named by their distance from the stack pointer: "slot+0x28". */
void frame_each_slot(struct frame_variables *frame, variable_fn *fn, void *arg);

#endif
