/* SPDX-License-Identifier: Apache-2.0 */
/* service.h - watches processes, and has each caught as it begins to die (catch.h). The main header of
 * src/watch. Knows which processes are watched, and the events of the kernel; nothing of what is in
 * a process, and nothing of command lines. */
#ifndef GOSNAP_WATCH_SERVICE_H
#define GOSNAP_WATCH_SERVICE_H

#include "goruntime/goruntime.h"
#include "src/bpf/fault.h"
#include "src/snapshot/snap.h"
#include "src/spool/spool.h"
#include "src/watch/log.h"
#include "src/watch/thresholds.h"

/* Strings are borrowed. */
struct watch_subjects {
	bool all; /* every Go process, now and later */
	const char **files;
	size_t file_count;
	pid_t *pids;
	size_t pid_count;
	const char *
		cgroup; /* every Go process in this folder of cgroup v2, and below; or NULL */
};

enum { WATCH_FUNCTIONS = PROBE_FUNCTIONS };

struct watch_service_options {
	struct watch_subjects subjects;
	struct snap_options snap; /* not: output, trigger, core */
	struct spool *spool;
	struct spool_quota quota; /* of the spool, after each snapshot */
	uint64_t hold_ns;
	uint64_t max_pause_ns; /* how long a process may stand still */
	uint64_t interval_ns;  /* between two snapshots of one program */
	uint32_t count;	       /* ends after so many snapshots; 0: never */
	bool on_kill;	       /* also of SIGKILL that is not for want of memory */
	bool strict;	       /* hold programs that start until they have probes */
	bool on_exit;	       /* with these statuses, too: */
	bool exits[256];
	/* What happens again and again, and the process goes on. Each kind of it has one snapshot of each program
	 * in again_ns, and does not count for interval_ns. */
	const char **functions; /* calls of them, by exact names */
	size_t function_count;
	uint32_t one_recovered_of; /* of so many panics that are recovered; 0: none */
	uint64_t again_ns;
	struct thresholds_options thresholds; /* condition NULL: none */
	bool terminals; /* also processes with a controlling terminal */
	enum fault_hold hold_by;
	bool perf_events; /* attach as kernels before 6.6 do */
	bool quiet;
	enum watch_log_format log;
	const char *socket;  /* where it answers what it has done; NULL or "": nowhere */
	const char *metrics; /* file that it writes that to now and then; NULL: none */
};

/* At SIGHUP: the options anew. NULL: err, and those from before stay. */
struct watch_reread {
	const struct watch_service_options *(*read)(void *arg, struct err *err);
	/* What was read is in force, and what was before is not needed any more; or the other way round. */
	void (*used)(void *arg, bool in_force);
	void *arg;
};

/* Returns after SIGTERM, SIGINT or the count, once no process stands still any more; also after SIGHUP, if reread
 * is NULL. False: err says why it cannot begin. */
MUST_CHECK bool watch_service(const struct watch_service_options *options,
			      const struct watch_reread *reread, struct err *err);

#endif
