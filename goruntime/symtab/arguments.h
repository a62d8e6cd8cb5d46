/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h - the words that a panic prints between the parentheses of a call, as each
 * release does it (runtime/traceback.go printArgs, from 1.17 on; the loop over argp before).
 * What they say is decoded once for a pc; the values are read for each goroutine.
 * Private to goruntime. */
#ifndef GOSNAP_ARGUMENTS_H
#define GOSNAP_ARGUMENTS_H

#include "goruntime/layout/layout.h"
#include "goruntime/symtab/pclntab.h"

struct arguments {
	uint16_t span; /* how many bytes from argp on the values are in */
	uint16_t len;
	uint8_t unset_from; /* no slot from that offset on is set yet; UINT8_MAX: not so */
	/* The text, where each value is a 0 byte, its offset from argp and its size. */
	uint8_t form[];
};

enum { ARGUMENTS_TEXT_MAX = 2048 }; /* longer than any form allows */

/* pc: what the call is looked up by; outer_pc: the same behind the inlined calls there.
 * Owned: xfree(). NULL: the function has no arguments, or none that are known. */
struct arguments *arguments_new(const struct layout *layout, const struct pclntab *tab,
				const struct pclntab_func *func, uint64_t pc,
				uint64_t outer_pc, pclntab_bytes_fn *funcdata_bytes,
				void *arg);
/* Is it so early in the function that what was passed in registers is still there, all of it? */
bool arguments_in_registers(const struct layout *layout, const struct pclntab *tab,
			    const struct pclntab_func *func, uint64_t pc);
/* Does the slot at that offset not hold its argument yet, which is in a register? */
bool arguments_is_unset(const struct arguments *a, uint64_t offset);
/* Where the first one is, if it is one word and there. */
bool arguments_first_word(const struct arguments *a, uint64_t *ret_offset);
/* bytes: span of them, from argp on. Returns the length of the text, which is ASCII without
 * quotes and backslashes; ret: ARGUMENTS_TEXT_MAX bytes. */
size_t arguments_text(const struct arguments *a, const uint8_t *bytes, char *ret);

#endif
