/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - a snapshot document as one HTML page: what reads it in the browser, and what it
 * reads, which is the document in other words, compressed. Reads only the document, never a process, and adds
 * no facts to it. Knows the members of the document, and how much a page can carry; how it looks is
 * known in page/. */
#ifndef GOSNAP_HTML_H
#define GOSNAP_HTML_H

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/viewer/page_data/head.h"

struct page_out;
struct reader;

/* A browser takes as much. */
enum { HTML_SIZE_MB = 256 };

struct html_options {
	const char *name;  /* of the document, as the page calls it */
	uint64_t size_max; /* bytes of the page, and of its data before compression */
};

/* How much of the document the page has. */
struct html_summary {
	struct head_counts counts;
	size_t with_values; /* goroutines */
	bool lacks_values;  /* of some, or of what they refer to */
	bool nothing;	    /* there is no page */
};

/* Takes ownership of reader. A document that is cut off or damaged makes a page of what there is; false: err
 * says where, or why there is no page. */
MUST_CHECK bool html_write(struct reader *reader, const struct html_options *options,
			   const struct page_out *out, struct html_summary *ret,
			   struct err *err);
/* Of what is not there for want of room, in a sentence; the caller frees it. NULL: all is there. */
char *html_left_out(const struct html_summary *summary);

#endif
