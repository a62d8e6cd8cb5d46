/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command line: a word from the table, or a process. */
#include <signal.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

static const struct {
	const char *word;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "show", cmd_show },
};

int main(int argc, char **argv)
{
	/* A closed pipe is an error of write() like any other: what was begun gets undone. */
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++)
		if (strcmp(argv[1], commands[i].word) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return cmd_snap(argc, argv);
}
