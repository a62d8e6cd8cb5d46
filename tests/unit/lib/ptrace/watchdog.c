/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/live_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/unit.h"

#define PATIENCE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* Starts a child that ends, and does not reap it. */
static pid_t dead_child(int *ret_folder)
{
	const pid_t pid = fork();
	char path[64];
	siginfo_t info;

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	*ret_folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(*ret_folder >= 0);
	return pid;
}

static bool is_reaped(pid_t pid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
	       errno == ECHILD;
}

/* Until the next tick, or a little. */
static void nap(uint64_t begun)
{
	if (monotonic_ns() - begun > PATIENCE_NS)
		fail_msg("the watchdog does not tick");
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* A dead thread that is reaped blocks PTRACE_SEIZE no longer. */
static void test_reaps_while_seizing(void **state)
{
	const uint64_t begun = monotonic_ns();
	struct live l = { .seizing = 7 };
	const pid_t pid = dead_child(&l.proc_fd);
	(void)state;

	live_watchdog_start(&l);
	assert_true(l.watched);
	while (!is_reaped(pid))
		nap(begun);
	live_watchdog_end(&l);
	assert_false(l.watched);
	close(l.proc_fd);
}

static void test_reaps_nothing_else(void **state)
{
	const uint64_t begun = monotonic_ns();
	struct live l = { .waited_for = 7 };
	const pid_t pid = dead_child(&l.proc_fd);
	volatile sig_atomic_t *const last = &l.waited_for;
	(void)state;

	live_watchdog_start(&l);
	for (int tick = 0; tick < 2; tick++) {
		while (*last)
			nap(begun);
		assert_false(is_reaped(pid));
		*last = 7;
		assert_true(live_watchdog_tick(&l, 1));
	}
	live_watchdog_end(&l);
	waitpid(pid, NULL, 0);
	close(l.proc_fd);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reaps_while_seizing),
		cmocka_unit_test(test_reaps_nothing_else),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
