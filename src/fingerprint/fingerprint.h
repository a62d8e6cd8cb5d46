/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprint.h - what a stack, a fault or a finding is about, as a text that stays the same across
 * builds and releases of a program and of Go, and the hash of it. The main header of
 * src/fingerprint. gosnap-group(1) has the rule: whoever changes it changes FINGERPRINT_RULE.
 * Knows names of functions; reads neither processes nor documents. */
#ifndef GOSNAP_FINGERPRINT_H
#define GOSNAP_FINGERPRINT_H

#include <stdbool.h>

#include "src/fingerprint/function_name.h"

#define FINGERPRINT_RULE "1"
enum { FINGERPRINT_TEXT = 17 };

/* Of what was added to text. */
void fingerprint_of(const struct text *text, char ret[static FINGERPRINT_TEXT]);
/* It is one, as fingerprint_of() writes it. */
bool fingerprint_is(const char *text);

/* A call, innermost first, inlined ones too. */
struct stack_call {
	const char *function, *file; /* NULL: not known */
	bool c;
	bool hidden; /* tracebacks do not show it */
	bool wrapper;
};

enum {
	STACK_LINES = 64,
	STACK_FAULT_CALLS = 5, /* of the program, that tell one fault from another */
};

/* Its lines, each ending in \n: innermost first, each function once. Zero it, set most, and
 * free it with stack_text_done(). */
struct stack_text {
	size_t most;	  /* functions of the program; 0: STACK_LINES */
	struct text text; /* complete after stack_text_end() */
	/* Of the program's functions the innermost, with what it calls of the library or the
	 * runtime; "": there is none. */
	struct text place;
	size_t own;	   /* lines that are functions of the program */
	bool of_runtime;   /* there is nothing of the program or of Go's library */
	bool is_ambiguous; /* other programs have other functions of these names */
	/* Private: */
	size_t lines, c_lines;
	struct text operation, library, runtime, c;
};
void stack_text_call(struct stack_text *stack, const struct stack_call *call);
void stack_text_end(struct stack_text *stack);
void stack_text_done(struct stack_text *stack);

/* The text of which a group's fingerprint is made, and so on: a head, then the stack's lines. */
void fingerprint_add_group(struct text *text, const struct stack_text *stack);
/* cause: what the runtime says it is, without values; NULL: not the runtime. stack: from the call
 * to blame on; empty: not known. */
void fingerprint_add_fault(struct text *text, const char *kind, const char *cause,
			   const struct stack_text *stack);

/* Of a stack without functions of the program, all that there is. */
const char *stack_text_place(const struct stack_text *stack);

/* Its place for people: "chan send in main.f". */
void stack_text_say(struct text *text, const struct stack_text *stack);

/* The function in which the goroutine began, as far as it is of the program or the library. Allocated;
 * NULL: not known. */
char *stack_text_entry(const struct stack_text *stack);

/* Places, each of which counts once, in any order. Zero it. */
enum { PLACES = 16 };
struct places {
	char *list[PLACES];
	size_t count;
};
void places_add(struct places *places, const char *place);
void places_done(struct places *places);
void fingerprint_add_finding(struct text *text, const char *kind, struct places *places);

/* What the runtime's message says it is, without values: "index out of range". Allocated. */
char *fault_cause(const char *message);

#endif
