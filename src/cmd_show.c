/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader.h"
#include "viewer.h"

enum { SHOW_ALL };

static const struct option_info show_options[] = {
	[SHOW_ALL] = { 0, "all", NULL,
		       "hidden frames, system goroutines and threads, too" },
};

const struct command command_show = {
	.name = "gosnap show",
	.run = cmd_show,
	.arguments = "FILE",
	.summary = "print a snapshot as text",
	.options = show_options,
	.option_count = ARRAY_SIZE(show_options),
};

static bool is_pid(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static int show(const char *path, const struct viewer_options *options)
{
	struct err err;
	AUTO(reader_close) struct reader *reader = reader_open(path, &err);
	bool shown;
	if (!reader && is_pid(path) && access(path, F_OK) < 0)
		err_set(&err, ERR_SYS,
			"there is no file %.20s: for the process with that id, run "
			"gosnap %.20s",
			path, path);
	if (!reader)
		return cmd_failed(&err);
	/* Nothing needs undoing: a closed pipe may end us as it ends cat. */
	signal(SIGPIPE, SIG_DFL);
	shown = viewer_show(reader, options, stdout, &err);
	if (fflush(stdout) != 0 || ferror(stdout))
		shown = err_sys(&err, "cannot write the text");
	return shown ? EXIT_DONE : cmd_failed(&err);
}

int cmd_show(int argc, char **argv)
{
	struct viewer_options options = viewer_options_for(stdout);
	const char *argument;
	int option, status;
	while ((option = cmd_option(&command_show, argc, argv, &argument, &status)) !=
	       OPTION_END) {
		if (option == OPTION_STOP)
			return status;
		if (option == SHOW_ALL)
			options.all = true;
	}
	if (optind == argc)
		return cmd_misused(&command_show,
				   "show what? Name a file, or - for standard input");
	if (argc - optind > 1)
		return cmd_misused(&command_show, "one file at a time");
	return show(argv[optind], &options);
}
