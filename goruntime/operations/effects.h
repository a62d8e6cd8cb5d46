/* SPDX-License-Identifier: Apache-2.0 */
/* effects.h - does a function leave a lock unlocked, or locked, that was not so before? It counts together with
 * the functions that it calls, at any depth, that it defers, and that it starts as goroutines. Private to
 * goruntime/operations. Says nothing of which lock that is, and nothing of calls through an interface or
 * a func value. */
#ifndef GOSNAP_EFFECTS_H
#define GOSNAP_EFFECTS_H

#include "goruntime/operations/routine.h"

#define EFFECT_WRITES_ANY UINT64_MAX

struct effect {
	bool unlocks; /* on some way, what it has not locked itself */
	bool locks;   /* on some way, and does not unlock it */
	/* Words that it writes, other than in its frame, or that functions of its package do that it calls: bit n: n
	 * words from where a pointer refers to; the last bit: elsewhere. */
	uint64_t writes;
};

struct effects;

struct effects *effects_new(struct runtime *rt, struct routines *routines);
void effects_free(struct effects *e);

/* Looks at each function once. If too much work was done already, it has no effect, and effects_partial() is true from
 * then on, until effects_begin(). */
struct effect effect_of(struct effects *e, struct routine *r);
void effects_begin(struct effects *e);
bool effects_partial(const struct effects *e);
/* What a function does that another one returned, which may be only such as have their address loaded there: as
 * a closure, or at an offset of a table of methods. False: it loads none. */
bool effect_of_result(struct effects *e, struct routine *returned_by, int64_t offset,
		      struct effect *ret);
/* The function whose address an instruction loads, or that a closure without variables has whose
 * address it loads. NULL: neither. */
struct routine *effect_loaded(struct effects *e, const struct instruction *in);

/* The bit of an operand; 0: it is none of these words. */
uint64_t effect_word(const struct arch *arch, const struct operand *o);
/* Does an instruction write to such a word, and to nothing less? */
bool effect_writes(const struct arch *arch, const struct instruction *in);

#endif
