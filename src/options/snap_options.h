/* SPDX-License-Identifier: Apache-2.0 */
/* snap_options.h - the options of commands that write a snapshot, and what these commands do once
 * they know of what. */
#ifndef GOSNAP_SNAP_OPTIONS_H
#define GOSNAP_SNAP_OPTIONS_H

#include "printers/printers.h"
#include "redaction/redaction.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/snapshot/snap.h"

struct command;
struct view;

struct snap_arguments {
	struct snap_options snap;
	struct printer_files printers;
	struct redaction_options redaction;
	struct view *view;
	bool as_text;	  /* wherever it goes */
	bool is_complete; /* out: there is a document, which has its end */
};

/* Fields of struct snap_options: what the document has, what else is asked for, a second look, how a
 * process is captured, and what else there is of a process. */
extern const struct option_info content_options[], snap_options[], look_options[],
	way_options[], heap_options[], process_options[];

/* For options of these fields in other tables: of struct snap_options, of a size. */
option_reader snap_set_stacks, snap_set_full, snap_set_size;

/* After options were read: makes them agree with each other. ERR_USAGE. */
MUST_CHECK bool snap_settle_content(struct snap_options *options, struct err *err);
/* Before options are read. */
struct snap_arguments snap_arguments_default(struct view *view);
/* Takes the snapshot, and writes it as a document or as text, as a core file, or both. Returns the
 * exit status. */
int snap_run(const struct command *command, struct snap_arguments *arguments);
/* The same into a file without a name, of which nothing stays, however we end. Returns it, at its beginning; the
 * caller closes it. -1: there is no complete document. *ret_status: as of snap_run(). */
int snap_run_unnamed(const struct command *command, struct snap_arguments *arguments,
		     int *ret_status);

#endif
