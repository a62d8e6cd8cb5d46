/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - functions that the findings about the runtime's state share: which goroutine
 * is on a P, and how long a state has lasted. Private to src/findings. Knows only what
 * the runtime and the kernel have noted. */
#ifndef GOSNAP_STATE_H
#define GOSNAP_STATE_H

#include "src/findings/finding.h"

#define STATE_LONG_NS (10 * SECOND_NS)

enum { PROCESSOR_RUNNING = 1, PROCESSOR_STOPPED = 3 };

/* Returns the goroutine that a P runs. NO_GOROUTINE: none, or not known. */
uint32_t state_goroutine_on(const struct finder *f, size_t runtime,
			    const struct processor_state *p);
/* Returns the P that a goroutine is on. NULL: none. */
const struct processor_state *state_processor_of(const struct finder *f,
						 uint32_t goroutine);
/* Does a stop of the world still wait for a P? False in a program that is about to die:
 * it stops the world for ever, and waits for no P. */
bool state_is_stopping(const struct runtime_state *s);
/* Returns how long ago a time of CLOCK_MONOTONIC was; 0: not known. */
uint64_t state_age(const struct finder *f, struct state_number when);
/* Returns how long the P has not changed from one goroutine to another; 0: not known. The
 * runtime's monitor, which notes that, runs every 10 ms while a P runs. If no thread has
 * run for a second, the process was frozen with the machine or its control group, and
 * time counts only until then. */
uint64_t state_unchanged(const struct finder *f, const struct processor_state *p);
/* Returns how long a thread has slept in the kernel; 0: it does not sleep, or that is not
 * known. A stop by gosnap wakes a thread for an instant. */
uint64_t state_asleep(const struct finder *f, int32_t thread);
/* Are all threads stopped, by a debugger or SIGSTOP? Then no duration means anything. */
bool state_is_suspended(const struct finder *f);

/* Returns, by goroutine, the longest wait of the goroutines that wait for a lock that it
 * has; 0: not known. Free with xfree. */
uint64_t *state_longest_waits(const struct finder *f);
/* Adds ", for at least 12 s". */
void say_age(struct text *text, uint64_t age);
/* Adds how long a holder has been in its present state. If that is short, adds how long
 * another goroutine has waited for its lock instead: that one may have waited for earlier
 * holders, too. */
void say_age_or_wait(struct text *text, uint64_t age, uint64_t waits);

#endif
