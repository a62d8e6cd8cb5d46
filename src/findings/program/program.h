/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - functions that the findings about the program share. Knows which goroutine
 * can let another one go on; nothing of the state of the runtime. */
#ifndef GOSNAP_PROGRAM_H
#define GOSNAP_PROGRAM_H

#include "src/findings/finding.h"

/* Does it wait to send? */
bool sends(const struct finder *f, uint32_t goroutine);
/* Does an operation let a goroutine that waits at a channel go on? */
bool is_opposite(const struct finder *f, uint32_t goroutine, enum operation operation);
/* Is it a timer's channel, so that a wait for it ends by itself, sooner or later? Up to
 * Go 1.22 a channel does not show that, so the type of its elements decides. */
bool is_timed_channel(const struct wait_channel *channel);

/* Is it a channel that limits how many goroutines may work, and full although no
 * goroutine has a place? Then all goroutines whose code leads to it wait for a place. */
bool are_places_lost(const struct finder *f, const struct wait_object *o);

/* Returns the goroutine that has waited longest for the object; NO_GOROUTINE: none has
 * waited long, or some have leaked. */
uint32_t longest_waiter(const struct finder *f, const struct wait_object *o);
/* Adds as evidence the goroutines that wait, and the object. */
void show_waiters(const struct finder *f, struct finding *to,
		  const struct wait_object *o);
/* Adds "12 goroutines wait for mutex 0xc0 in main.f at main.go:1, for at least 12 s".
 * longest: the goroutine that has waited longest. */
void say_waiters(const struct finder *f, struct text *text, const struct wait_object *o,
		 uint32_t longest);

static inline uint64_t id_of(const struct finder *f, uint32_t goroutine)
{
	return finder_goroutine(f, goroutine).goroutine->id;
}

#endif
