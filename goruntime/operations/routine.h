/* SPDX-License-Identifier: Apache-2.0 */
/* routine.h - functions as lists of instructions, decoded when they are first asked for.
 * Private to goruntime/operations. Knows which of them are operations, and which may lead to
 * one. Borrowed until routines_free(). */
#ifndef GOSNAP_ROUTINE_H
#define GOSNAP_ROUTINE_H

#include "goruntime/operations/operations.h"
#include "goruntime/symtab/code.h"
#include "lib/instructions/instructions.h"

enum { ROUTINE_DEPTH = 2 /* calls that are followed */ };

struct routine {
	uint64_t entry, end;
	const struct module *module;
	enum operation operation;
	bool foreign; /* not to be followed: assembly, C, or a part of the runtime */
	struct instruction *list; /* NULL: not decoded, or cannot be */
	size_t count;
	int32_t *
		frame_sizes; /* before each: bytes up to the return address; -1: not known */
	bool tried;
	bool opaque; /* not all of its ways are known: it has a jump table, or code that is not decoded */
	/* does it lead to an operation, within so many calls: enum leads */
	uint8_t leads[ROUTINE_DEPTH + 1];
	uint32_t argument_bytes;
	/* A function of the runtime whose calls leave registers and memory as they are,
	 * defer a function, or start a goroutine. */
	bool changes_nothing, defers, starts;
	/* Set by effects.c: enum known, and the effect once it is KNOWN. */
	uint8_t effect_known;
	bool unlocks, locks, partial;
	uint64_t writes;
	const char *name; /* NULL: it has none */
	size_t package;	  /* bytes of its name */
};

struct routines;

enum operation operation_named(const char *function);

struct routines *routines_new(struct runtime *rt);
void routines_free(struct routines *all);

/* Returns the function that pc is in; NULL: none is known. */
struct routine *routine_at(struct routines *all, uint64_t pc);
/* Returns the function of a frame. */
struct routine *routine_of(struct routines *all, const struct raw_frame *frame);
/* Decodes a function. False: it cannot be decoded. */
bool routine_decode(struct routines *all, struct routine *r);
/* May a function come to an operation, itself or in functions that it calls, down to
 * depth calls? */
bool routine_leads(struct routines *all, struct routine *r, unsigned depth);
/* Does its name begin so? */
bool routine_is_named(const struct routine *r, const char *beginning);
bool routine_is_of_package(const struct routine *r, const struct routine *other);
/* Does a call return, as far as is known? */
bool call_returns(struct routines *all, const struct instruction *call);
/* Returns the index of the instruction at pc, or r->count. */
size_t routine_index(const struct routine *r, uint64_t pc);
/* Returns the pc of the call that is under way in a frame, or of the instruction about to
 * run if there is none. */
uint64_t routine_call(const struct routine *r, const struct raw_frame *frame);

#endif
