/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.h - a child that catches, forked before there is something to catch: a fork of the watcher takes
 * milliseconds, in which the process would run on. It has no descriptors of probes. If it hangs, the
 * kernel ends it. */
#ifndef GOSNAP_WATCH_AHEAD_H
#define GOSNAP_WATCH_AHEAD_H

#include "src/watch/catch.h"

struct ahead;

/* how is borrowed. NULL: there cannot be one. */
struct ahead *ahead_new(const struct catching *how);
void ahead_free(struct ahead *ahead); /* NULL is fine */
/* Until it is refilled there is none. It has what was to be done when it was forked. */
void ahead_end(struct ahead *ahead);
/* One that catches next, unless there is one. */
void ahead_refill(struct ahead *ahead);
/* As catch_start(), but -1: none is there. */
pid_t ahead_start(struct ahead *ahead, const struct fault_event *event,
		  struct caught *ret);

#endif
