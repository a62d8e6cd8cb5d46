/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <getopt.h>
#include <unistd.h>

#include "lib/corefile/target_core.h"
#include "src/options/show_file.h"
#include "src/options/options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

struct show_arguments {
	struct view *view;
	bool no_sandbox;
};

const struct command command_show = {
	.name = "gosnap show",
	.run = cmd_show,
	.arguments = "FILE|CORE|ID",
	.summary = "print a snapshot as text",
	.options = {
		{ view_options, offsetof(struct show_arguments, view) },
		{ view_document_options, offsetof(struct show_arguments, view) },
		{ stack_options, offsetof(struct show_arguments, view) },
		{ sandbox_options, offsetof(struct show_arguments, no_sandbox) },
	},
};

/* Of a core, or of a process if path is NULL: as text at once; no document is kept. */
static int show_subject(const char *path, pid_t pid, const struct show_arguments *shown)
{
	struct snap_arguments arguments = snap_arguments_default(shown->view);

	arguments.snap.capture.core.path = path;
	arguments.snap.capture.pid = pid;
	arguments.snap.no_sandbox = shown->no_sandbox;
	arguments.snap.raw_stacks =
		view_has_stack(shown->view, &arguments.snap.raw_stack_of);
	arguments.as_text = true;
	return snap_run(&command_show, &arguments);
}

int cmd_show(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct show_arguments arguments = { .view = view };
	struct err err;
	uint64_t id;
	pid_t pid;
	int status;
	if (!options_read(&command_show, argc, argv, &arguments, &status))
		return status;
	if (optind == argc)
		return cmd_misused(&command_show,
				   "missing file name (or - for standard input)");
	if (argc - optind > 1)
		return cmd_misused(&command_show,
				   "too many arguments: give a single file");
	if (core_is_one(argv[optind]))
		return show_subject(argv[optind], 0, &arguments);
	if (view_has_stack(view, &id) && access(argv[optind], F_OK) < 0 &&
	    cmd_parse_pid(argv[optind], &pid))
		return show_subject(NULL, pid, &arguments);
	if (!view_finish(view, &err))
		return cmd_misused(&command_show, "%s", err.text);
	return show_file(argv[optind], view, arguments.no_sandbox);
}
