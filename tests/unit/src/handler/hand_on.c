/* SPDX-License-Identifier: Apache-2.0 */
/* A core that is handed on, to a file or a program, and the copy of it. Each is handed on by a process of its
 * own, which becomes another program, or another user. */
#include "src/handler/hand_on.h"

#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/handler/hand_on_priv.h"
#include "src/handler/report.h"
#include "tests/unit/folder.h"
#include "tests/unit/unit.h"

enum { BLOCK = 4096, CORE = 5 * BLOCK + 100, TEXT = 4096, GROUPS = 2000 };

static uint8_t core[CORE]; /* its second and fourth blocks are zeros */

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Of a file there; -1: there is none. */
static ssize_t get(const char *name, void *ret, size_t size)
{
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, ret, size);

	if (fd >= 0)
		close(fd);
	return n;
}

static int pipe_with(const uint8_t *bytes, size_t len)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], bytes, len), len);
	close(ends[1]);
	return ends[0];
}

static struct crash some_crash(void)
{
	struct crash crash = {
		.pid = getpid(), .pidfd = -1, .folder = -1, .limit = UINT64_MAX
	};

	crash.word['e'] = "a program";
	crash.word['P'] = "4711";
	return crash;
}

/* What was reported, until the next call. As standard input or not, the first head_len bytes of the core were read
 * from it before. */
static const char *handed_on(struct crash crash, const char *pattern, size_t head_len,
			     bool is_input)
{
	static char said[TEXT];
	struct core_source source = {
		.fd = pipe_with(core + head_len, CORE - head_len),
		.head = core,
		.head_len = head_len,
		.copy = -1,
	};
	int out = open(path_of("said"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const pid_t pid = fork();

	if (pid == 0) {
		dup2(out, STDERR_FILENO);
		if (is_input)
			source.fd = dup2(source.fd, STDIN_FILENO);
		if (chdir(folder) < 0)
			_exit(1);
		signal(SIGPIPE, SIG_IGN); /* as main() does */
		signal(SIGXFSZ, SIG_IGN);
		report_open(crash.pid);
		hand_on(&crash, pattern, &source);
		_exit(0);
	}
	close(out);
	close(source.fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	const ssize_t n = get("said", said, sizeof(said) - 1);
	said[n > 0 ? n : 0] = '\0';
	return said;
}

static void is_core(const char *name)
{
	uint8_t found[CORE + 1];
	struct stat st;

	assert_int_equal(get(name, found, sizeof(found)), CORE);
	assert_memory_equal(found, core, CORE);
	assert_int_equal(stat(path_of(name), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(unlink(path_of(name)), 0);
}

static void is_missing(const char *name)
{
	assert_int_equal(access(path_of(name), F_OK), -1);
}

/* Of a process that is gone: an absolute name, of what is not there. */
static void test_file(void **state)
{
	struct crash crash = some_crash();
	char pattern[128];
	uint8_t found[CORE];
	struct stat st;
	(void)state;

	snprintf(pattern, sizeof(pattern), "%s/core.%%P", folder);
	assert_string_equal(handed_on(crash, pattern, 0, true), "");
	assert_int_equal(stat(path_of("core.4711"), &st), 0);
	is_core("core.4711");
	assert_string_equal(handed_on(crash, pattern, BLOCK + 10, false), "");
	assert_non_null(strstr(handed_on(crash, pattern, 0, true), "cannot create"));
	is_core("core.4711");
	assert_non_null(strstr(handed_on(crash, "core.%P", 0, true),
			       "it needs an absolute name, not core.4711"));
	is_missing("core.4711");
	crash.limit = BLOCK - 1;
	assert_string_equal(handed_on(crash, pattern, 0, true), "");
	is_missing("core.4711");
	/* Zeros do not count: the first block, and no more. */
	crash.limit = BLOCK;
	assert_non_null(
		strstr(handed_on(crash, pattern, 0, true), "is cut: RLIMIT_CORE"));
	assert_int_equal(get("core.4711", found, sizeof(found)), BLOCK);
	assert_memory_equal(found, core, BLOCK);
	unlink(path_of("core.4711"));
	crash.limit = 3 * BLOCK + 100;
	assert_string_equal(handed_on(crash, pattern, 0, true), "");
	is_core("core.4711");
}

/* Of a process that is there: below its folder, in place of what has the name. */
static void test_file_of_process(void **state)
{
	struct crash crash = some_crash();
	char path[64];
	gid_t groups[GROUPS];
	struct stat st;
	int told[2];
	char byte;
	(void)state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	assert_int_equal(mkdir(path_of("cwd"), 0700), 0);
	assert_int_equal(chown(path_of("cwd"), 7, 8), 0);
	assert_int_equal(chmod(folder, 0711), 0);
	crash.pid = fork();
	if (crash.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if an assertion fails */
		/* More groups than are taken over. */
		for (size_t i = 0; i < GROUPS; i++)
			groups[i] = 10000 + (gid_t)i;
		if (chdir(path_of("cwd")) || setgroups(GROUPS, groups) || setgid(8) ||
		    setuid(7) || write(told[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d", (int)crash.pid);
	crash.folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(symlink("/nonexistent", path_of("cwd/core.4711")), 0);
	assert_string_equal(handed_on(crash, "core.%P", 0, true), "");
	assert_int_equal(lstat(path_of("cwd/core.4711"), &st), 0);
	assert_int_equal(st.st_uid, 7);
	assert_int_equal(st.st_gid, 8);
	is_core("cwd/core.4711");
	/* What root may write, it may not. */
	assert_int_equal(chown(path_of("cwd"), 0, 0), 0);
	assert_non_null(
		strstr(handed_on(crash, "core.%P", 0, true), "Permission denied"));
	is_missing("cwd/core.4711");
	kill(crash.pid, SIGKILL);
	assert_int_equal(waitpid(crash.pid, NULL, 0), crash.pid);
	close(crash.folder);
	close(told[0]);
	close(told[1]);
}

static void test_program(void **state)
{
	struct crash crash = some_crash();
	char pattern[TEXT], text[TEXT] = "";
	(void)state;

	FILE *f = fopen(path_of("keep"), "w");
	assert_non_null(f);
	fprintf(f, "umask 077; printf '%%s\\n' \"$@\" > %s/words; cat > %s/kept\n",
		folder, folder);
	fclose(f);
	snprintf(pattern, sizeof(pattern), "|/bin/sh %s/keep  %%e x%%P\t%%Q y%%%%",
		 folder);
	for (int way = 0; way < 3; way++) {
		assert_string_equal(
			handed_on(crash, pattern, way == 2 ? 1000 : 0, way == 0), "");
		is_core("kept");
		memset(text, 0, sizeof(text));
		assert_true(get("words", text, sizeof(text) - 1) > 0);
		assert_string_equal(text, "a program\nx4711\n\ny%\n");
	}
	for (int way = 0; way < 2; way++)
		assert_non_null(strstr(handed_on(crash, "|/nonexistent x", 0, way == 0),
				       "the core is lost: cannot start /nonexistent"));
	assert_non_null(strstr(handed_on(crash, "|", 0, true), "too long a command"));
	snprintf(pattern, sizeof(pattern), "|/bin/sh %s/keep", folder);
	for (unsigned i = 0; i < 61; i++)
		strcat(pattern, " x");
	assert_string_equal(handed_on(crash, pattern, 0, true), "");
	is_core("kept");
	strcat(pattern, " x");
	assert_non_null(strstr(handed_on(crash, pattern, 0, true), "too long a command"));
	is_missing("kept");
}

/* All of it, in order; in ret what the copy got. */
static size_t copied(size_t head_len, int copy, uint64_t until_ns, bool *ret_has_copy)
{
	struct core_source source = {
		.fd = pipe_with(core + head_len, CORE - head_len),
		.head = core,
		.head_len = head_len,
		.copy = copy,
		.copy_until_ns = until_ns,
	};
	const uint8_t *bytes;
	size_t len, all = 0;

	*ret_has_copy = true;
	for (; source_next(&source, &bytes, &len); all += len) {
		assert_true(all + len <= CORE);
		assert_memory_equal(bytes, core + all, len);
		*ret_has_copy &= source.copy >= 0;
	}
	assert_int_equal(len, 0);
	assert_int_equal(source.copy, -1);
	assert_true(fcntl(copy, F_GETFD) < 0); /* closed: its reader sees the end */
	close(source.fd);
	return all;
}

static void test_copy(void **state)
{
	uint8_t found[CORE + 1];
	bool has_copy;
	int ends[2];
	(void)state;

	for (size_t head_len = 0; head_len < 200; head_len += 100) {
		assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
		assert_int_equal(copied(head_len, ends[1], UINT64_MAX, &has_copy), CORE);
		assert_true(has_copy);
		assert_true(read_fully(ends[0], found, CORE));
		assert_memory_equal(found, core, CORE);
		assert_int_equal(read(ends[0], found, 1), 0);
		close(ends[0]);
	}
	/* There is no time, or nobody who reads it. */
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(copied(100, ends[1], 0, &has_copy), CORE);
	assert_false(has_copy);
	assert_int_equal(read(ends[0], found, 1), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	close(ends[0]);
	assert_int_equal(copied(0, ends[1], UINT64_MAX, &has_copy), CORE);
	assert_false(has_copy);
}

static int prepare(void **state)
{
	for (size_t i = 0; i < CORE; i++)
		core[i] = i / BLOCK % 2 ? 0 : (uint8_t)(i % 251 + 1);
	return make_folder(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_file_of_process),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_copy),
	};

	return unit_run(argc, argv, tests, prepare, remove_folder);
}
