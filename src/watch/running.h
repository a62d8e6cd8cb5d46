/* SPDX-License-Identifier: Apache-2.0 */
/* running.h - a snapshot of a process that runs on, as `gosnap PID` takes it: a child of ours copies it, or stops it
 * for a moment. */
#ifndef GOSNAP_WATCH_RUNNING_H
#define GOSNAP_WATCH_RUNNING_H

#include "src/record/condition.h"
#include "src/watch/catch.h"

/* Only if the condition's terms about goroutines hold; trigger has the measures of the others. Returns the child.
 * -1: there is none. */
pid_t running_start(const struct catching *how, pid_t pid,
		    const struct condition *condition, const struct trigger *trigger,
		    struct caught *ret);

#endif
