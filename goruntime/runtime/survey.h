/* SPDX-License-Identifier: Apache-2.0 */
/* survey.h - many small structs of one kind, read while the process is held: in address
 * order, neighbours as one piece. Private to goruntime. Keeps nothing: each is handed over
 * once, to be reduced to what is wanted of it. */
#ifndef GOSNAP_SURVEY_H
#define GOSNAP_SURVEY_H

#include "lib/target/target.h"

struct survey_item {
	uint64_t addr;
	uint64_t tag; /* the caller's */
};

/* bytes: borrowed; NULL: they could not be read. */
typedef void survey_fn(void *arg, const struct survey_item *item, const uint8_t *bytes);

/* Sorts items by address and calls fn for each in that order. size: at most
 * LIMIT_STRUCT_BYTES; fn may not call survey(). */
void survey(struct target *t, struct survey_item *items, size_t n, size_t size,
	    survey_fn *fn, void *arg);

/* Sorts items by address and keeps one of each. Returns how many. */
size_t survey_distinct(struct survey_item *items, size_t n);

#endif
