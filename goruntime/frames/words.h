/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - the argument words of a frame, as text. */
#ifndef GOSNAP_WORDS_H
#define GOSNAP_WORDS_H

#include <stddef.h>

struct frame_variables;

/* The argument words that a panic prints between the parentheses of a call: "0x1, {0x2,
 * 0x3}, 0x4?"; "..." for an inlined call. */
struct argument_words {
	const char *text; /* ASCII without quotes or backslashes; NULL: none */
	size_t len;
	const char *unreadable;		  /* why there is no text, when there should be */
	const struct frame_variables *of; /* for words_notes(); NULL: not a Go function */
};

#endif
