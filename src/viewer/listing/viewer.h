/* SPDX-License-Identifier: Apache-2.0 */
/* viewer.h - shows a snapshot document as text. Reads only the document, never a
 * process, and adds no facts to it. Knows how the listing looks; what a field means is known in
 * src/viewer/document. */
#ifndef GOSNAP_VIEWER_H
#define GOSNAP_VIEWER_H

#include <stdint.h>
#include <stdio.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/viewer/document/sections.h"

struct filter;
struct reader;

struct viewer_options {
	bool all;      /* hidden frames, system goroutines, threads */
	bool values;   /* each goroutine by itself, with its variables */
	bool markdown; /* see markdown.h */
	size_t frames; /* of each stack, at most; 0: no limit */
	enum grouping grouping;
	const char *label;     /* of GROUPING_LABEL; borrowed */
	bool color;	       /* escape sequences are allowed */
	size_t columns;	       /* see page.h */
	struct filter *filter; /* selects goroutines; borrowed, never NULL */
	const char *pager;     /* see pager_command(); NULL: none */
};

/* Takes ownership of the reader. If the document is damaged, prints the intact part and returns false
 * with the reader's error. *ret_nothing: there are goroutines, but none passed the
 * filter. The caller checks out for errors (ferror). With a pager, out is not used, and
 * the pager only runs if there is something to show. */
MUST_CHECK bool viewer_show(struct reader *reader, const struct viewer_options *options,
			    FILE *out, bool *ret_nothing, struct err *err);

/* The goroutines that pass the filter as a document on standard output, see part.h. The same
 * otherwise. */
MUST_CHECK bool viewer_write_part(struct reader *reader, struct filter *filter,
				  bool *ret_nothing, struct err *err);

#endif
