/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/procfs/process.h"
#include "src/operands/operands.h"
#include "src/options/redact_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

/* A heap of 16 GB is read in that time. */
#define HEAP_COPY_AGE_NS (UINT64_C(120) * 1000 * 1000 * 1000)

const struct command command_snap = {
	.name = "gosnap",
	.run = cmd_snap,
	.arguments = "PID",
	.summary =
		"snapshot a live Go process: goroutines and threads, with their stacks",
	.options = {
		{ snap_options, offsetof(struct snap_arguments, snap) },
		{ content_options, offsetof(struct snap_arguments, snap) },
		{ heap_options, offsetof(struct snap_arguments, snap) },
		{ look_options, offsetof(struct snap_arguments, snap) },
		{ way_options, offsetof(struct snap_arguments, snap) },
		{ process_options, offsetof(struct snap_arguments, snap) },
		{ read_options, offsetof(struct snap_arguments, snap.capture.reading) },
		{ printer_options, offsetof(struct snap_arguments, printers) },
		{ redact_options, offsetof(struct snap_arguments, redaction) },
		{ view_options, offsetof(struct snap_arguments, view) },
	},
	.print_more = cmd_print_others,
};

static int refuse_word(const char *before, const char *word, const char *after)
{
	const char *nearest = cmd_nearest(word);
	if (!nearest)
		return cmd_misused(&command_snap, "%s%.100s%s", before, word, after);
	return cmd_misused(&command_snap, "%s%.100s%s: did you mean gosnap %s?", before,
			   word, after, nearest);
}

/* A name instead of a pid: the error lists the pids that may be meant. */
static int refuse_name(const char *name)
{
	struct process_candidate found[8];
	size_t n = process_find(name, found, ARRAY_SIZE(found));
	char list[400] = "";
	if (n == 0 && operand_is_core(name, false))
		return cmd_misused(&command_snap,
				   "%.100s is a core, not a PID: use \"gosnap core\"",
				   name);
	if (n == 0 && access(name, R_OK) == 0)
		return cmd_misused(&command_snap,
				   "%.100s is a file, not a PID: use \"gosnap show\" to "
				   "print a saved snapshot",
				   name);
	if (n == 0)
		return refuse_word("", name,
				   " is neither a PID nor the name of a process");
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list);
		snprintf(list + len, sizeof(list) - len, "%s%d (%s)", i ? ", " : "",
			 (int)found[i].pid, found[i].name);
	}
	return cmd_misused(&command_snap, "%.100s is a name, not a PID: choose one of %s",
			   name, list);
}

static int refuse_itself(pid_t pid)
{
	struct err err;
	err_set(&err, ERR_CANNOT, "process %d is gosnap itself", (int)pid);
	return cmd_failed(&err);
}

static int parse_operands(int argc, char **argv, struct snap_options *ret)
{
	if (optind == argc)
		return cmd_misused(&command_snap, "missing PID");
	if (!cmd_parse_pid(argv[optind], &ret->capture.pid))
		return argc - optind > 1
			       ? refuse_word("unknown command ", argv[optind], "")
			       : refuse_name(argv[optind]);
	if (argc - optind > 1)
		return cmd_misused(&command_snap,
				   "too many arguments: give a single PID");
	if (ret->capture.pid == getpid())
		return refuse_itself(ret->capture.pid);
	return EXIT_DONE;
}

/* Nobody waits for the heap to be read while the process is stopped. */
static void keep_copy(struct capture_options *capture)
{
	capture->keep_copy = true;
	if (capture->max_copy_age_ns < HEAP_COPY_AGE_NS)
		capture->max_copy_age_ns = HEAP_COPY_AGE_NS;
}

int cmd_snap(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct snap_arguments arguments = snap_arguments_default(view);
	int status;

	if (!options_read(&command_snap, argc, argv, &arguments, &status))
		return status;
	status = parse_operands(argc, argv, &arguments.snap);
	if (arguments.snap.heap)
		keep_copy(&arguments.snap.capture);
	return status == EXIT_DONE ? snap_run(&command_snap, &arguments) : status;
}
