/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND_NS UINT64_C(1000000)

enum { REAPED_MS = 1000 }; /* what a killed process may take to end */

bool child_start(struct child *ret)
{
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	ret->pid = fork();
	if (ret->pid == 0) {
		close(ends[0]);
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		return true;
	}
	close(ends[1]);
	ret->ended = ends[0];
	if (ret->pid > 0)
		return true;
	close(ends[0]);
	return false;
}

static bool wait_for_end(int ended, uint64_t until_ns)
{
	struct pollfd p = { .fd = ended, .events = POLLIN };

	for (uint64_t now; (now = monotonic_ns()) < until_ns;) {
		const uint64_t left = (until_ns - now) / MILLISECOND_NS + 1;
		const int n = poll(&p, 1, left < INT32_MAX ? (int)left : INT32_MAX);
		if (n > 0 || (n < 0 && errno != EINTR))
			return true;
	}
	return false;
}

/* Even of SIGKILL a process may not end, when it waits for a file system. */
static bool reap(pid_t pid, int *ret_status)
{
	for (int i = 0; i < REAPED_MS; i++) {
		if (waitpid(pid, ret_status, WNOHANG) == pid)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = MILLISECOND_NS }, NULL);
	}
	return false;
}

enum child_end child_wait(const struct child *child, uint64_t until_ns, int *ret)
{
	const bool ended = wait_for_end(child->ended, until_ns);
	int status = 0;

	close(child->ended);
	if (!ended || waitpid(child->pid, &status, WNOHANG) != child->pid) {
		if (!ended) {
			kill(-child->pid, SIGKILL);
			kill(child->pid, SIGKILL);
		}
		if (!reap(child->pid, &status))
			return CHILD_LATE;
	}
	*ret = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	return !ended ? CHILD_LATE : WIFEXITED(status) ? CHILD_EXITED : CHILD_KILLED;
}
