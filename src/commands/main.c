/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command line: a word from the table, or a process. */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "src/commands/cmd.h"

/* Left alone, malloc learns to take large blocks from its heap, where what was freed stays. */
enum { LARGE_BLOCK = 128 * 1024 };

/* A standard descriptor that is closed would be that of the next file opened, where what is
 * meant for it would go: it becomes one that can be neither read nor written. */
static void occupy_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/", O_PATH); /* the lowest that is free: fd */
}

static void end_without_memory(void)
{
	fputs("gosnap: out of memory\n", stderr);
	exit(EXIT_IO);
}

int main(int argc, char **argv)
{
	on_out_of_memory(end_without_memory);
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	/* A closed pipe is an error of write() like any other, and so is a file that grows too
	 * large: what was begun gets undone. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Who ignores it has nothing to wait for: how our tracer ended would stay unknown. */
	signal(SIGCHLD, SIG_DFL);
	occupy_standard();
	for (size_t i = 1; argc > 1 && i < command_count; i++)
		if (strcmp(argv[1], cmd_word(commands[i])) == 0)
			return commands[i]->run(argc - 1, argv + 1);
	return cmd_snap(argc, argv);
}
