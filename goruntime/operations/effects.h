/* SPDX-License-Identifier: Apache-2.0 */
/* effects.h - finds out whether a function leaves a lock unlocked, or locked, that was
 * not so before. Functions that it calls, at any depth, that it defers, or that it starts
 * as goroutines count as part of it. Private to goruntime/operations. Does not know which
 * lock that is, nor which functions a call through an interface or a func value
 * reaches. */
#ifndef GOSNAP_EFFECTS_H
#define GOSNAP_EFFECTS_H

#include "goruntime/operations/routine.h"

#define EFFECT_WRITES_ANY UINT64_MAX

struct effect {
	bool unlocks; /* on some way, a lock that it has not locked itself */
	bool locks;   /* on some way, a lock that it does not unlock */
	/* Words outside of its frame that are written by it, or by functions of its
	 * package that it calls. Bit n: n words behind the target of a pointer; the last
	 * bit: elsewhere. */
	uint64_t writes;
};

struct effects;

struct effects *effects_new(struct runtime *rt, struct routines *routines);
void effects_free(struct effects *e);

/* Returns the effect of a function, and looks at each function once. If too much work was
 * done already, the effect is none, and effects_partial() is true from then on, until
 * effects_begin(). */
struct effect effect_of(struct effects *e, struct routine *r);
void effects_begin(struct effects *e);
bool effects_partial(const struct effects *e);
/* Sets *ret to the effects together of all functions that returned_by may return: those
 * whose address it loads, as a closure or at an offset of a table of methods. False: it
 * loads none. */
bool effect_of_result(struct effects *e, struct routine *returned_by, int64_t offset,
		      struct effect *ret);
/* Returns the function whose address an instruction loads, or the function of a closure
 * without variables whose address it loads. NULL: neither. */
struct routine *effect_loaded(struct effects *e, const struct instruction *in);

/* Returns the bit of an operand in .writes of struct effect; 0: it is none of these
 * words. */
uint64_t effect_word(const struct arch *arch, const struct operand *o);
/* Does an instruction write such a word as a whole? */
bool effect_writes(const struct arch *arch, const struct instruction *in);

#endif
