/* SPDX-License-Identifier: Apache-2.0 */
/* counts.h - what `gosnap watch` has seen and done so far, and its two forms: Prometheus's text format
 * (version 0.0.4), and lines for people. Knows numbers; not where they go. */
#ifndef GOSNAP_WATCH_COUNTS_H
#define GOSNAP_WATCH_COUNTS_H

#include <stdio.h>

#include "src/strict/strict.h"

/* What became of an event. Rows of COUNTED() in counts.c. */
enum watch_outcome {
	WATCH_SNAPSHOT,	  /* there is a document */
	WATCH_INCOMPLETE, /* there is one, but something is missing that it says */
	WATCH_FAILED,
	WATCH_TOO_LATE, /* it was gone before it could be stopped */
	WATCH_RATE,	/* a snapshot of the same program was taken just before */
	WATCH_BUSY,	/* as many as permitted were being taken */
	WATCH_OUTCOMES,
	WATCH_NOT_MET /* a condition, after all: not counted */
};

enum watch_trigger {
	WATCH_PANIC,
	WATCH_THROW, /* and fatal errors */
	WATCH_SIGNAL,
	WATCH_FOREIGN, /* of a thread that Go does not know */
	WATCH_EXIT,    /* with a status of --on-exit */
	WATCH_FUNCTION,
	WATCH_RECOVERED,
	WATCH_OOM,  /* killed for want of memory */
	WATCH_KILL, /* by another SIGKILL */
	WATCH_THRESHOLD,
	WATCH_TRIGGERS
};

enum { WATCH_PAUSES = 12 }; /* upper bounds, see counts.c */

struct watch_counts {
	uint64_t since_ns; /* CLOCK_REALTIME */
	uint64_t events[WATCH_TRIGGERS], outcomes[WATCH_OUTCOMES];
	uint64_t lost; /* events for which there was no room */
	uint64_t pauses[WATCH_PAUSES + 1], pause_ns; /* each pause once; all together */
	/* As they are now. */
	uint64_t processes, programs;
	bool is_strict;
	struct strict_counts strict;
	uint64_t reloaded_ns;	/* CLOCK_REALTIME; 0: never */
	char not_reloaded[512]; /* why, the last time; "": it was, or never asked for */
	char last[256];		/* name of the last document, "" if there is none */
};

void watch_count_pause(struct watch_counts *counts, uint64_t ns);

void watch_counts_metrics(const struct watch_counts *counts, FILE *out);
void watch_counts_status(const struct watch_counts *counts, FILE *out);

#endif
