/* SPDX-License-Identifier: Apache-2.0 */
/* run_priv.h - what the files of run.h share. Private to src/run. */
#ifndef GOSNAP_RUN_PRIV_H
#define GOSNAP_RUN_PRIV_H

#include "lib/ptrace/watch.h"
#include "src/run/run.h"
#include "src/run/traced.h"

/* launch.c: starts the tracer, and becomes the program. supervisor: descriptor on which the tracer
 * tells that a timeout's snapshot was taken; -1: none. Returns the exit status if that failed. */
int run_launch(const struct run_options *options, char **argv, int supervisor);

/* supervisor.c: the parent, with a timeout. */
int run_supervised(const struct run_options *options, char **argv);

/* watcher.c: follows the program until it has ended. channel: says whether it can be traced, then is
 * closed. */
void run_watch(const struct run_options *options, const char *program, pid_t pid,
	       int channel, int supervisor) __attribute__((noreturn));

/* reader.c: one snapshot, by a child. */
struct reading {
	const struct run_options *options;
	const char *program;
	pid_t pid;
	struct trigger trigger;
	bool stands, ended, only_of_fault;
	unsigned number;	   /* of the snapshots of this run, from 1 */
	const char *values_failed; /* why none are read; NULL: nothing */
	/* The result, in shared memory: */
	struct reading_result {
		struct traced_result taken;
		char path[4096];
	} * result;
};
void run_read(const struct reading *reading, const struct tracer_service *service);

/* inherited.c: undoes what main() changed, right before execve. */
void run_restore_inherited(void);

/* What watcher and program say to each other before the program starts. */
struct watcher_answer {
	bool watches;
	struct err why;
};

#endif
