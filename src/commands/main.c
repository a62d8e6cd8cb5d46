/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command line: a command from the table, or a process. */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "src/commands/cmd.h"
#include "src/run/run.h"

/* By default malloc raises its threshold and takes large blocks from its heap, which
 * retains freed memory. */
enum { LARGE_BLOCK = 128 * 1024 };

/* If a standard descriptor is closed, the next opened file would get its number and its
 * output. Fill the gap with a descriptor that can be neither read nor written. */
static void occupy_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/", O_PATH); /* the lowest free descriptor: fd */
}

static void end_without_memory(void)
{
	fputs("gosnap: out of memory\n", stderr);
	exit(EXIT_IO);
}

int main(int argc, char **argv)
{
	on_out_of_memory(end_without_memory);
	run_note_inherited();
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	/* A closed pipe, or a file that grows too large, shall be an ordinary write()
	 * error, so that unfinished work is cleaned up. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If it is ignored, wait() has nothing to report: we could not see how the tracer
	 * exited. */
	signal(SIGCHLD, SIG_DFL);
	occupy_standard();
	for (size_t i = 1; argc > 1 && i < command_count; i++)
		if (strcmp(argv[1], cmd_word(commands[i])) == 0)
			return commands[i]->run(argc - 1, argv + 1);
	return cmd_snap(argc, argv);
}
