/* SPDX-License-Identifier: Apache-2.0 */
/* head.h - the small members of a document, and what a page is about itself. */
#ifndef GOSNAP_PAGE_HEAD_H
#define GOSNAP_PAGE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/viewer/model/model.h"

struct shared;
struct sink;

/* How many the document has, of each list and of groups, and how many of them are left out for want of room. */
struct head_count {
	size_t all, left_out;
};
struct head_counts {
	struct head_count goroutines, groups, lists[MODEL_LISTS];
};

/* The page about itself. */
struct head_page {
	const char *name;  /* of the document */
	uint64_t size_max; /* bytes that it may have, if that is not everything */
	bool whole;	   /* every value of the document can be opened */
	bool of_folder;	   /* there are others beside it */
};

/* An object, in this order; it is open in between. The limits are bytes: what does not fit is left out. */
void head_begin(struct sink *out, const struct model *m);
void head_write_list(struct sink *out, struct model *m, enum model_list list,
		     uint64_t limit, struct head_count *ret);
/* order: rows of groups; NULL: all, as they come. Frames are numbers of texts, which the limit is of, too.
 * ret_written: by rows of groups, may be NULL. */
void head_write_groups(struct sink *out, struct shared *texts, const uint32_t *order,
		       uint64_t limit, bool *ret_written, struct head_count *ret);
void head_end(struct sink *out, const struct model *m, const struct head_page *page,
	      const struct head_counts *counts);
/* Is anything left out? */
bool head_is_part(const struct head_counts *counts);
/* As the document calls it. NULL: it is none of the head. */
const char *head_list_name(enum model_list list);

#endif
