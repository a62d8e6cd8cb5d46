/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "src/options/options.h"
#include "src/install/install.h"

struct install_arguments {
	struct install_options install;
	bool core_pattern;
};

static const struct option_info install_options[] = {
	{ 0, "core-pattern", NULL, "by a pipe of the kernel (the default)",
	  OPTION_FLAG(struct install_arguments, core_pattern) },
	{ 0, "socket", NULL, "by the kernel's coredump socket (Linux 6.17)",
	  OPTION_FLAG(struct install_arguments, install.socket) },
	{ 0, "dry-run", NULL, "only say what would be done",
	  OPTION_FLAG(struct install_arguments, install.dry_run) },
	{ .name = NULL }
};

static const struct option_info uninstall_options[] = {
	{ 0, "dry-run", NULL, "only say what would be done",
	  OPTION_FLAG(struct install_arguments, install.dry_run) },
	{ 0, "force", NULL, "also if core_pattern was changed since, and leave it so",
	  OPTION_FLAG(struct install_arguments, install.force) },
	{ .name = NULL }
};

const struct command command_install = {
	.name = "gosnap install",
	.run = cmd_install,
	.arguments = "",
	.summary = "snapshot crashes: be the kernel's handler of cores",
	.options = { { .rows = install_options } },
};

const struct command command_uninstall = {
	.name = "gosnap uninstall",
	.run = cmd_uninstall,
	.arguments = "",
	.summary = "undo gosnap install",
	.options = { { .rows = uninstall_options } },
};

static void say(const char *sentence)
{
	puts(sentence);
}

static int run(const struct command *command, int argc, char **argv,
	       bool (*what)(const struct install_options *, install_say_fn *,
			    struct err *))
{
	struct install_arguments arguments = { .core_pattern = false };
	struct err err;
	int status;

	if (!options_read(command, argc, argv, &arguments, &status))
		return status;
	if (optind < argc)
		return cmd_misused(command, "too many arguments");
	if (arguments.core_pattern && arguments.install.socket)
		return cmd_misused(command, "--core-pattern or --socket, not both");
	return what(&arguments.install, say, &err) ? EXIT_DONE : cmd_failed(&err);
}

int cmd_install(int argc, char **argv)
{
	return run(&command_install, argc, argv, install_run);
}

int cmd_uninstall(int argc, char **argv)
{
	return run(&command_uninstall, argc, argv, uninstall_run);
}
