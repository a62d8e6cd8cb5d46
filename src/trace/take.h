/* SPDX-License-Identifier: Apache-2.0 */
/* take.h - snapshots of processes at calls that are traced: the kernel keeps the thread that calls until a child of
 * ours has stopped the process. One at a time, and not too often; the first that succeeds may be the
 * last. */
#ifndef GOSNAP_TRACE_TAKE_H
#define GOSNAP_TRACE_TAKE_H

#include "src/bpf/trace_probes.h"
#include "src/snapshot/snap.h"
#include "src/trace/find.h"

struct takes_options {
	const struct snap_options *snap; /* not: output, trigger, core */
	const char *pattern;		 /* of names of files, see file_name.h */
	const char *program, *when;	 /* the latter NULL: all calls */
	const struct trace_functions *functions;
	uint64_t interval_ns; /* between two of them */
	uint64_t
		max_pause_ns; /* then a process goes on, whatever became of its snapshot */
};

enum { TAKEN_TEXT = 2048 };
struct trace_taken {
	uint64_t call, at_ns; /* as of struct trace_stop */
	uint64_t stopping_ns; /* from the call until all threads stood still */
	uint64_t pause_ns;    /* and until they went on; 0: they were not stopped */
	uint32_t function, pid, tid;
	uint32_t done;	       /* there is a document */
	char file[TAKEN_TEXT]; /* its name */
	char why[1024];	       /* there is none, or it is incomplete */
};

struct takes;

/* NULL: err says why there could be none. All is borrowed. */
struct takes *takes_new(const struct takes_options *options, struct trace_probes *probes,
			struct err *err);
/* Waits for the one that is being taken. */
void takes_free(struct takes *takes);
DEFINE_AUTO(struct takes, takes_free)

/* Begins one if the kernel keeps a thread for it. */
void takes_begin(struct takes *takes);
/* Readable when it has ended; -1: there is none. Borrowed. */
int takes_fd(const struct takes *takes);
/* What became of it, once. wait: until it has ended. */
bool takes_end(struct takes *takes, bool wait, struct trace_taken *ret);

struct takes_counts {
	uint64_t taken, failed;
};
struct takes_counts takes_counts(const struct takes *takes);
/* None succeeded although some were begun. */
MUST_CHECK bool takes_have_failed(const struct takes *takes, struct err *ret_why);

#endif
