/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>

#include "src/findings/analysis/second_look.h"
#include "src/operands/operands.h"
#include "src/operands/show_file.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

struct why_arguments {
	struct snap_arguments take;
	bool json, once;
};

static const struct option_info why_options[] = {
	{ 0, "json", NULL, "print the findings as a JSON array",
	  OPTION_FLAG(struct why_arguments, json) },
	{ 0, "once", NULL, "look once: do not wait to see whether goroutines go on",
	  OPTION_FLAG(struct why_arguments, once) },
	{ .name = NULL }
};

const struct command command_why = {
	.name = "gosnap why",
	.run = cmd_why,
	.arguments = "PID|CORE|FILE [EXE]",
	.summary = "say what is wrong with a Go process",
	.options = {
		{ why_options, 0 },
		{ core_options,
		  offsetof(struct why_arguments, take.snap.capture.core) },
		{ read_options,
		  offsetof(struct why_arguments, take.snap.capture.reading) },
		{ look_options, offsetof(struct why_arguments, take.snap) },
		{ way_options, offsetof(struct why_arguments, take.snap) },
		{ sandbox_options, offsetof(struct why_arguments, take.snap.no_sandbox) },
	},
};

static const struct operand_form form = {
	.command = &command_why,
	.kinds = OPERAND_PROCESS | OPERAND_CORE | OPERAND_FILE,
	.missing = "missing PID, core or file name",
	.too_many = "too many arguments: give a single PID or file, or a core and its "
		    "executable",
};

static int take(struct why_arguments *arguments, pid_t pid)
{
	arguments->take.as_text = true;
	arguments->take.snap.capture.pid = pid;
	arguments->take.snap.only_findings = true;
	if (arguments->once)
		arguments->take.snap.look_again_ns = 0;
	return snap_run(&command_why, &arguments->take);
}

int cmd_why(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct why_arguments arguments = { .take = snap_arguments_default(view) };
	arguments.take.snap.look_again_ns = SECOND_LOOK_NS;
	const struct snap_options *options = &arguments.take.snap;
	struct operand operand;
	int status;

	if (!options_read(&command_why, argc, argv, &arguments, &status))
		return status;
	view_why(view, arguments.json);
	if (operand_read(&form, argc, argv, options->no_sandbox,
			 &arguments.take.snap.capture.core, &operand, &status))
		status = operand.kind == OPERAND_FILE
				 ? show_file(operand.name, view, options->no_sandbox)
				 : take(&arguments, operand.pid);
	operand_done(&operand);
	return status;
}
