/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "src/run/run_priv.h"

static const int changed[] = { SIGPIPE, SIGXFSZ, SIGCHLD };
static struct sigaction before[ARRAY_SIZE(changed)];
static bool was_closed[STDERR_FILENO + 1];

void run_note_inherited(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i], NULL, &before[i]);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		was_closed[fd] = fcntl(fd, F_GETFD) < 0;
}

void run_restore_inherited(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i], &before[i], NULL);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (was_closed[fd])
			fcntl(fd, F_SETFD, FD_CLOEXEC);
}
