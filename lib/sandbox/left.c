/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "lib/sandbox/sandbox_priv.h"

enum {
	CHILDREN_MAX = 1 << 20, /* bytes of their list */
	ROUNDS = 1000,		/* some may start others while we look */
};

/* No process gets rid of a filter, so those of the sandbox have more than we have. Before Linux 5.9
 * only whether there is one is known. */
static uint64_t count_filters(pid_t pid)
{
	AUTO(xfree) char *status = proc_file(pid, "status");
	const uint64_t n = proc_number(status, "Seccomp_filters", 10);

	return n ? n : proc_number(status, "Seccomp", 10);
}

static bool end_one(pid_t pid)
{
	if (kill(pid, SIGKILL) < 0)
		return false;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return true;
}

/* How many there were. */
static size_t end_round(uint64_t our_filters)
{
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
	AUTO(xfree) char *list = slurp(path, CHILDREN_MAX, NULL);
	for (char *p = list, *end; p && *p; p = end) {
		pid_t pid = (pid_t)strtol(p, &end, 10);
		if (end == p || pid <= 0)
			break;
		end += *end == ' ';
		n += count_filters(pid) > our_filters && end_one(pid);
	}
	return n;
}

void sandbox_end_left(void)
{
	const uint64_t ours = count_filters(getpid());

	for (int i = 0; i < ROUNDS && end_round(ours); i++)
		continue;
}
