/* SPDX-License-Identifier: Apache-2.0 */
/* viewer.h - a snapshot document as text for people. Reads documents only, never a
 * process, and says nothing that the document does not say. */
#ifndef GOSNAP_VIEWER_H
#define GOSNAP_VIEWER_H

#include <stdint.h>
#include <stdio.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct filter;
struct reader;

struct viewer_options {
	bool all;	       /* hidden frames, system goroutines, threads */
	bool color;	       /* escape sequences are welcome */
	size_t columns;	       /* see page.h */
	struct filter *filter; /* which goroutines; borrowed, never NULL */
	const char *pager;     /* see pager_command(); NULL: none */
};

/* Reads the document twice. Of a damaged one all that is whole is printed, and false comes
 * back with the reader's sentence. *ret_nothing: there are goroutines, and none has passed
 * the filter. Failures of out are the caller's to find (ferror); with a pager it is not
 * written to, and the pager runs only when there is something to be seen. */
MUST_CHECK bool viewer_show(struct reader *reader, const struct viewer_options *options,
			    FILE *out, bool *ret_nothing, struct err *err);

#endif
