/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - what a list shows of each goroutine: a column for each field. */
#ifndef GOSNAP_COLUMNS_H
#define GOSNAP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/viewer/model/model.h"

struct shared;
struct sink;

/* Rows of the model that a page has, in the order of the document. */
struct row_list {
	const struct model_goroutine *all;
	uint32_t *rows; /* NULL: all */
	size_t count;
};

static inline uint32_t row_number(const struct row_list *rows, size_t at)
{
	return rows->rows ? rows->rows[at] : (uint32_t)at;
}

static inline const struct model_goroutine *row_at(const struct row_list *rows, size_t at)
{
	return &rows->all[row_number(rows, at)];
}

/* An array for each column. False: with the texts, they are more than so many bytes; some are missing. */
bool columns_write(struct sink *out, struct shared *texts, const struct row_list *rows,
		   uint64_t limit);
/* The last column. whole: whose values the page has; NULL: of all. */
void columns_write_flags(struct sink *out, const struct row_list *rows,
			 const bool *whole);
/* What a row takes up in all columns, while its texts are among the texts. */
enum { COLUMNS_FLAGS_BYTES = 3 };
size_t columns_bytes(struct shared *texts, const struct model_goroutine *g);

#endif
