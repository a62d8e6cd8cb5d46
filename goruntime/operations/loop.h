/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - the loop of a function that an instruction is in: all instructions that it can come
 * to and that lead back to it, without waiting for anything on the way. Private to
 * goruntime/operations. Knows which calls never wait, and nothing of goroutines. */
#ifndef GOSNAP_LOOP_H
#define GOSNAP_LOOP_H

#include "goruntime/operations/routine.h"

struct loop {
	struct routine *routine;
	size_t at;	 /* the instruction that it was looked for by */
	uint8_t *inside; /* by instruction */
	bool leaves; /* there is a way out of it, other than a check of the compiler's that fails */
	/* Ways from one instruction to another, numbered from 1 on: the last one there, and the one before. */
	uint32_t *last_way_to, *way_before;
};

/* May a call be a part of the loop, as it surely does not wait? */
typedef bool loop_call_fn(void *arg, const struct instruction *call);

/* False: it is in none. loop_done() in either case. */
bool loop_find(struct routines *all, struct routine *r, size_t at, loop_call_fn *may_call,
	       void *arg, struct loop *ret);
void loop_done(struct loop *loop);

/* Does a turn of it change anything, but for what its calls do? What it has read of memory decides
 * all that it does, if not: it goes on as it is until somebody else writes there. */
bool loop_changes(const struct loop *loop, const struct arch *arch);

/* If it changes nothing: has a register, or a word of the frame, the same value whenever instruction `at` is about
 * to run, until somebody else writes to memory? */
bool loop_keeps(const struct loop *loop, const struct arch *arch, size_t at,
		struct operand of);

/* If the call at instruction `call` receives zero, as from a closed channel: does it come straight back to the call,
 * past instruction `at`, without any other call, and without writing to memory outside of the frame? second: the call
 * says whether there was something to receive, too. */
bool loop_comes_back(const struct loop *loop, const struct arch *arch, size_t call,
		     bool second);

#endif
