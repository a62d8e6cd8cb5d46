/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - runs a program, and takes a snapshot when it dies of a crash, at that moment. The calling
 * process becomes the program, as with env(1), so that process id, parent, process group, terminal,
 * descriptors and exit status are its own; a process beside it, which nobody waits for, is its
 * tracer (watch.h). Only with a timeout a parent stays, for the exit status that says so.
 * However the tracer ends, the program goes on and ends as it would. Knows nothing of command lines. */
#ifndef GOSNAP_RUN_H
#define GOSNAP_RUN_H

#include "src/snapshot/snap.h"

enum run_signals {
	RUN_SIGNALS_MOST, /* but those that say only that nobody waits for it any more */
	RUN_SIGNALS_CORE, /* those of faults and aborts: the default action is a core */
	RUN_SIGNALS_ALL,
};
#define RUN_SIGNALS_WORDS "most|core|all"
enum run_quit { RUN_QUIT_PASS, RUN_QUIT_SNAPSHOT };
#define RUN_QUIT_WORDS "pass|snapshot"

/* Strings are borrowed. */
struct run_options {
	const char *output;		    /* see file_name.h; NULL: the default */
	unsigned signals;		    /* enum run_signals */
	unsigned on_quit;		    /* enum run_quit */
	uint64_t timeout_ns, kill_after_ns; /* 0: none */
	bool quiet;
	struct snap_options snap; /* not: output, trigger, core */
	/* Prints a sentence to standard error, in the tracer, too. */
	void (*say)(const char *text);
};

enum {
	RUN_TIMED_OUT = 124,
	RUN_FAILED = 125, /* gosnap itself */
	RUN_NOT_EXECUTABLE = 126,
	RUN_NOT_FOUND = 127,
};

/* Returns only if the program cannot be run, or with a timeout: the exit status. */
int run_program(const struct run_options *options, char **argv);

/* For main(): what a program that is run must inherit as we did. */
void run_note_inherited(void);

#endif
