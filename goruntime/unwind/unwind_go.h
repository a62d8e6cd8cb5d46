/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_go.h - unwinds the stacks of goroutines and threads. Private to goruntime.
 * Results are pcs, stack pointers and frame sizes in all->scratch; names, inlined
 * calls and variables are of rooms above. Knows the pclntab, call frame information
 * and the runtime's switches between stacks. */
#ifndef GOSNAP_UNWIND_GO_H
#define GOSNAP_UNWIND_GO_H

#include "goruntime/runtime/runtime_priv.h"

/* unwind_thread.c: walks from a thread's registers over its own stacks (C, g0, gsignal)
 * to where its goroutine's stack begins. Each frame is unwound using the runtime that its
 * code belongs to: C between two runtimes may be called from one and call the other.
 * Frames are appended at all->scratch + w->count. */
void walk_thread(struct runtimes *all, size_t thread, const struct regs *regs,
		 bool at_instruction, struct walk *w);

/* unwind_go.c: where C called back into Go, from the code of cgocallback and its stack
 * pointer on the thread's stack. *sp becomes the stack pointer of the previous callback;
 * 0: none, or not known. False: err says why the C frames are not known. */
MUST_CHECK bool unwind_callback(struct runtime *rt, const struct code *c, uint64_t *sp,
				struct regs *ret, struct err *err);

/* unwind_go.c: unwinds a goroutine's own stack from g->pc, g->sp. m: the M, in
 * rt->machines, of its thread or of the thread it is locked to, for C frames below a
 * callback; or NULL. Sets stack, state and reason. */
void unwind_goroutine(struct runtime *rt, struct goroutine *g, const struct go_m *m);
/* The same from a frame further out on, to which pc returns: the `kept` frames in all->scratch are
 * those before it. */
void unwind_goroutine_on(struct runtime *rt, struct goroutine *g, const struct go_m *m,
			 size_t kept, uint64_t pc, uint64_t sp);
/* In a system call g->pc and g->sp are where the runtime was told of it. Does this place
 * on the goroutine's stack lead there? If so, the calls made since are known too. */
bool unwind_leads_to_syscall(struct runtime *rt, const struct goroutine *g, uint64_t pc,
			     uint64_t sp, bool at_instruction);

#endif
