/* SPDX-License-Identifier: Apache-2.0 */
/* stops.h - processes that the kernel's program has stopped by SIGSTOP, and that nobody has let go yet. They
 * are in memory that the kernel writes to and several processes share, and each is let go once. */
#ifndef GOSNAP_GUARD_STOPS_H
#define GOSNAP_GUARD_STOPS_H

#include "lib/base/util.h"
#include "src/bpf/fault.h"

/* The process of this event is no longer ours to let go. False: somebody else has, or it was not stopped. */
bool stops_take(struct fault_stops *stops, uint64_t number);
/* It goes on, unless somebody else has let it. */
void stops_let_go(struct fault_stops *stops, uint64_t number);
/* Resumes all processes that were stopped at this time (monotonic) or before. Returns how many are left. An unread event
 * of one of them means that no process reads events. Then this forbids further stops first: the resumed process
 * could die and be stopped once more. */
size_t stops_let_go_before(struct fault_stops *stops, uint64_t at_ns);

/* A parent may stop itself when it hears that its child has stopped, and nobody would let it go: it goes on if it
 * did after this time (monotonic). Returns how many still may. */
size_t stops_let_parents_go(const struct fault_stops *stops, uint64_t since_ns);

/* Whoever reads events has read this one, and so lets processes go. */
void stops_heard(struct fault_stops *stops, uint64_t number);
/* From now on, nothing is stopped; what is, is in the list. */
void stops_forbid(struct fault_stops *stops);

#endif
