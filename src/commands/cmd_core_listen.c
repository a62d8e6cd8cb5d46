/* SPDX-License-Identifier: Apache-2.0 */
/* gosnap core-listen: whom the kernel connects to when a process dumps core. */
#include "src/commands/cmd.h"

#include <getopt.h>

#include "src/options/handler_snapshot.h"
#include "src/options/options.h"
#include "src/install/install.h"
#include "src/handler/listen.h"

struct core_listen_arguments {
	const char *config, *socket;
};

static const struct option_info core_listen_options[] = {
	{ 0, "config", "DIR", "read settings in DIR (default: " SETTINGS_FOLDER ")",
	  OPTION_STRING(struct core_listen_arguments, config) },
	{ 0, "socket", "PATH", "listen at PATH, unless systemd has opened one",
	  OPTION_STRING(struct core_listen_arguments, socket) },
	{ .name = NULL }
};

const struct command command_core_listen = {
	.name = "gosnap core-listen",
	.run = cmd_core_listen,
	.arguments = "",
	.summary = "snapshot crashes at the kernel's coredump socket",
	.options = { { .rows = core_listen_options } },
};

int cmd_core_listen(int argc, char **argv)
{
	struct core_listen_arguments arguments = { .config = SETTINGS_FOLDER,
						   .socket = INSTALL_SOCKET };
	struct crash crash;
	struct err err;
	int status;

	if (!options_read(&command_core_listen, argc, argv, &arguments, &status))
		return status;
	if (optind < argc)
		return cmd_misused(&command_core_listen, "too many arguments");
	int socket = listen_open(arguments.socket, &err);
	if (socket < 0)
		return cmd_failed(&err);
	const bool ok = listen_run(socket,
				   &(struct handler){
					   .folder = arguments.config,
					   .source = "core-socket",
					   .snapshot = handler_snapshot,
					   .arg = &crash,
				   },
				   &err);
	return ok ? EXIT_DONE : cmd_failed(&err);
}
