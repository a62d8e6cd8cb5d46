/* SPDX-License-Identifier: Apache-2.0 */
/* head.h - parts of what a page knows of a document from the start. */
#ifndef GOSNAP_HTML_HEAD_H
#define GOSNAP_HTML_HEAD_H

#include <stdbool.h>
#include <stdint.h>

struct reader_node;
struct shared;
struct sink;

/* What the page is about itself. */
struct head_page {
	const char *name;    /* of the document */
	const char *damage;  /* NULL: none */
	uint64_t values_max; /* bytes of values, if it is not whole */
	bool whole;	     /* every value of the document can be opened */
	bool of_folder;	     /* there are others beside it */
};

/* A group: its frames by their numbers; who is in it, the rows say. */
void head_write_group(struct sink *head, const struct reader_node *group,
		      struct shared *texts);
/* The member "page". */
void head_write_page(struct sink *head, const struct head_page *page);

#endif
