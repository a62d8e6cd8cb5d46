/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>

#include "lib/corefile/target_core.h"
#include "src/options/show_file.h"
#include "src/options/options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

#define LOOK_AGAIN_NS (UINT64_C(2) * 1000 * 1000 * 1000)

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
	.arguments = "PID|CORE|FILE",
	.summary = "say what is wrong with a Go process",
	.options = {
		{ why_options, 0 },
		{ core_options,
		  offsetof(struct why_arguments, take.snap.capture.core.search) },
		{ look_options, offsetof(struct why_arguments, take.snap) },
		{ way_options, offsetof(struct why_arguments, take.snap) },
		{ sandbox_options, offsetof(struct why_arguments, take.snap.no_sandbox) },
	},
};

static int take(struct why_arguments *arguments)
{
	arguments->take.as_text = true;
	arguments->take.snap.only_findings = true;
	if (arguments->once)
		arguments->take.snap.look_again_ns = 0;
	return snap_run(&command_why, &arguments->take);
}

int cmd_why(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct why_arguments arguments = { .take = snap_arguments_default(view) };
	arguments.take.snap.look_again_ns = LOOK_AGAIN_NS;
	struct capture_options *capture = &arguments.take.snap.capture;
	int status;

	if (!options_read(&command_why, argc, argv, &arguments, &status))
		return status;
	if (optind == argc)
		return cmd_misused(&command_why, "missing PID, core or file name");
	if (argc - optind > 1)
		return cmd_misused(&command_why,
				   "too many arguments: give a single PID or file");
	view_why(view, arguments.json);
	if (cmd_parse_pid(argv[optind], &capture->pid))
		return take(&arguments);
	if (core_is_one(argv[optind])) {
		capture->core.path = argv[optind];
		return take(&arguments);
	}
	return show_file(argv[optind], view, arguments.take.snap.no_sandbox);
}
