/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - suggests the word that a mistyped one probably meant. */
#ifndef GOSNAP_NEAREST_H
#define GOSNAP_NEAREST_H

struct nearest {
	const char *word; /* as typed */
	const char *best; /* the best so far; NULL: none is close enough. Borrowed. */
	unsigned edits;
};

/* Considers a candidate: it wins if it is closer than those before, with at most one edit
 * per three letters: a letter missing, added, wrong or swapped with its neighbour. */
void nearest_try(struct nearest *nearest, const char *candidate);

#endif
