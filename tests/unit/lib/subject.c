/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/lib/subject.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int ready[2];

void subject_ready(void)
{
	if (write(ready[1], "", 1) != 1)
		_exit(1);
}

pid_t subject_start(subject_fn *body, struct subject_shared **ret_shared)
{
	struct subject_shared *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char byte;

	assert_ptr_not_equal(shared, MAP_FAILED);
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "subject");
		body(shared);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_shared = shared;
	return pid;
}

void subject_end(pid_t pid, struct subject_shared *shared)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	munmap(shared, sizeof(*shared));
}

void subject_runs(const _Atomic uint64_t *counter, uint64_t n)
{
	uint64_t before = *counter;

	/* The harness ends a test that waits for ever. */
	while (*counter - before < n)
		sched_yield();
}
