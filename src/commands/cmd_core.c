/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>

#include "src/capture/systemd_core.h"
#include "src/options/redact_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"

static const struct option_info systemd_options[] = {
	{ 0, "systemd", NULL, "CORE is a PID, a UNIT or latest: of systemd-coredump",
	  OPTION_FLAG(struct snap_arguments, systemd) },
	{ .name = NULL }
};

const struct command command_core = {
	.name = "gosnap core",
	.run = cmd_core,
	.arguments = "CORE [EXE]",
	.summary = "snapshot a Go process from its core file",
	.options = {
		{ systemd_options, 0 },
		{ core_options,
		  offsetof(struct snap_arguments, snap.capture.core.search) },
		{ snap_options, offsetof(struct snap_arguments, snap) },
		{ content_options, offsetof(struct snap_arguments, snap) },
		{ heap_options, offsetof(struct snap_arguments, snap) },
		{ read_options, offsetof(struct snap_arguments, snap.capture.reading) },
		{ printer_options, offsetof(struct snap_arguments, printers) },
		{ redact_options, offsetof(struct snap_arguments, redaction) },
		{ view_options, offsetof(struct snap_arguments, view) },
	},
};

int cmd_core(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct snap_arguments arguments = snap_arguments_default(view);
	struct core_options *core = &arguments.snap.capture.core;
	AUTO(xfree) char *found = NULL;
	struct err err;
	int status;

	if (!options_read(&command_core, argc, argv, &arguments, &status))
		return status;
	if (optind == argc && !arguments.systemd)
		return cmd_misused(&command_core,
				   "missing file name (or - for standard input)");
	if (argc - optind > 2)
		return cmd_misused(&command_core,
				   "too many arguments: give a core and its executable");
	core->path = optind < argc ? argv[optind] : "latest";
	if (arguments.systemd) {
		found = systemd_core_find(core->path, &err);
		if (!found)
			return cmd_failed(&err);
		core->path = found;
	}
	if (argc - optind == 2)
		core->search.executable = argv[optind + 1];
	return snap_run(&command_core, &arguments);
}
