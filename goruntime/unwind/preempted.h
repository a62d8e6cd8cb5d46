/* SPDX-License-Identifier: Apache-2.0 */
/* preempted.h - registers of a goroutine preempted asynchronously: its function seems to
 * have called runtime.asyncPreempt, which saves the registers in its own frame. Where
 * they are is read from its code. Private to goruntime. */
#ifndef GOSNAP_PREEMPTED_H
#define GOSNAP_PREEMPTED_H

#include "goruntime/runtime/goroutine.h"
#include "goruntime/symtab/code.h"

struct kept_registers {
	struct regs regs;
	struct vector_regs vectors;
};

/* preempt: the code of asyncPreempt after its call; cfa: of its frame. False: not known
 * where the registers are. */
bool preempted_registers(struct runtime *rt, const struct goroutine *g,
			 const struct code *preempt, uint64_t cfa,
			 struct kept_registers *ret);

#endif
