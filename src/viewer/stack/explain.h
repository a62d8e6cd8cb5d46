/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h - what a word of a stack is, in words. Private to src/viewer/stack. */
#ifndef GOSNAP_EXPLAIN_H
#define GOSNAP_EXPLAIN_H

#include <stddef.h>

struct pointees;
struct raw_words;
struct text;

/* "return address into main.main, main.go:12" */
void explain_word(const struct raw_words *raw, const struct pointees *pointees, size_t i,
		  struct text *text);

#endif
