/* SPDX-License-Identifier: Apache-2.0 */
/* fault_priv.h - shared by the files of goruntime/fault. */
#ifndef GOSNAP_FAULT_PRIV_H
#define GOSNAP_FAULT_PRIV_H

#include "goruntime/fault/fault.h"
#include "goruntime/runtime/runtime_priv.h"

/* Frames of a thread that are looked at: a signal's are among the first, even of a C stack that
 * overflowed. */
enum { FAULT_FRAMES = 64 };

/* The own stack of the thread that is dying, to where its goroutine's begins. */
struct fault_walk {
	struct raw_frame frames[FAULT_FRAMES];
	struct regs registers[FAULT_FRAMES];
	uint32_t count;
};

/* fault_signal.c: the signal that was handled when the thread died, unless that was the
 * runtime's own raise(). False: none. */
bool fault_find_signal(struct runtimes *all, const struct fault_walk *walk,
		       struct fault_signal *ret, struct regs *ret_regs);
/* fault->registers: those of the signal that became a panic or a fatal error, where they are. m: of
 * the thread. */
void fault_find_interrupted(struct runtimes *all, const struct go_m *m,
			    struct fault *fault);
bool fault_is_own_raise(const struct runtimes *all, const struct fault_signal *signal);
/* By default it ends a process with a core: signal(7). */
bool fault_signal_is_deadly(int number);

/* fault.c: the g that has the signal that the panic or fatal error came from. m NULL: the fault's
 * goroutine panics, and nothing is dying yet. */
uint64_t fault_noting_g(const struct fault *fault, const struct go_m *m);

/* fault_place.c: place and caller, and which panic they are of. */
void fault_find_place(struct runtimes *all, struct fault *fault);

/* fault_cycle.c: shortens a stack that is mostly a cycle of calls. */
void fault_fold(struct runtimes *all, struct fault *fault);

/* fault_map.c: fault->others, after the stacks are known. */
void fault_find_others(struct fault *fault);

/* fault_noted.c: reads what is noted, while the process is captured; fault->identity and noted, after
 * the stacks are known. */
void fault_capture_noted(struct runtimes *all);
void fault_identify(struct runtimes *all, struct fault *fault);

/* fault_message.c: fault->message, from the rest of it. m: of the thread; NULL: as above. */
void fault_compose(struct runtimes *all, struct fault *fault, const struct go_m *m);

#endif
