/* SPDX-License-Identifier: Apache-2.0 */
/* operations.h - what a goroutine did and will do with locks, wait groups and channels, by the
 * code of its frames: a lock has no owner in Go, but the function that unlocks it later
 * shows by its code that it has it now.
 *
 * Each frame's code is followed from where it goes on, through all branches, with the
 * memory of the frame as it is: "CALL sync.(*Mutex).Unlock" with an argument that is
 * known then is an operation ahead. Followed from its beginning to there, it is an
 * operation passed. Calls are followed a little, deferred calls too. What is not known is
 * unknown: nothing is guessed. Registers hold nothing across a call in Go's ABI, so
 * memory is enough. Knows amd64 only; elsewhere nothing is found. */
#ifndef GOSNAP_OPERATIONS_H
#define GOSNAP_OPERATIONS_H

#include "goruntime/runtime/goroutine.h"
#include "lib/base/util.h"

enum operation {
	OPERATION_NONE,
	OPERATION_LOCK,
	OPERATION_TRY_LOCK, /* and it may not have succeeded */
	OPERATION_UNLOCK,
	OPERATION_READ_LOCK,
	OPERATION_TRY_READ_LOCK,
	OPERATION_READ_UNLOCK,
	OPERATION_ADD, /* to a WaitGroup */
	OPERATION_DONE,
	OPERATION_SIGNAL,
	OPERATION_SEND,
	OPERATION_RECEIVE,
	OPERATION_CLOSE,
	/* Of functions only: what is told are the operations above. */
	OPERATION_RECEIVE_SECOND,
	OPERATION_SELECT,
	OPERATION_NEVER, /* never returns */
	/* Of walks that look for what is hidden: walk.h. */
	OPERATION_UNKNOWN, /* a call of a function that is not known */
	OPERATION_START,   /* of a goroutine that unlocks what it has not locked */
	OPERATION_WRITE,   /* of a word outside of the frame, which may be a pointer */
	OPERATION_WRITES,  /* likewise, of words whose address is not known */
};

/* Of what locks: what unlocks undoes it, and the other way round. An operation ahead is one
 * that no way comes to without what undoes it is not told. */
enum operation_when {
	AHEAD_MAYBE,  /* on some way out of the function */
	AHEAD_SURELY, /* on every way out of it, other than a panic */
	AHEAD_DEFERRED,
	PASSED,	       /* and not undone between there and here, on some way at least */
	PASSED_SURELY, /* on every way from the function's beginning */
};

/* addr: the object; 0: a lock that is not known was unlocked, PASSED, and what is not known was not
 * locked before; or may have been, as not all code of the frame is known. This is told whether wanted
 * or not. frame: index of the unwound frame. pc: of the
 * call, for runtime_code_at(). */
struct operation_at {
	enum operation operation;
	enum operation_when when;
	uint64_t addr, pc;
	uint32_t frame;
	/* What was unlocked, PASSED, may have been locked elsewhere: not in this frame before. */
	bool is_of_others;
};

struct operation_question {
	bool (*wanted)(void *arg, uint64_t addr);
	void (*fn)(void *arg, const struct operation_at *operation);
	void *arg;
};

static inline bool is_lock(enum operation operation)
{
	return operation == OPERATION_LOCK || operation == OPERATION_TRY_LOCK ||
	       operation == OPERATION_READ_LOCK || operation == OPERATION_TRY_READ_LOCK;
}

static inline bool is_unlock(enum operation operation)
{
	return operation == OPERATION_UNLOCK || operation == OPERATION_READ_UNLOCK;
}

struct operations; /* what is known of functions */

struct operations *operations_new(struct runtime *rt);
void operations_free(struct operations *a);
DEFINE_AUTO(struct operations, operations_free)

/* Calls fn for each operation on an object that is wanted. Returns false when the work
 * that was allowed for the whole run is done. *ret_any, unless NULL: there are
 * operations, wanted or not; of goroutines with the same stack, mostly all or none have
 * some. */
bool operations_of(struct operations *a, const struct goroutine *g,
		   const struct operation_question *question, bool *ret_any);

/* What speaks against a goroutine's having a lock that a frame of its stack has locked, or will unlock. */
struct operation_doubt {
	bool some;
	bool only_unknown; /* all of it is functions that are not known */
	bool strong;
	bool started; /* a goroutine that unlocks what it has not locked, after the lock was taken */
};

/* Asks what operations_of() does not tell: may calls at any depth, goroutines that were started, or functions that
 * are not known have unlocked it since, in that frame or one further in? Will they lock it again before the
 * frame unlocks it? Was the pointer changed that leads to it? release: what unlocks it. */
struct operation_doubt operations_doubt(struct operations *a, const struct goroutine *g,
					enum operation release, uint64_t addr,
					uint32_t frame);
/* Was a goroutine started by the function that a frame of the other is of? */
bool operations_started(struct operations *a, const struct goroutine *g, uint32_t frame,
			const struct goroutine *started);

#endif
