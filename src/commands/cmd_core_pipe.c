/* SPDX-License-Identifier: Apache-2.0 */
/* gosnap core-pipe: what the kernel starts when a process dumps core. */
#include "src/commands/cmd.h"

#include <getopt.h>

#include "src/options/handler_snapshot.h"
#include "src/options/options.h"
#include "src/handler/handler.h"
#include "src/handler/settings.h"

struct core_pipe_arguments {
	const char *config;
};

static const struct option_info core_pipe_options[] = {
	{ 0, "config", "DIR", "read settings in DIR (default: " SETTINGS_FOLDER ")",
	  OPTION_STRING(struct core_pipe_arguments, config) },
	{ .name = NULL }
};

const struct command command_core_pipe = {
	.name = "gosnap core-pipe",
	.run = cmd_core_pipe,
	.arguments = "-- WORDS",
	.summary = "snapshot a crash for the kernel (core_pattern)",
	.options = { { .rows = core_pipe_options } },
};

int cmd_core_pipe(int argc, char **argv)
{
	struct core_pipe_arguments arguments = { .config = SETTINGS_FOLDER };
	struct crash crash;
	struct err err;
	int status;

	if (!options_read(&command_core_pipe, argc, argv, &arguments, &status))
		return status;
	if (!crash_read(argc - optind, argv + optind, &crash, &err))
		return cmd_misused(&command_core_pipe, "%s", err.text);
	handler_run(
		&(struct handler){
			.folder = arguments.config,
			.source = "core-pipe",
			.snapshot = handler_snapshot,
			.arg = &crash,
		},
		&crash, NULL);
	return EXIT_DONE;
}
