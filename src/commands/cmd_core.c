/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>

#include "src/operands/operands.h"
#include "src/options/redact_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

const struct command command_core = {
	.name = "gosnap core",
	.run = cmd_core,
	.arguments = "CORE [EXE]",
	.summary = "snapshot a Go process from its core file",
	.options = {
		{ core_options,
		  offsetof(struct snap_arguments, snap.capture.core) },
		{ snap_options, offsetof(struct snap_arguments, snap) },
		{ content_options, offsetof(struct snap_arguments, snap) },
		{ heap_options, offsetof(struct snap_arguments, snap) },
		{ read_options, offsetof(struct snap_arguments, snap.capture.reading) },
		{ printer_options, offsetof(struct snap_arguments, printers) },
		{ redact_options, offsetof(struct snap_arguments, redaction) },
		{ view_options, offsetof(struct snap_arguments, view) },
	},
};

static const struct operand_form form = {
	.command = &command_core,
	.kinds = OPERAND_CORE,
	.missing = "missing file name (or - for standard input)",
	.too_many = "too many arguments: give a core and its executable",
};

int cmd_core(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct snap_arguments arguments = snap_arguments_default(view);
	struct operand operand;
	int status;

	if (!options_read(&command_core, argc, argv, &arguments, &status))
		return status;
	if (operand_read(&form, argc, argv, arguments.snap.no_sandbox,
			 &arguments.snap.capture.core, &operand, &status))
		status = snap_run(&command_core, &arguments);
	operand_done(&operand);
	return status;
}
