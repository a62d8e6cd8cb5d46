/* SPDX-License-Identifier: Apache-2.0 */
/* service.h - gosnap trace: reports calls of functions, in processes that go on. The main header of
 * src/trace. Knows probes and counts; what probes copied it hands on, without looking into it. It stops no
 * process and reads none, but for snapshots. */
#ifndef GOSNAP_TRACE_SERVICE_H
#define GOSNAP_TRACE_SERVICE_H

#include "src/snapshot/snap.h"
#include "src/trace/decode.h"

struct trace_options {
	pid_t pid;	    /* 0: all processes of exe */
	const char *exe;    /* NULL: that of pid */
	const char *when;   /* NULL: all calls */
	char *const *words; /* see match.h */
	size_t word_count;
	uint32_t count, rate; /* hits; hits a second; 0: all */
	uint64_t duration_ns; /* 0: until a signal */
	unsigned format;      /* enum trace_format */
	bool returns;	      /* told, too, with results and times */
	const char *snapshot; /* names of files of snapshots; NULL: none */
	struct snap_options snap;
	uint64_t interval_ns, hold_ns, max_pause_ns; /* of snapshots */
	bool quiet, perf_events, no_sandbox;
	struct redaction *redaction;
	const struct value_rules *rules; /* or NULL */
};

/* Until SIGINT or SIGTERM, count, duration, the end of the process, or until the program is written to. */
MUST_CHECK bool trace_service(const struct trace_options *options, struct err *err);

#endif
