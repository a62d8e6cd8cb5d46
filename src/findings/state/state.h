/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - what the findings about the runtime's state share: who is on a P, and for how
 * long something has been so. Private to src/findings. Knows what the runtime and the kernel
 * have noted; what neither has, is unknown. */
#ifndef GOSNAP_STATE_H
#define GOSNAP_STATE_H

#include "src/findings/finding.h"

#define STATE_LONG_NS (10 * SECOND_NS)

enum { PROCESSOR_RUNNING = 1, PROCESSOR_STOPPED = 3 };

/* The goroutine that a P runs. NO_GOROUTINE: none, or not known. */
uint32_t state_goroutine_on(const struct finder *f, size_t runtime,
			    const struct processor_state *p);
/* The P that it is on. NULL: none. */
const struct processor_state *state_processor_of(const struct finder *f,
						 uint32_t goroutine);
/* Does a stop of the world still wait for a P? Not of a program that is about to die: that
 * stops for ever, and waits for none. */
bool state_is_stopping(const struct runtime_state *s);
/* How long ago that was, by CLOCK_MONOTONIC; 0: not known. */
uint64_t state_age(const struct finder *f, struct state_number when);
/* How long the P has not changed from one goroutine to another; 0: not known. The monitor runs every 10 ms while a P
 * does. If no thread has run for a second, the process was frozen (the machine, a control group), and time counts only
 * until then. */
uint64_t state_unchanged(const struct finder *f, const struct processor_state *p);
/* How long a thread has slept in the kernel; 0: not known, or it does not. To be stopped by
 * gosnap wakes it for an instant. */
uint64_t state_asleep(const struct finder *f, int32_t thread);
/* Nothing can be said of time: all threads have been stopped, by a debugger or SIGSTOP. */
bool state_is_suspended(const struct finder *f);

/* By goroutine: how long the first of those who wait for what it has, has waited at least; 0:
 * not known. Free with xfree. */
uint64_t *state_longest_waits(const struct finder *f);
/* ", for at least 12 s" */
void say_age(struct text *text, uint64_t age);
/* Says how long a holder does what it does. If that is short, says how long another goroutine has waited
 * for it: it may have waited for other holders, too. */
void say_age_or_wait(struct text *text, uint64_t age, uint64_t waits);

#endif
