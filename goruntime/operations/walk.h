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
	/* The first part of Lock, where it was inlined: what follows is for when another has it. */
	bool if_free;
	uint64_t addr; /* 0: not known; only of what locks and unlocks */
	uint64_t pc;
};

struct event_list {
	struct event *list;
	size_t count, cap;
};

/* For walks that look for what is hidden in calls. Calls that are not followed are events then, with address 0:
 * OPERATION_UNLOCK and OPERATION_LOCK for what the callee does at any depth, OPERATION_UNKNOWN,
 * OPERATION_START. OPERATION_WRITE has the address of the word, OPERATION_WRITES the bits of effects.h. */
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
	/* Those that led to something that was locked then: the value is its address. */
	struct walk_word sources[WALK_WORDS_MAX];
	size_t source_count;
};

struct walk_of {
	struct routine *routine;
	uint64_t begin, end;  /* from here, to there or (0) to where it returns */
	uint64_t cfa;	      /* where the caller's frame begins */
	uint64_t stack_low;   /* where the stack ends */
	uint64_t stack_valid; /* from here on it is as it is in memory */
	uint64_t context;     /* the closure that is called; 0: not known */
	/* What is stored from a register that is not known is what memory has there: so
	 * arguments are known that the function saves as it begins. */
	bool infer;
	bool goes_on; /* begin is where the frame goes on: what is in it says where branches go */
	struct symbolic *symbolic;  /* what is not known has stand-ins; NULL: none */
	struct walk_hidden *hidden; /* NULL: only what is followed is looked at */
};

struct walker; /* reusable */

struct walker *walker_new(struct runtime *rt, struct routines *routines);
void walker_free(struct walker *w);
/* Instructions that it may still follow, in all. */
int64_t *walker_budget(struct walker *w);

/* Adds to ret what it comes across. */
void walk_code(struct walker *w, const struct walk_of *of, struct event_list *ret);

/* Finds out what it can of the stand-ins in of->symbolic. After a walk with them. */
void walk_resolve(struct walker *w, const struct walk_of *of);

/* Does every way from begin to a return come across an event that undoes: one for which
 * undoes() is true, and before it none for which prevents() is? pc: after a walk with
 * end 0. */
typedef bool event_fn(void *arg, const struct event *e);
/* Of the unlocking of what is not known: can it come there without having locked what is not known,
 * and on to of->end, or to a return? A callee that has locked anything is taken to unlock that. */
bool walk_unlocks_unknown(struct walker *w, const struct walk_of *of,
			  const struct event_list *events, const struct event *e,
			  bool in_callee);
/* Is it the same operation on the same object? arg: a struct event. */
bool event_is_same(void *arg, const struct event *e);
bool walk_always(struct walker *w, const struct walk_of *of,
		 const struct event_list *events, event_fn *undoes, event_fn *prevents,
		 void *arg);
/* Can it come from pc to of->end without an event that undoes? pc 0: from of->begin. */
bool walk_reaches(struct walker *w, const struct walk_of *of,
		  const struct event_list *events, uint64_t pc, event_fn *undoes,
		  void *arg);
/* Can it come from of->begin to an event that is the one looked for, without one before it that
 * undoes? */
bool walk_finds(struct walker *w, const struct walk_of *of,
		const struct event_list *events, event_fn *is_it, event_fn *undoes,
		void *arg);

#endif
