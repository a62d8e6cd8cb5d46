/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - the part of a snapshot for which the process must be there: looked at while
 * it runs, held, copied, let go. What comes out needs the process no more; of a copy too
 * large to be taken over it goes on being read until capture_finish().
 * In which way: plan.h decides, from what the process and the machine are like, before
 * anything is stopped; a copy that turns out impossible falls back to a stop. */
#ifndef GOSNAP_CAPTURE_H
#define GOSNAP_CAPTURE_H

#include <sys/types.h>

#include "goruntime/goruntime.h"
#include "lib/procfs/process.h"
#include "lib/ptrace/plan.h"
#include "lib/ptrace/target_live.h"
#include "lib/ptrace/tracer.h"
#include "src/capture/debuginfo_options.h"

enum values_wanted {
	VALUES_NONE,
	VALUES_OF_COPY, /* where reading them holds nobody */
	VALUES_ALWAYS,
};

/* Strings are borrowed. */
struct capture_options {
	pid_t pid;
	const char *assume_go; /* "1.26"; NULL: what the executable says */
	bool go_only;	       /* refuse what is not Go */
	enum values_wanted values;
	const char *globals; /* as runtime_each_global() has it; NULL: none */
	struct debuginfo_options debuginfo;
	bool verify; /* compare two unwinders */
	enum capture_way way;
	uint64_t max_pause_ns;	  /* a promise; 0: none */
	uint64_t max_copy_age_ns; /* how long a copy may live */
};

struct capture {
	const struct capture_options *options;
	struct warnings *warnings;
	struct process *process;
	struct images *images;
	struct cache *cache;	      /* NULL: none */
	struct target *live, *frozen; /* NULL when the process ended before its stop */
	struct target *copy; /* that frozen still reads from; NULL: from nothing */
	struct runtimes *runtimes;
	struct sockets *sockets; /* NULL: nobody waits for a file descriptor */
	struct conditions conditions;
	struct plan plan;
	int turn;	       /* see turn.h; -1: not ours */
	struct tracer *tracer; /* while something is held or copied */
	bool held;	       /* until capture_finish(): for values */
	struct live_pause pause;
	uint64_t monotonic_ns, realtime_ns; /* of the instant that the document shows */
	char *partial; /* why the document is not whole; NULL: it is */
};

/* False: err says why there is no snapshot. */
MUST_CHECK bool capture_take(struct capture *c, const struct capture_options *options,
			     struct err *err);
/* Are values of frames to be read? */
bool capture_has_values(const struct capture *c);
/* When all has been read that is to be: gives the copy up, and notes what is missing. */
void capture_finish(struct capture *c);
/* Behind that: waits until nothing is left of the copy, or notes what is. */
void capture_settle(struct capture *c);
/* In a fork of ours that reads and prints. */
void capture_forked(struct capture *c);
void capture_done(struct capture *c);

#endif
