/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h - one snapshot of a process that stands still, into the spool. */
#ifndef GOSNAP_WATCH_INSPECT_H
#define GOSNAP_WATCH_INSPECT_H

#include "src/run/traced.h"
#include "src/spool/spool.h"
#include "src/watch/log.h"

struct inspection {
	struct snap_options snap; /* not: output, trigger, core */
	struct spool *spool;
	pid_t pid;
	const char *program; /* its file's name */
	uid_t owner;
	struct fault_sighted sighted;
	struct trigger trigger;
	const char *values_failed; /* why none are read; NULL: nothing */
	const struct core_options
		*core; /* of one that was killed, instead; NULL: it stands still */
	/* In shared memory: */
	struct inspection_result {
		struct traced_result taken;
		char id[256];
	} * result;
};

/* In a child of who traces it; what is hostile is read in a sandbox. service: NULL for a core, and for a process
 * that nobody traces, which runs on. */
void inspect(const struct inspection *inspection, const struct tracer_service *service);

/* The name of the file that it runs. */
void inspection_name_program(pid_t pid, char *ret, size_t size);
/* A line about it. The sentence is for people; what else there is, for programs. pause_ns 0: not known. */
void inspection_say(const struct inspection *inspection, const struct watch_log *log,
		    const char *event, uint64_t stopping_ns, uint64_t pause_ns,
		    const char *sentence);

#endif
