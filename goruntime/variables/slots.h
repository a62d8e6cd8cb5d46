/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - what a frame holds when there is no debugging information: the words that the
 * garbage collector follows, and types guessed from their neighbours. Private to
 * goruntime. */
#ifndef GOSNAP_SLOTS_H
#define GOSNAP_SLOTS_H

#include "goruntime/variables/variables_priv.h"

/* Calls fn for each such word, named by its offset from the stack pointer: "sp+0x28".
 * The receiver of a method gets the type in its function's name, *T. */
void frame_each_slot(struct frame_variables *frame, variable_fn *fn, void *arg);

#endif
