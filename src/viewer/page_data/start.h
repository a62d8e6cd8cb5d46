/* SPDX-License-Identifier: Apache-2.0 */
/* start.h - what a page knows of a document from the start, the same in a file and from a server: its small
 * members, texts by their numbers, and columns that have a row for each goroutine. The main header of
 * src/viewer/page_data, which knows the members of the document and those of page/data/model.js; where
 * values are is known to who asks for it. */
#ifndef GOSNAP_PAGE_START_H
#define GOSNAP_PAGE_START_H

#include "src/viewer/page_data/head.h"

struct model;
struct sink;

/* Each the elements of an array, see sink_part_new(). */
struct start {
	struct sink *head, *texts, *columns;
};

/* whole: of each row, whether the page has its values; NULL: of all. */
void start_make(struct start *ret, struct model *m, const struct head_page *page,
		const bool *whole);
void start_done(struct start *start);
/* As JSON: an object with "head", "texts" and "columns"; see page/data/server_source.js. The caller frees
 * it. */
char *start_of(struct model *m, const struct head_page *page);

#endif
