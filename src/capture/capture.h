/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - the part of a snapshot that needs the process, or its core: examine it as it runs,
 * then stop, copy and release it. A core is only examined. The result no longer needs the process, except a
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
#include "lib/target/memory_set.h"
#include "lib/target/target_extents.h"

enum values_wanted {
	VALUES_NONE,
	VALUES_UNLESS_HELD, /* if it need not stay stopped until they are written */
	VALUES_ALWAYS,
};

/* Where to look for debugging information. Strings are borrowed. */
struct read_options {
	const char *debug_file; /* NULL: none */
	bool debuginfod;
	bool no_cache;
};

/* A process that the kernel dumps at this moment. It stays until its dump is read to the end. */
struct dying {
	const char *source; /* of the document: "core-pipe" */
	pid_t pid;
	int head;	  /* its core up to the end of the notes, or all of it; taken */
	int memory;	  /* /proc/PID/mem; taken. -1: all of the core is in head */
	bool is_gone;	  /* /proc does not have it any more */
	uint64_t missed;  /* earlier crashes of the same program without a snapshot */
	bool stacks_only; /* of what it had in memory, goroutines and stacks */
	const char *missing; /* of these; NULL: nothing */
};

/* Strings are borrowed. */
struct core_options {
	const char *path;	   /* NULL: no core; "-": standard input */
	const struct dying *dying; /* instead of that file; path is its name then */
	struct image_search search;
	bool systemd; /* path is yet to be found, as systemd_core_find() is asked for it */
};

/* The process, as it was opened where that is permitted: before the sandbox was closed. */
struct capture_subject {
	struct target *live;
	struct process *process;
	int turn; /* see process_lock.h; -1: not taken */
};

/* Strings are borrowed. */
struct capture_options {
	pid_t pid;
	/* Of capture_find(); of a dying process, if /proc still has it, its process; else NULL. */
	struct capture_subject *subject;
	struct core_options core; /* instead of a process */
	const char *assume_go;	  /* "1.26"; NULL: what the executable says */
	bool go_only;		  /* reject processes that are not Go */
	enum values_wanted values;
	const char *globals; /* see runtime_each_global(); NULL: none */
	struct read_options reading;
	const struct fault_sighted *sighted; /* runtimes_set_sighted(); NULL: none */
	uint64_t noted_panics;		     /* runtimes_set_noted(); 0: none */
	bool verify;			     /* compare two unwinders */
	bool core_file;			     /* one will be written of what is captured */
	bool can_rehearse; /* capture_rehearse() will be called, if it is wanted */
	enum capture_way way;
	/* Who traces the process already, and stops it for us; NULL: a tracer of our own. */
	const struct tracer_service *service;
	bool stands;	       /* it does not run before we have finished, or copied it */
	bool ended;	       /* nor after that: it is at its end */
	uint64_t max_pause_ns; /* a promised limit; 0: none */
	bool keep_copy; /* make one if possible, even if that is slower, and read from it to the end */
	uint64_t max_copy_age_ns; /* maximum age of a copy */
};

struct capture {
	const struct capture_options *options;
	struct warnings *warnings;
	struct process *process;
	struct images *images;
	struct cache *cache;   /* NULL: none */
	struct target *live;   /* the process as it runs, or the core */
	struct target *frozen; /* NULL: the process exited before its stop */
	struct target *copy;   /* that frozen still reads from; NULL: none */
	struct runtimes *runtimes;
	struct sockets *sockets; /* NULL: no goroutine waits for a file descriptor */
	struct conditions conditions;
	struct plan plan;
	int turn;	       /* see turn.h; -1: not taken */
	struct tracer *tracer; /* while the process is stopped or copied */
	bool held;	       /* stopped until capture_finish(): for values */
	/* The last tracer was ended because it had no processor; how many were. */
	bool starved;
	unsigned starvations;
	bool lost_copy; /* it ended before goroutines and stacks were read */
	/* Of CAPTURE_GATHER: the pages to read while it is stopped, most important first;
	 * until when; and what was left. */
	struct extent_range *ahead;
	size_t ahead_count, ahead_left;
	uint64_t ahead_until_ns;
	size_t warnings_before;
	struct live_pause pause;
	uint64_t monotonic_ns,
		realtime_ns; /* of the instant that the document shows; of a
					     * core, not later than that */
	/* Of a core file: what it must have, and what was read for the document. NULL: none. */
	struct {
		struct memory_set *regions, *read, *words;
	} core;
	char *partial; /* why the document is incomplete; NULL: it is complete */
};

/* Waits for its turn and opens the process. False: err says why there is no snapshot. */
MUST_CHECK bool capture_find(const struct capture_options *options,
			     struct capture_subject *ret, struct err *err);
void capture_subject_done(struct capture_subject *subject);

/* Takes options->subject, examines the process as it runs, and plans. False: err says why there is no snapshot. */
MUST_CHECK bool capture_open(struct capture *c, const struct capture_options *options,
			     struct err *err);
/* In two steps, for several captures of which each is made in a fork of ours: what stays the same is
 * looked at once, without disturbing other gosnaps. */
MUST_CHECK bool capture_look(struct capture *c, const struct capture_options *options,
			     struct err *err);
/* Takes turn, see process_lock.h; -1: none. */
MUST_CHECK bool capture_begin(struct capture *c, int turn, struct err *err);
/* Changes when the process maps other code, so that it has to be looked at again. */
uint64_t capture_code_key(struct capture *c);
/* Is it worth making the document from the running process first, to find out what has to
 * be read while it is stopped? */
bool capture_wants_rehearsal(const struct capture *c);
/* Between these two, the running process can be read as if it had been captured. What is
 * read is recorded: capture_take() reads it again, in the order of the first time. False:
 * it cannot be read so. */
bool capture_rehearse(struct capture *c);
void capture_rehearsed(struct capture *c);
/* Captures the process. False: err says why there is no snapshot. */
MUST_CHECK bool capture_take(struct capture *c, struct err *err);
/* Once goroutines are decoded: when did the process of a core end? The time of day is that of the
 * file; the monotonic clock had passed at least the last time that the runtime noted. */
void capture_date(struct capture *c);
/* Is the process still stopped, so that what else is needed can be read? Then read it, as long
 * as there is time, and resume the process. whole: there was time for all of it. */
bool capture_is_gathering(const struct capture *c);
bool capture_has_time(const struct capture *c);
void capture_resume(struct capture *c, bool whole);
/* How often memory was missed so far: target_missed(). */
uint64_t capture_missed(const struct capture *c);
/* Why not all could be read until now, as a copy has ended or the process has; NULL: nothing is known of that. */
const char *capture_ended_early(const struct capture *c);
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
