/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - what the findings about the program share. Knows which goroutine can let another one
 * go on; nothing of the state of the runtime. */
#ifndef GOSNAP_PROGRAM_H
#define GOSNAP_PROGRAM_H

#include "src/findings/finding.h"

/* Does it wait to send? */
bool sends(const struct finder *f, uint32_t goroutine);
/* Does an operation let go on who waits at a channel? */
bool is_opposite(const struct finder *f, uint32_t goroutine, enum operation operation);
/* Does what it waits for come by itself, sooner or later: is it a timer's channel? Up to 1.22 a
 * channel does not say that it is one. */
bool is_timed_channel(const struct wait_channel *channel);

/* Is it a channel that limits how many may be at work, and full although no goroutine has a place: all whose code
 * leads there wait for one? */
bool are_places_lost(const struct finder *f, const struct wait_object *o);

/* Who has waited longest for it; NO_GOROUTINE: nobody for long, or some have leaked. */
uint32_t longest_waiter(const struct finder *f, const struct wait_object *o);
/* As the evidence: who waits, and for what. */
void show_waiters(const struct finder *f, struct finding *to,
		  const struct wait_object *o);
/* "12 goroutines wait for mutex 0xc0 in main.f at main.go:1, for at least 12 s". longest: of who has
 * waited longest. */
void say_waiters(const struct finder *f, struct text *text, const struct wait_object *o,
		 uint32_t longest);

static inline uint64_t id_of(const struct finder *f, uint32_t goroutine)
{
	return finder_goroutine(f, goroutine).goroutine->id;
}

#endif
