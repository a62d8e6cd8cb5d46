/* SPDX-License-Identifier: Apache-2.0 */
/* narrowing.h - which goroutines are listed, and in which order. */
#ifndef GOSNAP_NARROWING_H
#define GOSNAP_NARROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

enum narrowing_kind {
	NARROW_NOT,
	NARROW_GROUP,	 /* number: row of the group */
	NARROW_CHILDREN, /* number: id of who created them */
	NARROW_ROWS,	 /* rows; words: what they have in common */
	NARROW_WORDS,	 /* words: that they have */
};

struct narrowing {
	enum narrowing_kind kind;
	int64_t number;
	uint64_t address; /* of NARROW_ROWS: what their variables have; 0: nothing */
	char *words;	  /* owned; NULL: none */
	uint32_t *rows;	  /* owned; NULL: none */
	size_t count;
};

enum sorting { SORT_AS_WRITTEN, SORT_LONGEST, SORT_STATE, SORT_FUNCTION, SORTINGS };
const char *sorting_name(enum sorting sorting);

void narrowing_done(struct narrowing *n);
struct narrowing narrowing_copy(const struct narrowing *n);
/* The rows that pass, which the caller frees. all: also those of the runtime. */
uint32_t *narrowing_rows(const struct narrowing *n, struct model *model, bool all,
			 enum sorting sorting, size_t *ret_count);

#endif
