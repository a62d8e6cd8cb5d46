/* SPDX-License-Identifier: Apache-2.0 */
/* watched.h - the subjects: which programs have probes, of which processes these tell, and how both change.
 * Knows files, processes and the kernel's side; nothing of what becomes of a process. */
#ifndef GOSNAP_WATCH_WATCHED_H
#define GOSNAP_WATCH_WATCHED_H

#include "src/bpf/fault_probes.h"
#include "src/bpf/kill_probes.h"
#include "src/strict/strict.h"
#include "src/watch/log.h"
#include "src/watch/programs.h"
#include "src/watch/service.h"

struct watched {
	const struct watch_service_options *options; /* in force; borrowed */
	const struct watch_log *log;
	struct fault_settings settings;
	struct fault_probes *probes;
	struct kill_probes *kills; /* NULL: none */
	struct programs *programs;
	struct strict *strict; /* NULL: nothing is held */
	struct strict_counts *held;
	uint64_t let_by, told_ns; /* what has been told of these, and when */
	int ends;		  /* of --pid; -1: none */
	size_t ended;		  /* of these */
	struct err missing;	  /* ERR_NONE, or a function that a program lacks */
};

/* With probes that nobody meets yet. */
MUST_CHECK bool watched_open(struct watched *watched, struct err *err);
MUST_CHECK bool watched_begin(struct watched *watched, struct err *err);
void watched_close(struct watched *watched);

/* Other options, which are in force if it returns true; what stays is watched all the time. between is called
 * when probes may have something to tell that does not wait. */
MUST_CHECK bool watched_change(struct watched *watched,
			       const struct watch_service_options *options,
			       void (*between)(void *arg), void *arg, struct err *err);

/* A process runs another program. */
void watched_exec(struct watched *watched, pid_t pid);
/* Calls fn with each process that is watched now: one of the subjects that runs a program with probes. */
void watched_each(const struct watched *watched, void (*fn)(void *arg, pid_t pid),
		  void *arg);
/* Programs that are held until they have probes: go on to look at them, and see to it that this goes on. */
void watched_hold(struct watched *watched);
/* We see other file systems than before. */
void watched_mounts(struct watched *watched);
/* Processes of --pid have ended. True: all of them. */
bool watched_ends(struct watched *watched);

#endif
