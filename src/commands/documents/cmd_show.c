/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <getopt.h>
#include <unistd.h>

#include "src/operands/operands.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/operands/show_file.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

const struct command command_show = {
	.name = "gosnap show",
	.run = cmd_show,
	.arguments = "FILE|CORE|ID [EXE]",
	.summary = "print a snapshot as text",
	.options = {
		{ view_options, offsetof(struct snap_arguments, view) },
		{ view_document_options, offsetof(struct snap_arguments, view) },
		{ stack_options, offsetof(struct snap_arguments, view) },
		{ core_options, offsetof(struct snap_arguments, snap.capture.core) },
		{ read_options, offsetof(struct snap_arguments, snap.capture.reading) },
		{ sandbox_options, offsetof(struct snap_arguments, snap.no_sandbox) },
	},
};

static const struct operand_form form = {
	.command = &command_show,
	.kinds = OPERAND_CORE | OPERAND_FILE,
	.missing = "missing file name (or - for standard input)",
	.too_many = "too many arguments: give a single file, or a core and its "
		    "executable",
};

/* Of a core or a process: as text at once; no document is kept. */
static int show_subject(struct snap_arguments *arguments)
{
	arguments->snap.raw_stacks =
		view_has_stack(arguments->view, &arguments->snap.raw_stack_of);
	arguments->as_text = true;
	return snap_run(&command_show, arguments);
}

static int show_document(const char *name, const struct snap_arguments *arguments)
{
	struct err err;

	if (!view_finish(arguments->view, &err))
		return cmd_misused(&command_show, "%s", err.text);
	return show_file(name, arguments->view, arguments->snap.no_sandbox);
}

/* With --stack, which a document rarely has, a number is a process; else a file or an ID. */
static bool is_process(const char *name, const struct view *view, pid_t *ret_pid)
{
	uint64_t id;

	return view_has_stack(view, &id) && access(name, F_OK) < 0 &&
	       cmd_parse_pid(name, ret_pid);
}

int cmd_show(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct snap_arguments arguments = snap_arguments_default(view);
	struct capture_options *capture = &arguments.snap.capture;
	struct operand operand;
	int status;

	if (!options_read(&command_show, argc, argv, &arguments, &status))
		return status;
	if (!operand_read(&form, argc, argv, arguments.snap.no_sandbox, &capture->core,
			  &operand, &status))
		;
	else if (operand.kind == OPERAND_CORE ||
		 is_process(operand.name, view, &capture->pid))
		status = show_subject(&arguments);
	else
		status = show_document(operand.name, &arguments);
	operand_done(&operand);
	return status;
}
