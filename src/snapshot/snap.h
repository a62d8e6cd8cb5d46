/* SPDX-License-Identifier: Apache-2.0 */
/* snap.h - one live process into one document: capture, walk, print.
 * Knows no command line and no file. */
#ifndef GOSNAP_SNAP_H
#define GOSNAP_SNAP_H

#include "src/capture/capture.h"
#include "src/snapshot/progress.h"

struct redaction;
struct sink;

/* Strings are borrowed. */
struct snap_options {
	struct capture_options capture;
	const char *output; /* NULL: standard output */
	bool no_system;	    /* leave the runtime's own goroutines out */
	bool dead;	    /* goroutines that ended and wait to be used again, too */
	bool full_frames;   /* frames with every goroutine, not only with its group */
	bool compiler;	    /* variables that only the compiler declares, too */
	bool full;	    /* of values all but what value_bounds_full says */
	uint64_t max_size;  /* of the document, by values; 0: as the bounds say */
	unsigned jobs;	    /* processes that print values; 0: by the CPUs */
	const struct value_rules *rules; /* NULL: none */
	bool environment;		 /* its values, too */
	bool vector_registers;		 /* of threads */
	struct redaction *redaction;
	bool strict; /* warnings matter for the exit status */
	enum progress_when progress;
};

struct snap_result {
	size_t warnings;
	bool partial; /* the process ended before the end; the document says so */
};

/* Writes one whole document. False: err says why there is none, and what the sink got is
 * to be thrown away. */
MUST_CHECK bool snap_take(const struct snap_options *options, struct sink *out,
			  struct snap_result *ret, struct err *err);

#endif
