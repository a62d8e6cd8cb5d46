/* SPDX-License-Identifier: Apache-2.0 */
/* survey.h - reads many small structs of one kind while the process is stopped: in
 * address order, neighbours in one read. Keeps nothing: the callback gets each struct
 * once and reduces it to what it needs. Private to goruntime. */
#ifndef GOSNAP_SURVEY_H
#define GOSNAP_SURVEY_H

#include "lib/target/target.h"

struct survey_item {
	uint64_t addr;
	uint64_t tag; /* for the caller */
};

/* bytes: borrowed until fn returns; NULL: unreadable. */
typedef void survey_fn(void *arg, const struct survey_item *item, const uint8_t *bytes);

/* Sorts items by address and calls fn for each in that order. size is at most
 * LIMIT_STRUCT_BYTES; fn must not call survey(). */
void survey(struct target *t, struct survey_item *items, size_t n, size_t size,
	    survey_fn *fn, void *arg);

/* Sorts items by address and removes duplicates. Returns how many are left. */
size_t survey_distinct(struct survey_item *items, size_t n);

#endif
