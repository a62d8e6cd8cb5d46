/* SPDX-License-Identifier: Apache-2.0 */
/* series.h - the parent's side of a series: says when a snapshot is due, waits for the turn, opens, mends and
 * names the files, and keeps the quota. What reads the process (reading.h) asks for all that from the
 * sandbox, and may have been taken over: it gets one snapshot in the time of --every, and no more. */
#ifndef GOSNAP_SERIES_H
#define GOSNAP_SERIES_H

#include "lib/document/remains.h"
#include "lib/sandbox/broker.h"
#include "src/capture/sandboxed.h"
#include "src/record/record.h"

/* How what takes one snapshot exits. */
enum { SNAPSHOT_TAKEN, SNAPSHOT_FAILED, SNAPSHOT_NO_MEMORY };

struct series_host {
	const struct record_options *options;
	struct capture_host *host; /* of the reader that there is */
	int process;		   /* pidfd */
	char *name;
	char id[UUID_TEXT];
	uint64_t taken, due_ns;
	bool looked; /* at the process, once */
	bool asked;  /* by this reader */
	bool over;
	struct err no_folder; /* ERR_NONE: there is one */
	struct output *out;   /* of a snapshot that is being taken; NULL: none is */
	bool without_values;
	char path[4096]; /* of that */
	/* In memory that the sandbox has, too. */
	struct remains *remains;
	struct err *why;
	struct earlier_looks *earlier;
	struct sandbox_allowance allowance;
	struct sandbox_service services[5];
};

/* False: err. */
MUST_CHECK bool series_begin(struct series_host *s, const struct record_options *options,
			     struct err *err);
void series_done(struct series_host *s);

/* Outside a sandbox, what the services answer. */
void series_answer(struct series_host *s, const struct question *q, struct answer *ret,
		   int *ret_fd);
/* A reader has died. What it had begun is mended; without that, it counts as a snapshot that failed. */
void series_reader_died(struct series_host *s, const struct err *why);
/* Why a reader could not look at the process. */
void series_why(const struct series_host *s, struct err *ret);
/* Waits until the next snapshot is due. False: the process has ended. */
bool series_wait(const struct series_host *s);
bool series_process_has_ended(const struct series_host *s);
bool series_is_complete(const struct series_host *s);
/* False: err, which ended it. */
bool series_has_folder(const struct series_host *s, struct err *err);

#endif
