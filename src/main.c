/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command line: a word from the table, or a process. */
#include <malloc.h>
#include <signal.h>
#include <string.h>

#include "cmd.h"

/* Left alone, malloc learns to take large blocks from its heap, where what was freed stays. */
enum { LARGE_BLOCK = 128 * 1024 };

int main(int argc, char **argv)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	/* A closed pipe is an error of write() like any other: what was begun gets undone. */
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 1; argc > 1 && i < command_count; i++)
		if (strcmp(argv[1], cmd_word(commands[i])) == 0)
			return commands[i]->run(argc - 1, argv + 1);
	return cmd_snap(argc, argv);
}
