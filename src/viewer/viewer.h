/* SPDX-License-Identifier: Apache-2.0 */
/* viewer.h - a snapshot document as text for people. Reads documents only, never a
 * process, and says nothing that the document does not say. */
#ifndef GOSNAP_VIEWER_H
#define GOSNAP_VIEWER_H

#include <stdio.h>

#include "err.h"
#include "util.h"

struct reader;

struct viewer_options {
	bool all;   /* hidden frames, system goroutines, threads */
	bool color; /* the terminal understands escape sequences */
};

/* For that stream: colour when it is a terminal and NO_COLOR is not set. */
struct viewer_options viewer_options_for(FILE *out);

/* Reads the document twice. Of a damaged one all that is whole is printed, and false comes
 * back with the reader's sentence. Failures of out are the caller's to find (ferror). */
MUST_CHECK bool viewer_show(struct reader *reader, const struct viewer_options *options,
			    FILE *out, struct err *err);

#endif
