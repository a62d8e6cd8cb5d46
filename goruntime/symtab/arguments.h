/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h - the argument words that a panic prints between the parentheses of a call,
 * in the format of each release (runtime/traceback.go: printArgs from 1.17 on, the loop
 * over argp before). The form is decoded once for each pc; the values are read for each
 * goroutine. Private to goruntime. */
#ifndef GOSNAP_ARGUMENTS_H
#define GOSNAP_ARGUMENTS_H

#include "goruntime/layout/layout.h"
#include "goruntime/symtab/pclntab.h"

struct arguments {
	uint16_t span; /* all values are in this many bytes from argp on */
	uint16_t len;
	uint8_t unset_from; /* slots from here on are not set yet; UINT8_MAX: none */
	/* The text. In place of each value: a 0 byte, its offset from argp, its size. */
	uint8_t form[];
};

enum { ARGUMENTS_TEXT_MAX = 2048 }; /* longer than any form allows */

/* pc: used to look up the call; outer_pc: the same for the function around inlined calls.
 * Returns owned memory: xfree(). NULL: the function has no arguments, or none known. */
struct arguments *arguments_new(const struct layout *layout, const struct pclntab *tab,
				const struct pclntab_func *func, uint64_t pc,
				uint64_t outer_pc, pclntab_bytes_fn *funcdata_bytes,
				void *arg);
/* Is pc so early in the function that all arguments passed in registers are still
 * there? */
bool arguments_in_registers(const struct layout *layout, const struct pclntab *tab,
			    const struct pclntab_func *func, uint64_t pc);
/* Is the argument of the slot at this offset still in a register, and the slot not set
 * yet? */
bool arguments_is_unset(const struct arguments *a, uint64_t offset);
/* The offset of the first argument, if it is one word and its slot is set. */
bool arguments_first_word(const struct arguments *a, uint64_t *ret_offset);
/* A value of the text. doubtful: it may be older than the call, and has a question mark. */
struct argument_place {
	uint8_t offset, size; /* from argp on */
	bool doubtful;
	uint8_t argument;	    /* which of arguments_count() it is of */
	uint8_t offset_in_argument; /* from its first value */
};
/* The next one from *at on, which is 0 at first. False: no more. */
bool arguments_next(const struct arguments *a, size_t *at, struct argument_place *ret);
/* How many the text has, what is in braces being one; 0: not all are in it. */
unsigned arguments_count(const struct arguments *a);
/* bytes: a->span bytes from argp on. Writes ASCII without quotes or backslashes to ret,
 * which has ARGUMENTS_TEXT_MAX bytes. Returns its length. */
size_t arguments_text(const struct arguments *a, const uint8_t *bytes, char *ret);

#endif
