/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - follows the code of one function through all branches, each instruction once.
 * Private to goruntime/operations. Knows registers and memory as far as they are known, and
 * which calls are operations; nothing of goroutines. */
#ifndef GOSNAP_WALK_H
#define GOSNAP_WALK_H

#include "goruntime/operations/routine.h"

struct machine_state;

/* An operation in the code, or in a function that is called there. */
struct event {
	enum operation operation;
	bool surely; /* whenever the instruction is run */
	/* The first part of an inlined Lock. The code behind it is for the case that
	 * another goroutine has the lock. */
	bool if_free;
	bool guessed;  /* of the function that the call before may have returned */
	uint64_t addr; /* 0: not known; only of locking and unlocking */
	uint64_t pc;
};

struct event_list {
	struct event *list;
	size_t count, cap;
};

/* For walks that look for hidden effects of calls. Calls that are not followed are events
 * then, with address 0: OPERATION_UNLOCK and OPERATION_LOCK for effects of the callee at
 * any depth, OPERATION_UNKNOWN, OPERATION_START. OPERATION_WRITE has the address of the
 * word, OPERATION_WRITES the bits of effects.h. */
enum { WALK_WORDS_MAX = 64 };
struct walk_word {
	uint64_t addr, value;
	uint64_t bit; /* of effects.h */
};
struct walk_hidden {
	struct effects *effects;
	/* The words outside of the frame that were loaded. */
	struct walk_word reads[WALK_WORDS_MAX];
	size_t read_count;
	/* Words that led to a lock which was locked: the value is its address. */
	struct walk_word sources[WALK_WORDS_MAX];
	size_t source_count;
};

struct walk_of {
	struct routine *routine;
	uint64_t begin, end;  /* from here, to there or (0) to where it returns */
	uint64_t cfa;	      /* where the caller's frame begins */
	uint64_t stack_low;   /* where the stack ends */
	uint64_t stack_valid; /* from here on, the stack has what memory has */
	uint64_t context;     /* the closure that is called; 0: not known */
	/* A store from a register that is not known is taken to have stored the word that
	 * memory has there. So arguments are known that the function saves as it
	 * begins. */
	bool infer;
	/* begin is where the frame goes on, and its memory decides branches */
	bool goes_on;
	/* stand-ins for values that are not known; NULL: none */
	struct symbolic *symbolic;
	struct walk_hidden *hidden; /* NULL: only code that is followed is looked at */
};

struct walker; /* reusable */

struct walker *walker_new(struct runtime *rt, struct routines *routines);
void walker_free(struct walker *w);
/* Returns the number of instructions that it may still follow, in all. */
int64_t *walker_budget(struct walker *w);

/* Follows the code, and adds the events that it comes across to ret. */
void walk_code(struct walker *w, const struct walk_of *of, struct event_list *ret);

/* Finds the true values of stand-ins in of->symbolic, as far as it can. Call it after a
 * walk with them. */
void walk_resolve(struct walker *w, const struct walk_of *of);

typedef bool event_fn(void *arg, const struct event *e);
/* Can the code come from of->begin to e, which unlocks an unknown lock, without having
 * locked an unknown lock, and on to of->end, or to a return? in_callee: anything that was
 * locked is taken for the lock. */
bool walk_unlocks_unknown(struct walker *w, const struct walk_of *of,
			  const struct event_list *events, const struct event *e,
			  bool in_callee);
/* Is it the same operation on the same object? arg: a struct event. */
bool event_is_same(void *arg, const struct event *e);
/* Does every way from of->begin to a return come to an event for which undoes() is true,
 * before any for which prevents() is true? prevents may be NULL. Call it after a walk
 * with end 0. */
bool walk_always(struct walker *w, const struct walk_of *of,
		 const struct event_list *events, event_fn *undoes, event_fn *prevents,
		 void *arg);
/* Can the code come from behind pc to of->end without an event for which undoes() is
 * true? pc 0: from of->begin. */
bool walk_reaches(struct walker *w, const struct walk_of *of,
		  const struct event_list *events, uint64_t pc, event_fn *undoes,
		  void *arg);
/* Can the code come from of->begin to an event for which is_it() is true, without one
 * before it for which undoes() is true? */
bool walk_finds(struct walker *w, const struct walk_of *of,
		const struct event_list *events, event_fn *is_it, event_fn *undoes,
		void *arg);

#endif
