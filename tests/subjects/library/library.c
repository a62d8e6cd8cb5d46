// SPDX-License-Identifier: Apache-2.0

//go:build ignore
// +build ignore

/* The library. With -DOTHER another one, which has other functions in the same places. */
#include <unistd.h>

#ifdef OTHER
#define library_block wrong_block
#define library_wait wrong_wait
#endif

__attribute__((noinline)) void library_block(void)
{
	char byte;
	int fds[2];

	if (pipe(fds) == 0)
		while (read(fds[0], &byte, 1) != 1)
			;
}

void library_wait(void)
{
	volatile char room[300] = { 0 };

	library_block();
	room[0] = room[1];
}
