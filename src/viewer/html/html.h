/* SPDX-License-Identifier: Apache-2.0 */
/* html.h - a snapshot document as one HTML page: what reads it in the browser, and what it
 * reads, which is the document in other words, compressed. Reads only the document, never a process, and adds
 * no facts to it. Knows the members of the document, and how much a page can carry; how it looks is
 * known in page/. */
#ifndef GOSNAP_HTML_H
#define GOSNAP_HTML_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct page_out;
struct reader;

/* Of the values of goroutines, before compression. Beyond it, the page has samples. */
enum { HTML_VALUES_MB = 256 };

struct html_options {
	const char *name;    /* of the document, as the page calls it */
	uint64_t values_max; /* bytes of values, before compression */
};

/* Takes ownership of reader. A document that is cut off or damaged makes a page of what there is; false: err
 * says where, or *ret_nothing that there is no page. */
MUST_CHECK bool html_write(struct reader *reader, const struct html_options *options,
			   const struct page_out *out, bool *ret_nothing,
			   struct err *err);

#endif
