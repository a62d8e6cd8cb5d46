/* SPDX-License-Identifier: Apache-2.0 */
/* head.h - the small members of a document, and what a page is about itself. */
#ifndef GOSNAP_PAGE_HEAD_H
#define GOSNAP_PAGE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

struct shared;
struct sink;

/* The page about itself. */
struct head_page {
	const char *name;    /* of the document */
	uint64_t values_max; /* bytes of values, if it is not whole */
	bool whole;	     /* every value of the document can be opened */
	bool of_folder;	     /* there are others beside it */
};

/* An object; frames are numbers of texts. */
void head_write(struct sink *out, struct shared *texts, const struct head_page *page);

#endif
