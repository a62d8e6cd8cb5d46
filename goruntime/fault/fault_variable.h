/* SPDX-License-Identifier: Apache-2.0 */
/* fault_variable.h - which variable was to blame: what held the nil pointer, the nil map, or was
 * shorter than the index. Private to goruntime/fault. */
#ifndef GOSNAP_FAULT_VARIABLE_H
#define GOSNAP_FAULT_VARIABLE_H

#include "goruntime/fault/fault_priv.h"

/* Found in the code of the frame at return_pc, or at the instruction that a signal interrupted: the
 * operand of that instruction or call, followed back to where debugging information names it.
 * "x.seen", "list"; allocated. NULL: not known. */
char *fault_variable(struct runtime *rt, const struct fault *fault);

#endif
