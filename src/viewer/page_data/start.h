/* SPDX-License-Identifier: Apache-2.0 */
/* start.h - what a page knows of a document from the start, the same in a file and from a server: its small
 * members, texts by their numbers, and columns that have a row for each goroutine. The main header of
 * src/viewer/page_data, which knows the members of the document and those of page/data/model.js; where
 * values are is known to who asks for it. */
#ifndef GOSNAP_PAGE_START_H
#define GOSNAP_PAGE_START_H

#include "src/viewer/page_data/columns.h"
#include "src/viewer/page_data/head.h"
#include "src/viewer/page_data/named.h"

/* Each the elements of an array, see sink_part_new(). */
struct start {
	struct model *m;
	struct sink *head, *texts, *columns;
	struct head_counts counts;
	struct named named; /* of start_named() */
	bool is_named;
	struct row_list rows;
};

/* What start_finish() adds beside a row's flags, at most: the limit of start_make() does not count it. */
enum { START_PAGE_BYTES = 8192 };
/* With more bytes than limit, it has a part of groups and goroutines, so that they fit, and is to be freed all the
 * same; false: not even the least fits. */
MUST_CHECK bool start_make(struct start *ret, struct model *m, uint64_t limit);
/* Of all that the page has: whole[i]: the values of goroutine i of start->rows, too; NULL: of all. */
void start_finish(struct start *start, const struct head_page *page, const bool *whole);
void start_done(struct start *start);
/* Below which limit start_make() fails. */
uint64_t start_bytes_least(const struct start *start);
/* Borrowed. */
const struct named *start_named(struct start *start);
/* With what start_finish() adds, at most. */
uint64_t start_bytes(const struct start *start);
/* All of it as JSON: an object with "head", "texts" and "columns"; see page/data/server_source.js. The caller
 * frees it. */
char *start_of(struct model *m, const struct head_page *page);

#endif
