/* SPDX-License-Identifier: Apache-2.0 */
/* traced.h - one snapshot of a process that its tracer stops for us, by a child of the tracer, which leaves what
 * was the process's to a sandbox. If the sandbox dies, what it had written becomes a document. Knows
 * neither names of files nor why there is a snapshot. */
#ifndef GOSNAP_TRACED_H
#define GOSNAP_TRACED_H

#include "src/snapshot/output.h"
#include "src/snapshot/snap.h"

struct traced_result {
	bool done;
	bool no_fault; /* of a reading for a fault only: there is none, and no document */
	/* Not done: nothing was written, and it may be done without values, which are read first. */
	bool without_values;
	char verdict[1024]; /* "": none */
	struct err why;	    /* if it is not done, or not complete */
};

/* Borrowed. */
struct traced_reading {
	struct snap_options options; /* capture.pid, trigger, and what is wanted */
	const struct tracer_service *service;
	bool stands; /* the process, until it is copied, or the child has ended */
	const char *values_failed; /* why none are read; NULL: nothing */
	struct traced_result *result;
	/* What the tracer believes, in memory shared with it: the sandbox does not get it. */
	void *shared;
	size_t shared_bytes;
};

/* Writes to out, and commits it. */
void traced_read(const struct traced_reading *reading, struct output *out);

#endif
