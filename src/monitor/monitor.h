/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h - waits beside a process until it says that a snapshot is wanted, has it taken, and has
 * it sent. The process says so by any byte in a pipe, our standard input. It may be the runtime
 * that writes it, as the process dies: while we do not read on, the pipe is full, and the process
 * stays as it is. So the one who reads does nothing else: it examines nothing, and lives on when the
 * child that does is killed or takes too long. If it hangs itself, or is stopped, another process ends it (sentry.h).
 * Knows the pipe and the process's number, not what is in
 * a process or a document.
 *
 * On standard output: "ready" when the process is the one that was meant, then "snapshot STATUS
 * FILE", "noted" or "failed STATUS", by the exit status of gosnap(1); -1: killed, or too late. Before
 * "snapshot" comes "panic" with four words if it is of a panic. */
#ifndef GOSNAP_MONITOR_H
#define GOSNAP_MONITOR_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/monitor/delivery.h"

enum { MONITOR_PANIC_WORDS = 4 };

struct monitor {
	pid_t pid;
	/* Field 22 of /proc/PID/stat, as the process read it: never another one that got its number.
	 * 0: not known. */
	uint64_t start_time;
	uint64_t timeout_ns;
	const char *output; /* the document's file */
	/* The pipe is the process's standard error, of Go releases that cannot write to another
	 * file, too: what it writes goes on to here, and what the runtime says last is the sign.
	 * -1: the pipe is for nothing else. */
	int relay;
	struct delivery delivery;
	/* Takes the snapshot, in a process of its own. Returns the exit status: 0 without a document
	 * means that the process noted that it has one. */
	int (*take)(void *arg);
	void *arg;
	/* Which panic it was, by take(), so in shared memory. All 0: none. */
	const uint64_t *panic;
};

/* Returns when the process has ended, or closed the pipe. False: it did not begin. */
MUST_CHECK bool monitor_run(const struct monitor *monitor, struct err *err);

#endif
