/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_go.h - unwinds the stacks of goroutines and what threads stand on. Private to goruntime. */
#ifndef GOSNAP_UNWIND_GO_H
#define GOSNAP_UNWIND_GO_H

#include "goruntime/runtime/runtime_priv.h"

/* unwind_thread.c: from a thread's registers over its own stacks (C, g0, gsignal) to where
 * its goroutine's stack begins. Each frame is followed as the runtime has it in whose code
 * it is: C between two of them may come from one and call the other. Frames are appended
 * to all->scratch + w->count. */
void walk_thread(struct runtimes *all, size_t thread, const struct regs *regs, bool exact,
		 struct walk *w);

/* unwind_go.c: where C called back to Go, by the code of cgocallback and its stack pointer on the
 * thread's stack. *sp becomes that of the callback before it; 0: there was none, or it is not
 * known. False: err says why the C frames are not known. */
MUST_CHECK bool unwind_callback(struct runtime *rt, const struct code *c, uint64_t *sp,
				struct regs *ret, struct err *err);

/* unwind_go.c: a goroutine's own stack, from g->pc, g->sp. m, of rt->machines, is that of
 * its thread or the thread it is locked to, for the C frames below a callback; NULL when none. Sets stack,
 * state, reason. */
void unwind_goroutine(struct runtime *rt, struct goroutine *g, const struct machine *m);
/* In a system call g->pc and g->sp are where the runtime was told of it. Does this place on its
 * stack lead there? Then the calls below that are known, too. */
bool unwind_leads_to_syscall(struct runtime *rt, const struct goroutine *g, uint64_t pc,
			     uint64_t sp, bool exact);

#endif
