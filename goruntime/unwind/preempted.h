/* SPDX-License-Identifier: Apache-2.0 */
/* preempted.h - registers of a function that was interrupted to let others run: it seems to have
 * called runtime.asyncPreempt, which keeps them in its own frame. Where, its code tells. Private
 * to goruntime. */
#ifndef GOSNAP_PREEMPTED_H
#define GOSNAP_PREEMPTED_H

#include "goruntime/runtime/goroutine.h"
#include "goruntime/symtab/code.h"

struct kept_registers {
	struct regs regs;
	struct vector_regs vectors;
};

/* preempt: the code of asyncPreempt behind the call that it made; cfa: where its frame ends.
 * False: where they are is not known. */
bool preempted_registers(struct runtime *rt, const struct goroutine *g,
			 const struct code *preempt, uint64_t cfa,
			 struct kept_registers *ret);

#endif
