/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "src/operands/operands.h"
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
		  offsetof(struct snap_arguments, snap.capture.core) },
		{ read_options, offsetof(struct snap_arguments, snap.capture.reading) },
		{ redact_options, offsetof(struct snap_arguments, redaction) },
	},
};

static const struct operand_form form = {
	.command = &command_core_export,
	.kinds = OPERAND_PROCESS | OPERAND_CORE,
	.missing = "missing PID or core",
	.too_many = "too many arguments: give a PID, or a core and its executable",
};

static int export(int argc, char **argv, struct snap_arguments *arguments)
{
	struct snap_options *options = &arguments->snap;
	struct operand operand;
	int status;

	if (operand_read(&form, argc, argv, options->no_sandbox, &options->capture.core,
			 &operand, &status)) {
		options->capture.pid = operand.pid;
		status = snap_run(&command_core_export, arguments);
	}
	operand_done(&operand);
	return status;
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
	if (optind < argc && !options->core_output)
		return cmd_misused(&command_core_export,
				   "missing -o FILE (or - for standard output)");
	if (options->core_output && strcmp(options->core_output, "-") == 0 &&
	    isatty(STDOUT_FILENO))
		return cmd_misused(&command_core_export,
				   "a core file is not for terminals: redirect standard "
				   "output");
	return export(argc, argv, &arguments);
}
