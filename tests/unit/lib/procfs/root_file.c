/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/root_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/unit.h"

static const char *const left_behind[] = { "root/a/b/link",
					   "root/a/b/absolute",
					   "root/a/b/out",
					   "root/a/b/proc",
					   "root/a/b/pipe",
					   "root/a/b/file",
					   "root/a/b/to_pipe",
					   "root/d",
					   "root/a/b",
					   "root/a",
					   "root/file",
					   "file",
					   "root" };

static char folder[] = "/tmp/gosnap-root-XXXXXX";

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(
		mkdir("root", 0755) | mkdir("root/a", 0755) | mkdir("root/a/b", 0755), 0);
	put("file", "outside");
	put("root/file", "inside");
	put("root/a/b/file", "deep");
	AUTO(xfree) char *proc = xasprintf("/proc/self/root%s/file", folder);
	assert_int_equal(symlink("../../file", "root/a/b/link") |
				 symlink("/file", "root/a/b/absolute") |
				 symlink("../../../file", "root/a/b/out") |
				 symlink(proc, "root/a/b/proc") |
				 symlink("pipe", "root/a/b/to_pipe") |
				 symlink("a/b", "root/d") | mkfifo("root/a/b/pipe", 0600),
			 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(left_behind); i++)
		remove(left_behind[i]);
	assert_int_equal(chdir("/"), 0);
	return rmdir(folder);
}

/* NULL: it is not to be opened. Returns whether that is so. */
static bool reads(int root, const char *path, const char *wanted)
{
	char text[16] = "";
	int fd = root_file_open(root, path);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		return false;
	if (fd >= 0)
		close(fd);
	return wanted ? fd >= 0 && strcmp(text, wanted) == 0 : fd < 0;
}

static int the_root(void)
{
	return open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static bool plain(int root)
{
	return reads(root, "/a/b/file", "deep") && reads(root, "/file", "inside") &&
	       reads(root, "//a/./b//file", "deep") && reads(root, "/a/none", NULL) &&
	       reads(root, "/a", NULL) && reads(root, "/a/b/pipe", NULL);
}

static void test_below(void **state)
{
	int root = the_root();
	(void)state;
	assert_true(plain(root));
	assert_true(reads(root, "/a/b/link", "inside"));
	assert_true(reads(root, "/a/b/absolute", "inside"));
	assert_true(reads(root, "/a/b/out", "inside"));
	assert_true(reads(root, "/../../file", "inside"));
	assert_true(reads(root, "/d/file", "deep"));
	assert_true(reads(root, "/a/b/proc", NULL));
	close(root);
}

static void test_our_own(void **state)
{
	(void)state;
	AUTO(xfree) char *path = xasprintf("%s/root/a/b/out", folder);
	assert_true(reads(-1, path, "outside"));
	assert_true(reads(-1, "/tmp", NULL));
	assert_true(reads(-1, "/dev/null", NULL));
}

/* Files of the kernel are regular by their mode, and reading some of them takes away. */
static void test_of_kernel(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)state;
	assert_true(reads(-1, "/proc/self/status", NULL));
	assert_int_equal(errno, EINVAL);
	assert_true(reads(root, "/proc/version", NULL));
	assert_int_equal(errno, EINVAL);
	assert_true(reads(-1, "/proc/self/exe", "\177ELF\2\1\1"));
	close(root);
}

/* How often was the file opened since this was last asked? */
static int count_opens(int watch)
{
	_Alignas(struct inotify_event) char events[4096];
	ssize_t n;
	int count = 0;

	while ((n = read(watch, events, sizeof(events))) > 0)
		count += (int)((size_t)n / sizeof(struct inotify_event));
	return count;
}

static bool pipe_stays_closed(int root, const char *pipe, const char *file)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	inotify_add_watch(watch, "root/a/b/pipe", IN_OPEN);
	inotify_add_watch(watch, "root/a/b/file", IN_OPEN);
	bool ok = reads(root, pipe, NULL) && count_opens(watch) == 0 &&
		  reads(root, file, "deep") && count_opens(watch) == 1;
	close(watch);
	return ok;
}

/* To open it would release who waits to write to it. */
static void test_pipe(void **state)
{
	int root = the_root();
	(void)state;
	AUTO(xfree) char *pipe = xasprintf("%s/root/a/b/to_pipe", folder);
	AUTO(xfree) char *file = xasprintf("%s/root/a/b/file", folder);
	assert_true(pipe_stays_closed(root, "/a/b/pipe", "/a/b/file"));
	assert_true(pipe_stays_closed(root, "/a/b/to_pipe", "/a/b/file"));
	assert_true(pipe_stays_closed(-1, pipe, file));
	close(root);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static bool forbid_openat2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* As with a kernel that is older: no link at all is followed then. */
static void test_without_openat2(void **state)
{
	int status, root = the_root();
	pid_t child = fork();
	(void)state;
	if (child == 0)
		_exit(forbid_openat2() && plain(root) && reads(root, "/a/b/link", NULL) &&
				      reads(root, "/a/b/absolute", NULL) &&
				      reads(root, "/a/b/out", NULL) &&
				      reads(root, "/../file", NULL) &&
				      reads(root, "/d/file", NULL) &&
				      reads(root, "/a/b/proc", NULL) &&
				      reads(root, "/", NULL) && is_open(root) &&
				      pipe_stays_closed(root, "/a/b/pipe", "/a/b/file") &&
				      pipe_stays_closed(root, "/a/b/to_pipe", "/a/b/file")
			      ? 0
			      : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(root);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_below),		cmocka_unit_test(test_our_own),
		cmocka_unit_test(test_of_kernel),	cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_without_openat2),
	};

	return unit_run(argc, argv, tests, set_up, tear_down);
}
