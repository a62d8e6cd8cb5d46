/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - which word a mistyped one was meant to be. */
#ifndef GOSNAP_NEAREST_H
#define GOSNAP_NEAREST_H

struct nearest {
	const char *word; /* as it was typed */
	const char *best; /* the candidate so far; NULL: none is near enough. Borrowed. */
	unsigned edits;
};

/* Takes the candidate when it is nearer than those before, and near at all: a letter in
 * three may be missing, superfluous, wrong or in its neighbour's place. */
void nearest_try(struct nearest *nearest, const char *candidate);

#endif
