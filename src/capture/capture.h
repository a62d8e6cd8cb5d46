/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - the part of a snapshot that needs the process: examine it as it runs,
 * then stop, copy and release it. The result no longer needs the process, except a
 * copy too large to be read at once, which is read until capture_finish().
 * plan.h chooses the method from the state of process and machine, before anything is
 * stopped; a copy that turns out to be impossible falls back to a stop. Knows nothing
 * of printing. */
#ifndef GOSNAP_CAPTURE_H
#define GOSNAP_CAPTURE_H

#include <sys/types.h>

#include "goruntime/goruntime.h"
#include "lib/procfs/process.h"
#include "lib/ptrace/plan.h"
#include "lib/ptrace/target_live.h"
#include "lib/ptrace/tracer.h"

enum values_wanted {
	VALUES_NONE,
	VALUES_OF_COPY, /* if reading them does not stop the process */
	VALUES_ALWAYS,
};

/* Where to look for debugging information. Strings are borrowed. */
struct read_options {
	const char *debug_file; /* NULL: none */
	bool debuginfod;
	bool no_cache;
};

/* Strings are borrowed. */
struct capture_options {
	pid_t pid;
	const char *assume_go; /* "1.26"; NULL: what the executable says */
	bool go_only;	       /* reject processes that are not Go */
	enum values_wanted values;
	const char *globals; /* see runtime_each_global(); NULL: none */
	struct read_options reading;
	bool verify; /* compare two unwinders */
	enum capture_way way;
	uint64_t max_pause_ns;	  /* a promised limit; 0: none */
	uint64_t max_copy_age_ns; /* maximum age of a copy */
};

struct capture {
	const struct capture_options *options;
	struct warnings *warnings;
	struct process *process;
	struct images *images;
	struct cache *cache;	      /* NULL: none */
	struct target *live, *frozen; /* NULL: the process exited before its stop */
	struct target *copy;	      /* that frozen still reads from; NULL: none */
	struct runtimes *runtimes;
	struct sockets *sockets; /* NULL: no goroutine waits for a file descriptor */
	struct conditions conditions;
	struct plan plan;
	int turn;	       /* see turn.h; -1: not taken */
	struct tracer *tracer; /* while the process is stopped or copied */
	bool held;	       /* stopped until capture_finish(): for values */
	struct live_pause pause;
	uint64_t monotonic_ns, realtime_ns; /* of the instant that the document shows */
	char *partial; /* why the document is incomplete; NULL: it is complete */
};

/* False: err says why there is no snapshot. */
MUST_CHECK bool capture_take(struct capture *c, const struct capture_options *options,
			     struct err *err);
/* Will values of frames be read? */
bool capture_has_values(const struct capture *c);
/* Once everything needed has been read: gives up the copy and records what is missing. */
void capture_finish(struct capture *c);
/* After that: waits until nothing is left of the copy, or records what is. */
void capture_settle(struct capture *c);
/* To be called in a fork of ours that reads and prints. */
void capture_forked(struct capture *c);
void capture_done(struct capture *c);

#endif
