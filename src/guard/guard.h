/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - a process of its own that lets processes go on which the kernel's program has stopped by SIGSTOP, if we
 * end, hang, or are stopped ourselves; and their parents, if these stopped for that. Knows who is stopped, by memory that it shares with the kernel; has no
 * descriptor of the kernel's probes, and knows nothing of what is done with a process. */
#ifndef GOSNAP_GUARD_H
#define GOSNAP_GUARD_H

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/bpf/fault_probes.h"

struct guard;

/* probes: borrowed, of FAULT_HOLD_STOP. It ends with us. NULL: err. */
struct guard *guard_new(const struct fault_probes *probes, struct err *err);
/* After SIGCHLD: another one, if it was ended or stopped. False: it was. */
bool guard_check(struct guard *guard);
/* Before what the event is of is let go or caught: NULL is fine. */
void guard_heard(struct guard *guard, const struct fault_event *event);
/* Nothing is stopped from now on, and all that is, is let go. The guard stays until we have ended, and longer if
 * parents may yet stop themselves. */
void guard_free(struct guard *guard);
DEFINE_AUTO(struct guard, guard_free)

/* The thread or the process of the event, which somebody keeps or has stopped, goes on. */
void guard_let_go(struct fault_probes *probes, const struct fault_event *event);

#endif
