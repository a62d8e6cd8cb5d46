/* SPDX-License-Identifier: Apache-2.0 */
/* What a sandbox gets of the files that it asks for, of its subject, which is this process, and of others; the cache; and
 * messages with a descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/cache.h"
#include "lib/sandbox/broker_priv.h"
#include "lib/sandbox/message.h"
#include "tests/unit/unit.h"

static struct sandbox subject_of(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return (struct sandbox){
		.subject = { .pid = pid,
			     .folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) },
	};
}

/* 0: it is opened; or the error. */
static int opens(const struct sandbox *how, int folder, const char *name, int flags)
{
	char path[64];
	int fd;

	if (*name == '/')
		snprintf(path, sizeof(path), "%s", name);
	else if (folder >= 0)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "/proc/%d%s%s", (int)getpid(),
			 *name ? "/" : "", name);
	fd = files_open(how, folder, path, flags);
	if (fd < 0)
		return -fd;
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	return 0;
}

static void test_subject(void **state)
{
	struct sandbox how = subject_of(getpid());
	char thread[32];
	(void)state;

	snprintf(thread, sizeof(thread), "task/%d/stat", (int)getpid());
	assert_int_equal(opens(&how, -1, "stat", O_RDONLY), 0);
	assert_int_equal(opens(&how, -1, "mem", O_RDONLY), 0);
	assert_int_equal(opens(&how, -1, thread, O_RDONLY), 0);
	assert_int_equal(opens(&how, -1, "", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(opens(&how, -1, "task", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(opens(&how, -1, "root", O_PATH | O_DIRECTORY), 0);
	/* Not in another way, and nothing else. */
	assert_int_equal(opens(&how, -1, "root", O_RDONLY | O_DIRECTORY), EACCES);
	assert_int_equal(opens(&how, -1, "stat", O_PATH), EACCES);
	assert_int_equal(opens(&how, -1, "mem", O_RDWR), EACCES);
	assert_int_equal(opens(&how, -1, "mem", O_WRONLY), EACCES);
	assert_int_equal(opens(&how, -1, "task", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "environ", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "stats", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "sta", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "task/x/stat", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "task//stat", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "fd", O_RDONLY | O_DIRECTORY), EACCES);
	assert_int_equal(opens(&how, -1, "/proc/1/stat", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "/proc/self/stat", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, -1, "/etc/passwd", O_RDONLY), EACCES);
	how.subject.of_series = true;
	assert_int_equal(opens(&how, -1, "environ", O_RDONLY), 0);
	assert_int_equal(opens(&how, -1, "fd", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(opens(&how, -1, "auxv", O_RDONLY), EACCES);
	how.subject.pid = 0; /* there is none */
	assert_int_equal(opens(&how, -1, "stat", O_RDONLY), EACCES);
	close(how.subject.folder);
}

/* By the descriptor of a folder that the sandbox has. */
static void test_below(void **state)
{
	struct sandbox how = subject_of(getpid());
	int task = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int elsewhere = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char thread[32];
	(void)state;

	snprintf(thread, sizeof(thread), "%d/stat", (int)getpid());
	assert_int_equal(opens(&how, how.subject.folder, "stat", O_RDONLY), 0);
	assert_int_equal(opens(&how, how.subject.folder, "environ", O_RDONLY), EACCES);
	assert_int_equal(opens(&how, task, thread, O_RDONLY), 0);
	assert_int_equal(opens(&how, elsewhere, "passwd", O_RDONLY), EACCES);
	close(task);
	close(elsewhere);
	close(how.subject.folder);
}

static void test_links(void **state)
{
	struct sandbox how = subject_of(getpid());
	char path[64], found[256], wanted[256];
	struct stat st, own;
	(void)state;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getpid());
	const ssize_t len = readlink(path, wanted, sizeof(wanted));
	assert_int_equal(files_read_link(&how, -1, path, found, sizeof(found)), len);
	assert_memory_equal(found, wanted, (size_t)len);
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)getpid());
	assert_int_equal(files_read_link(&how, -1, path, found, sizeof(found)), -EACCES);
	how.subject.of_series = true;
	assert_true(files_read_link(&how, -1, path, found, sizeof(found)) > 0);
	assert_int_equal(files_read_link(&how, -1, "/proc/1/exe", found, sizeof(found)),
			 -EACCES);
	assert_int_equal(
		files_read_link(&how, -1, "/proc/self/exe", found, sizeof(found)),
		-EACCES);
	snprintf(path, sizeof(path), "/proc/%d", (int)getpid());
	assert_int_equal(files_status(&how, -1, path, 0, &st), 0);
	assert_int_equal(stat(path, &own), 0);
	assert_true(st.st_ino == own.st_ino && S_ISDIR(st.st_mode));
	assert_int_equal(files_status(&how, -1, "/etc", 0, &st), -EACCES);
	close(how.subject.folder);
}

/* What is in the way of a thread is not that of another process. */
static bool is_copy(void *arg, pid_t pid)
{
	return pid == *(pid_t *)arg;
}

static void test_copy(void **state)
{
	struct sandbox how = subject_of(getpid());
	pid_t copy = fork();
	const pid_t other = copy;
	char path[64];
	(void)state;

	if (copy == 0)
		pause();
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)copy);
	how.subject.is_copy = is_copy;
	how.subject.arg = &copy;
	assert_int_equal(opens(&how, -1, path, O_RDONLY), 0);
	copy = 0;
	assert_int_equal(opens(&how, -1, path, O_RDONLY), EACCES);
	kill(other, SIGKILL);
	assert_int_equal(waitpid(other, NULL, 0), other);
	close(how.subject.folder);
}

/* As it asks from inside. */
static int look_at_subject(void *arg)
{
	const int pid = *(pid_t *)arg;
	char path[64], text[8];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	memset(&st, 0, sizeof(st));
	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return 10;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (readlink(path, text, 3) != 3 || text[0] != '/')
		return 11;
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	if (open(path, O_RDONLY) != -1 || errno != EACCES)
		return 12;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return open(path, O_RDONLY) >= 0 ? 0 : 13;
}

static void test_inside(void **state)
{
	struct sandbox how = subject_of(getpid());
	pid_t pid = getpid();
	struct err err;
	int status = -1;
	(void)state;

	if (sandbox_missing())
		skip();
	assert_true(sandbox_run(&how, look_at_subject, &pid, &status, &err));
	assert_int_equal(status, 0);
	close(how.subject.folder);
}

static int status_of(struct cached *c, enum question_kind kind, const char *text,
		     size_t len)
{
	struct question q = { .kind = kind, .len = (uint32_t)len };
	struct answer a = { .result = 1 };
	int fd = -1;

	memcpy(q.text, text, len);
	cached_serve(c, &q, -1, &a, &fd);
	if (fd >= 0)
		close(fd);
	return a.result;
}

#define KIND "names/v1"

/* A name in the cache is no way out of it. */
static void test_cache(void **state)
{
	static const char *const refused[] = { "",    ".hidden", "../x", "a/b",
					       "a b", "\xff",	 "a%" };
	struct cached c = { .allowed = true };
	char text[512];
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		const size_t len = strlen(refused[i]);
		memcpy(text, KIND, sizeof(KIND));
		memcpy(text + sizeof(KIND), refused[i], len);
		assert_int_equal(status_of(&c, ASK_CACHED, text, sizeof(KIND) + len),
				 -EACCES);
		assert_int_equal(status_of(&c, ASK_CACHE, text, sizeof(KIND) + len),
				 -EACCES);
	}
	memset(text, 'a', sizeof(text));
	memcpy(text, KIND, sizeof(KIND));
	assert_int_equal(status_of(&c, ASK_CACHED, text, sizeof(KIND) + 256), -EACCES);
	memcpy(text, "other/v1", sizeof("other/v1"));
	assert_int_equal(status_of(&c, ASK_CACHED, text, sizeof(KIND) + 4), -EACCES);
	assert_false(c.opened);
	memcpy(text, KIND, sizeof(KIND));
	c.allowed = false;
	assert_int_equal(status_of(&c, ASK_CACHED, text, sizeof(KIND) + 4), -EACCES);
	assert_false(c.opened);
}

static void test_messages(void **state)
{
	int ends[2], fd = open("/dev/null", O_RDONLY | O_CLOEXEC), got;
	struct stat st, sent;
	char text[8];
	(void)state;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(message_send(ends[0], "one", 3, -1, 0), 3);
	assert_int_equal(message_send(ends[0], "other", 5, fd, 0), 5);
	assert_int_equal(message_receive(ends[1], text, sizeof(text), &got, 0), 3);
	assert_int_equal(got, -1);
	assert_memory_equal(text, "one", 3);
	assert_int_equal(message_receive(ends[1], text, sizeof(text), &got, 0), 5);
	assert_memory_equal(text, "other", 5);
	assert_true(got >= 0);
	assert_true(fcntl(got, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(got, &st) | fstat(fd, &sent), 0);
	assert_true(st.st_rdev == sent.st_rdev);
	close(got);
	assert_int_equal(message_receive(ends[1], text, sizeof(text), &got, MSG_DONTWAIT),
			 -1);
	assert_int_equal(got, -1);
	close(ends[1]);
	assert_int_equal(message_send(ends[0], "one", 3, -1, 0), -1); /* and no signal */
	assert_int_equal(errno, EPIPE);
	close(ends[0]);
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subject),	 cmocka_unit_test(test_below),
		cmocka_unit_test(test_links),	 cmocka_unit_test(test_copy),
		cmocka_unit_test(test_inside),	 cmocka_unit_test(test_cache),
		cmocka_unit_test(test_messages),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
