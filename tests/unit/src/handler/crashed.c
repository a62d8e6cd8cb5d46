/* SPDX-License-Identifier: Apache-2.0 */
/* What is believed of /proc/PID, by folders that look so and by processes that have ended; and children that end,
 * die or take too long. */
#include "src/handler/crashed.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/handler/child.h"
#include "tests/unit/folder.h"
#include "tests/unit/unit.h"

enum { TID = 12, CHUNK = 1 << 20, GROUP = 65534 };

#define MARK "\xff Go buildinf:"

static void put(const char *name, const void *bytes, size_t len)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

/* Of a process whose files in /proc are those in the folder. */
static struct crash made_up(void)
{
	return (struct crash){
		.pid = 1,
		.tid = TID,
		.pidfd = -1,
		.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
}

static void owned_by(const struct crash *crash, uid_t uid, gid_t gid)
{
	uid_t found_uid = 1;
	gid_t found_gid = 1;

	crashed_owner(crash, &found_uid, &found_gid);
	assert_int_equal(found_uid, uid);
	assert_int_equal(found_gid, gid);
}

#define OF_USER "Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\n"

static void test_owner(void **state)
{
	static const char *const others[] = {
		"Uid:\t7\t0\t7\t7\nGid:\t8\t8\t8\t8\n",
		"Uid:\t7\t7\t7\t0\nGid:\t8\t8\t8\t8\n",
		"Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t0\n",
		"Uid:\t7\t7\t7\t7\n",
		"Uid:\t6\t6\t6\t6\nGid:\t8\t8\t8\t8\n",
		"",
	};
	struct crash crash = made_up();
	(void)state;

	put_text("status", OF_USER);
	put_text("task/12/status", OF_USER);
	owned_by(&crash, 7, 8);
	crash.guarded = true;
	owned_by(&crash, 0, 0);
	crash.guarded = false;
	/* Of the thread that died, and of the first. */
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		put_text("status", others[i]);
		put_text("task/12/status", OF_USER);
		owned_by(&crash, 0, 0);
		put_text("status", OF_USER);
		if (!*others[i]) /* without its own, the first one's counts */
			continue;
		put_text("task/12/status", others[i]);
		owned_by(&crash, 0, 0);
	}
	close(crash.folder);
	crash.folder = -1;
	owned_by(&crash, 0, 0);
}

static void test_status(void **state)
{
	struct crash crash = made_up();
	(void)state;

	put_text("status", "first");
	put_text("task/12/status", "twelfth");
	assert_string_equal(crashed_status(&crash), "twelfth");
	crash.tid = 13;
	const int next = dup(crash.folder);
	close(next);
	assert_string_equal(crashed_status(&crash), "first");
	assert_int_equal(dup(crash.folder), next); /* it has left no descriptor open */
	close(next);
	put_text("status", "");
	assert_null(crashed_status(&crash));
	int fd = crashed_file(&crash, "status", O_RDONLY);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert_int_equal(crashed_file(&crash, "missing", O_RDONLY), -1);
	close(crash.folder);
	crash.folder = -1;
	assert_null(crashed_status(&crash));
	assert_int_equal(crashed_file(&crash, "/", O_RDONLY), -1);
	assert_false(crashed_is_there(&crash));
}

/* An executable with the mark of the Go linker at a place, or without. */
static bool is_other(const struct crash *crash, size_t len, ssize_t at)
{
	AUTO(xfree) char *bytes = xcalloc(len + 1, 1);

	if (at >= 0)
		memcpy(bytes + at, MARK, strlen(MARK));
	put("exe", bytes, len);
	return crashed_is_other(crash);
}

static void test_other(void **state)
{
	const ssize_t mark = (ssize_t)strlen(MARK);
	struct crash crash = made_up();
	char path[128];
	(void)state;

	assert_false(crashed_is_other(&crash)); /* nobody knows */
	assert_false(is_other(&crash, 0, -1));
	assert_true(is_other(&crash, 1, -1));
	assert_true(is_other(&crash, 3 * CHUNK, -1));
	assert_false(is_other(&crash, 4096, 100));
	for (ssize_t at = CHUNK - mark - 1; at <= CHUNK + 1; at++)
		assert_false(is_other(&crash, 2 * CHUNK, at));
	assert_false(is_other(&crash, 2 * CHUNK, 2 * CHUNK - mark));
	snprintf(path, sizeof(path), "%s/exe", folder);
	assert_int_equal(truncate(path, (1 << 28) + 1), 0); /* too large to be searched */
	assert_false(crashed_is_other(&crash));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(crashed_is_other(&crash));
	assert_int_equal(rmdir(path), 0);
	close(crash.folder);
}

static bool opens(struct crash crash)
{
	crash.folder = -1;
	crashed_open(&crash);
	const bool ok = crash.folder >= 0;
	if (ok) {
		assert_false(crashed_is_there(&crash)); /* it has ended */
		close(crash.folder);
	}
	return ok;
}

/* A process that has ended, and that nobody has waited for, does not say whether it dumps. */
static void test_open(void **state)
{
	struct crash crash = { .pidfd = -1, .folder = -1 };
	char id[16], group[16];
	siginfo_t info;
	(void)state;

	crash.pid = crash.tid = fork();
	if (crash.pid == 0)
		_exit(geteuid() == 0 && setgid(GROUP));
	assert_int_equal(waitid(P_PID, (id_t)crash.pid, &info, WEXITED | WNOWAIT), 0);
	snprintf(group, sizeof(group), "%u", geteuid() == 0 ? GROUP : getgid());
	assert_true(opens(crash));
	snprintf(id, sizeof(id), "%u", getuid());
	crash.word['u'] = id;
	assert_true(opens(crash));
	crash.word['u'] = "12345";
	assert_false(opens(crash));
	crash.word['u'] = "";
	assert_true(opens(crash));
	crash.word['g'] = "12345";
	assert_false(opens(crash));
	crash.word['g'] = group;
	assert_true(opens(crash));
	crash.word['g'] = NULL;
	crash.pidfd = (int)syscall(SYS_pidfd_open, crash.pid, 0);
	assert_true(opens(crash));
	close(crash.pidfd);
	crash.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	assert_false(opens(crash));
	close(crash.pidfd);
	crash.pidfd = -1;
	assert_int_equal(waitpid(crash.pid, NULL, 0), crash.pid);
	crash.pid = getpid(); /* it runs, and does not dump */
	assert_false(opens(crash));
}

static enum child_end end_of(int status, int signal, uint64_t until_ns, int *ret)
{
	struct child child;

	assert_true(child_start(&child));
	if (child.pid == 0) {
		if (signal)
			raise(signal);
		if (status < 0)
			pause();
		_exit(status);
	}
	return child_wait(&child, until_ns, ret);
}

static void test_child(void **state)
{
	struct child child;
	int how = 0;
	(void)state;

	assert_int_equal(end_of(7, 0, UINT64_MAX, &how), CHILD_EXITED);
	assert_int_equal(how, 7);
	assert_int_equal(end_of(0, SIGTERM, UINT64_MAX, &how), CHILD_KILLED);
	assert_int_equal(how, SIGTERM);
	assert_int_equal(end_of(-1, 0, 0, &how), CHILD_LATE);
	/* What it has started ends with it, as it is of its group. */
	assert_true(child_start(&child));
	if (child.pid == 0) {
		if (fork() == 0)
			pause();
		_exit(0);
	}
	assert_int_equal(
		waitid(P_PID, (id_t)child.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	const int ended = dup(child.ended);
	assert_int_equal(child_wait(&child, 0, &how), CHILD_LATE);
	char byte;
	assert_int_equal(read(ended, &byte, 1), 0);
	close(ended);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
}

static int make_process(void **state)
{
	char path[128];

	if (make_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/task", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/task/12", folder);
	return mkdir(path, 0700);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner), cmocka_unit_test(test_status),
		cmocka_unit_test(test_other), cmocka_unit_test(test_open),
		cmocka_unit_test(test_child),
	};

	return unit_run(argc, argv, tests, make_process, remove_folder);
}
