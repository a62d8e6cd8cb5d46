/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - finds the loop of a function that an instruction is in: all instructions that
 * can run after it and lead back to it, without waiting on the way. Private to
 * goruntime/operations. Knows which calls never wait, and nothing of goroutines. */
#ifndef GOSNAP_LOOP_H
#define GOSNAP_LOOP_H

#include "goruntime/operations/routine.h"

struct loop {
	struct routine *routine;
	size_t at;	 /* the instruction whose loop it is */
	uint8_t *inside; /* by instruction */
	/* there is a way out of it, other than a failed check of the compiler's */
	bool leaves;
	/* Lists of the ways that lead to an instruction; ways are numbered from 1 on. By
	 * instruction: the last way; by way less 1: the one before it, or 0. */
	uint32_t *last_way_to, *way_before;
};

/* May a call be a part of the loop, because it surely does not wait? */
typedef bool loop_call_fn(void *arg, const struct instruction *call);

/* Finds the loop of instruction at. False: it is in none. Call loop_done() in either
 * case. */
bool loop_find(struct routines *all, struct routine *r, size_t at, loop_call_fn *may_call,
	       void *arg, struct loop *ret);
void loop_done(struct loop *loop);

/* Does an iteration change anything, apart from the effects of its calls? If not, the
 * memory that it reads decides all that it does: it repeats itself until another
 * goroutine writes there. */
bool loop_changes(const struct loop *loop, const struct arch *arch);

/* Has a register, or a word of the frame, the same value whenever instruction `at` is
 * about to run, until the loop or another goroutine writes to memory outside of the
 * frame? */
bool loop_keeps(const struct loop *loop, const struct arch *arch, size_t at,
		struct operand of);

/* If the call at instruction `call` receives zero, as from a closed channel, does the
 * loop come straight back to the call? The way back must come past instruction loop->at,
 * without another call and without writing to memory outside of the frame. second: the
 * call also returns whether there was a value to receive. */
bool loop_comes_back(const struct loop *loop, const struct arch *arch, size_t call,
		     bool second);

#endif
