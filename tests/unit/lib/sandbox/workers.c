/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that the sandbox may start: how many, by whom, what they have, and that they end with it. */
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/sandbox_priv.h"
#include "tests/unit/unit.h"

enum { FINE = 0, WRONG = 1, CHILDREN = 4 };

static int run(const struct sandbox *how, int (*work)(void *), void *arg, struct err *err)
{
	int status = -1;

	err->text[0] = 0;
	return sandbox_run(how, work, arg, &status, err) ? status : -1;
}

static int sleep_on(void *arg)
{
	(void)arg;
	while (poll(NULL, 0, -1) <= 0)
		continue;
	return WRONG;
}

/* One more than it may, which must not be many: a test must not take the machine. */
static int start_too_many(void *arg)
{
	const int workers = *(int *)arg;

	for (int i = 0; i <= workers; i++) {
		const pid_t pid = fork();
		if (pid == 0)
			sleep_on(NULL);
		if (pid < 0)
			return i == workers && errno == EAGAIN ? FINE : WRONG;
	}
	return sleep_on(NULL);
}

/* The kernel refuses, or the parent sees it. */
static void refuse_too_many(void)
{
	int workers = 4;
	int pipe[2];
	char byte;
	struct err err;

	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	const struct sandbox how = { .keep = { pipe[1] }, .keep_count = 1, .workers = 4 };
	const int status = run(&how, start_too_many, &workers, &err);
	assert_true(status == FINE || status == -1);
	close(pipe[1]);
	if (status && !strstr(err.text, " started more processes than it may (4)"))
		fail_msg("%s", err.text);
	assert_int_equal(read(pipe[0], &byte, 1), 0); /* nobody has the other end */
	close(pipe[0]);
}

static void test_too_many(void **state)
{
	(void)state;
	refuse_too_many();
}

/* As before Linux 5.7: the parent is not asked. */
static void become_older(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	assert_false(starts_are_asked_for());
}

/* Of root, the kernel counts them; of a user, only the parent looks. */
static void test_too_many_of_older(void **state)
{
	(void)state;
	for (int user = 0; user < 2; user++) {
		const pid_t pid = fork();
		int status = WRONG;
		if (pid == 0) {
			if (user && geteuid() == 0)
				assert_int_equal(setuid(65534), 0);
			become_older();
			assert_int_equal(sandbox_bounds_workers(), geteuid() == 0);
			refuse_too_many();
			_exit(FINE);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, FINE);
	}
}

static bool starts_one(void)
{
	const pid_t pid = fork();

	if (pid == 0)
		_exit(fork() < 0 && errno == EPERM ? FINE : WRONG);
	int status = WRONG;
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == FINE;
}

/* One after the other, none of which can start another; then no more. */
static int start_often(void *arg)
{
	const int most = *(int *)arg;
	int n = 0;

	while (n <= most && starts_one())
		n++;
	return n == most && errno == EPERM ? FINE : WRONG;
}

/* Also of a user, of whom the kernel counts all processes. */
static void test_starts(void **state)
{
	int most = 2 + SANDBOX_SPARE_WORKERS;
	struct sandbox_allowance allowance = { .starts = 5 };
	struct sandbox how = { .workers = 2 };
	struct err err;

	(void)state;
	if (!starts_are_asked_for())
		skip();
	assert_int_equal(run(&how, start_often, &most, &err), FINE);
	how.allowance = &allowance;
	most = 5;
	assert_int_equal(run(&how, start_often, &most, &err), FINE);
	assert_int_equal(allowance.starts, 0);
	if (geteuid() == 0 && fork() == 0) {
		allowance.starts = 5;
		const bool fine =
			setuid(65534) == 0 && run(&how, start_often, &most, &err) == FINE;
		_exit(fine ? FINE : WRONG);
	} else if (geteuid() == 0) {
		int status = WRONG;
		wait(&status);
		assert_int_equal(status, FINE);
	}
}

/* Each has less than it may have. */
static int share_a_bomb(void *arg)
{
	const size_t size = (size_t)(sandbox_memory() / 2);

	(void)arg;
	for (int i = 0; i < 3; i++) {
		if (fork() != 0)
			continue;
		char *piece = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (piece == MAP_FAILED)
			_exit(WRONG);
		memset(piece, 1, size);
		sleep_on(NULL);
	}
	return sleep_on(NULL);
}

static void test_memory_of_all(void **state)
{
	const struct sandbox how = { .workers = 3 };
	struct err err;

	(void)state;
	setenv("GOSNAP_SANDBOX_MEMORY", "67108864", 1);
	if (sandbox_memory() != 64 << 20 || geteuid() != 0)
		skip(); /* a build without these switches, or a user who may not look */
	assert_int_equal(run(&how, share_a_bomb, NULL, &err), -1);
	unsetenv("GOSNAP_SANDBOX_MEMORY");
	if (!strstr(err.text, " used more memory than they may"))
		fail_msg("%s", err.text);
}

enum { PIECE = 40 << 20 };

/* A group of three processes, of which each writes to the piece, or all have what this process wrote. */
static pid_t start_group(char *piece, bool writes)
{
	int told[2];
	char bytes[3];

	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	const pid_t leader = fork();
	if (leader == 0) {
		setpgid(0, 0);
		(void)!(fork() && fork());
		if (writes)
			memset(piece, 2, PIECE);
		if (write(told[1], "r", 1) == 1)
			sleep_on(NULL);
		_exit(WRONG);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(read(told[0], bytes, 1), 1);
	close(told[0]);
	close(told[1]);
	return leader;
}

/* What they share counts once. */
static void test_shared_memory(void **state)
{
	struct sandbox how = { .workers = 2 };
	char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct err err = { .text = "" };

	(void)state;
	assert_true(piece != MAP_FAILED);
	setenv("GOSNAP_SANDBOX_MEMORY", "67108864", 1);
	if (sandbox_memory() != 64 << 20)
		skip(); /* a build without these switches */
	memset(piece, 1, PIECE);
	pid_t leader = start_group(piece, false);
	assert_true(group_watch(&how, leader, &err));
	how.workers = 1; /* and no more processes than these */
	assert_false(group_watch(&how, leader, &err));
	assert_non_null(strstr(err.text, "more processes"));
	group_end(leader);
	how.workers = 2;
	leader = start_group(piece, true);
	assert_false(group_watch(&how, leader, &err));
	assert_non_null(strstr(err.text, "more memory"));
	group_end(leader);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	unsetenv("GOSNAP_SANDBOX_MEMORY");
	munmap(piece, PIECE);
}

/* The pipe stays open as long as one of them lives. */
static int leave_orphans(void *arg)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() == 0) {
			if (fork() == 0 || fork() == 0)
				sleep_on(NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		continue;
	return write(*(int *)arg, "d", 1) == 1 ? FINE : WRONG;
}

static void test_orphans(void **state)
{
	int pipe[2];
	char bytes[2];
	struct err err;

	(void)state;
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	const struct sandbox how = { .keep = { pipe[1] },
				     .keep_count = 1,
				     .workers = 3 * CHILDREN };
	assert_int_equal(run(&how, leave_orphans, &pipe[1], &err), FINE);
	close(pipe[1]);
	/* Its end comes when nobody has the other end. */
	assert_int_equal(read(pipe[0], bytes, 2), 1);
	struct pollfd end = { .fd = pipe[0], .events = POLLIN };
	if (poll(&end, 1, 0) != 1)
		fail_msg("some of its children live on");
	assert_int_equal(read(pipe[0], bytes, 2), 0);
	close(pipe[0]);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orphans),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_too_many_of_older),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_memory_of_all),
		cmocka_unit_test(test_shared_memory),
	};

	if (sandbox_missing()) {
		printf("1..0 # SKIP %s; run the tests without them\n", sandbox_missing());
		return 0;
	}
	return unit_run(argc, argv, tests, NULL, NULL);
}
