/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "src/options/redact_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

static const struct option_info export_options[] = {
	{ 'o', "output", "FILE", "write to FILE, compressed if it ends in .zst",
	  OPTION_STRING(struct snap_options, core_output) },
	{ 0, "stacks", NULL, "omit what variables refer to", .read = snap_set_stacks },
	{ 0, "full", NULL, "larger limits, and variables of hidden frames",
	  .read = snap_set_full },
	{ 0, "max-size", "SIZE", "omit what a larger document would not have",
	  .read = snap_set_size,
	  .offset = OPTION_OFFSET(uint64_t, struct snap_options, max_size) },
	{ 0, "globals", "[PACKAGES]", "package variables of PACKAGES, not of main",
	  OPTION_STRING(struct snap_options, capture.globals) },
	{ 0, "environment", NULL, "include the values of environment variables",
	  OPTION_FLAG(struct snap_options, environment) },
	{ 0, "capture", CAPTURE_WORDS, "read a copy, or the process stopped",
	  OPTION_CHOICE(struct snap_options, capture.way) },
	{ 0, "max-pause", "TIME", "stop the process for at most TIME, like 50ms",
	  OPTION_TIME(struct snap_options, capture.max_pause_ns) },
	{ 0, "assume-go", "1.N", "read the runtime as that of Go 1.N",
	  OPTION_STRING(struct snap_options, capture.assume_go) },
	{ 0, "no-sandbox", NULL, "read hostile data without a sandbox, to debug gosnap",
	  OPTION_FLAG(struct snap_options, no_sandbox) },
	{ 0, "strict", NULL, "exit with status 1 if there are warnings",
	  OPTION_FLAG(struct snap_options, strict) },
	{ .name = NULL }
};

const struct command command_core_export = {
	.name = "gosnap core-export",
	.run = cmd_core_export,
	.arguments = "PID|CORE [EXE] -o FILE",
	.summary = "write a small core file",
	.options = {
		{ export_options, offsetof(struct snap_arguments, snap) },
		{ core_options,
		  offsetof(struct snap_arguments, snap.capture.core.search) },
		{ read_options, offsetof(struct snap_arguments, snap.capture.reading) },
		{ redact_options, offsetof(struct snap_arguments, redaction) },
	},
};

static int parse_operands(int argc, char **argv, struct snap_options *options)
{
	struct capture_options *capture = &options->capture;

	if (argc - optind < 1)
		return cmd_misused(&command_core_export, "missing PID or core");
	if (argc - optind > 2)
		return cmd_misused(&command_core_export,
				   "too many arguments: give a PID, or a core and its "
				   "executable");
	if (!options->core_output)
		return cmd_misused(&command_core_export,
				   "missing -o FILE (or - for standard output)");
	if (!cmd_parse_pid(argv[optind], &capture->pid))
		capture->core.path = argv[optind];
	else if (argc - optind == 2)
		return cmd_misused(&command_core_export,
				   "an executable belongs to a core, not to a PID");
	if (argc - optind == 2)
		capture->core.search.executable = argv[optind + 1];
	return EXIT_DONE;
}

int cmd_core_export(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct snap_arguments arguments = snap_arguments_default(view);
	struct snap_options *options = &arguments.snap;
	int status;

	options->only_core = true;
	options->capture.values = VALUES_ALWAYS;
	options->progress = PROGRESS_NEVER;
	options->warn = cmd_say_warning;
	if (!options_read(&command_core_export, argc, argv, &arguments, &status))
		return status;
	status = parse_operands(argc, argv, options);
	if (status != EXIT_DONE)
		return status;
	if (strcmp(options->core_output, "-") == 0 && isatty(STDOUT_FILENO))
		return cmd_misused(&command_core_export,
				   "a core file is not for terminals: redirect standard "
				   "output");
	return snap_run(&command_core_export, &arguments);
}
