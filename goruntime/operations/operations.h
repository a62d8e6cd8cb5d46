/* SPDX-License-Identifier: Apache-2.0 */
/* operations.h - finds the operations that a goroutine has executed and will execute on
 * locks, wait groups and channels, by the code of its frames. A lock has no owner in Go,
 * but the code of a function that unlocks it later shows that the function has it now.
 *
 * The code of each frame is followed from where it goes on, through all branches, with
 * the memory of the frame as it is. "CALL sync.(*Mutex).Unlock" with an argument that is
 * known then is an operation ahead. An operation between the function's beginning and
 * that place is passed. Calls are followed a little, and deferred calls are followed,
 * too. Nothing is guessed. In Go's ABI no register keeps its value across a call, so
 * memory is enough. Knows amd64 only; elsewhere nothing is found. */
#ifndef GOSNAP_OPERATIONS_H
#define GOSNAP_OPERATIONS_H

#include "goruntime/runtime/goroutine.h"
#include "lib/base/util.h"

enum operation {
	OPERATION_NONE,
	OPERATION_LOCK,
	OPERATION_TRY_LOCK, /* which may have failed */
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
	/* Only functions have these. They are reported as operations above. */
	OPERATION_RECEIVE_SECOND,
	OPERATION_SELECT,
	OPERATION_NEVER, /* never returns */
	/* Only walks that look for hidden effects have these: walk.h. */
	OPERATION_UNKNOWN, /* a call of a function that is not known */
	OPERATION_START,   /* of a goroutine that unlocks a lock it has not locked */
	OPERATION_WRITE,   /* of a word outside of the frame, which may be a pointer */
	OPERATION_WRITES,  /* likewise, of words whose address is not known */
};

/* Locking and unlocking undo each other. An operation ahead is not reported if every way
 * to it comes past its opposite. */
enum operation_when {
	AHEAD_MAYBE,  /* on some way out of the function */
	AHEAD_SURELY, /* on every way out of it, other than a panic */
	AHEAD_DEFERRED,
	PASSED,	       /* and on some way from there to here, not undone */
	PASSED_SURELY, /* on every way from the function's beginning */
};

/* addr: the object; 0, PASSED: an unknown lock was unlocked, and no unknown lock was
 * locked before; or one may have been unlocked, as not all code of the frame is known.
 * This is reported whether wanted or not. frame: index of the unwound frame. pc: of the
 * call, for runtime_code_at(). */
struct operation_at {
	enum operation operation;
	enum operation_when when;
	uint64_t addr, pc;
	uint32_t frame;
	/* PASSED: the lock that was unlocked may have been locked elsewhere, not in this
	 * frame before. */
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

struct operations; /* the functions that were looked at, and the work left */

struct operations *operations_new(struct runtime *rt);
void operations_free(struct operations *a);
DEFINE_AUTO(struct operations, operations_free)

/* Calls fn for each operation on an object that is wanted. Returns false when the work
 * that was allowed for the whole run is done. Sets *ret_any, unless NULL, to whether
 * there are operations, wanted or not: of goroutines with the same stack, mostly all or
 * none have some. */
bool operations_of(struct operations *a, const struct goroutine *g,
		   const struct operation_question *question, bool *ret_any);

/* Evidence that a goroutine does not have a lock which a frame of its stack has locked,
 * or will unlock. */
struct operation_doubt {
	bool some;
	/* no part of it is enough alone: calls may have unlocked and locked it */
	bool only_unknown;
	bool strong;
	/* a goroutine was started, since the lock was taken, that unlocks a lock it has
	 * not locked */
	bool started;
};

/* Looks for evidence that operations_of() does not report:
 * - Calls at any depth, goroutines that were started, or unknown functions may have
 *   unlocked the lock since, in that frame or one further in.
 * - They may lock it again before the frame unlocks it.
 * - The pointer that leads to the lock may have been changed.
 * release: the operation that unlocks it. */
struct operation_doubt operations_doubt(struct operations *a, const struct goroutine *g,
					enum operation release, uint64_t addr,
					uint32_t frame);
/* Was a goroutine started by the function of that frame of g? */
bool operations_started(struct operations *a, const struct goroutine *g, uint32_t frame,
			const struct goroutine *started);

#endif
