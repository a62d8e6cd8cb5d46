/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

static void opens_a_file(struct subject_shared *shared)
{
	const struct rlimit limit = { 77, 88 };

	setrlimit(RLIMIT_NOFILE, &limit);
	shared->value = (uint64_t)open("/dev/null", O_RDONLY);
	if (chdir("/usr"))
		_exit(1);
	subject_ready();
	for (;;)
		pause();
}

static const struct process_file *file_of(const struct process *p, int fd)
{
	for (size_t i = 0; i < p->file_count; i++)
		if (p->files[i].fd == fd)
			return &p->files[i];
	return NULL;
}

static void test_read(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(opens_a_file, &shared);
	struct err err;
	size_t files = 0;
	(void)state;
	AUTO(process_free) struct process *p = process_read(pid, &err);
	assert_int_equal(p->pid, pid);
	assert_int_equal(p->ppid, getpid());
	assert_string_equal(p->comm, "subject");
	assert_string_equal(p->cwd, "/usr");
	assert_non_null(strstr(p->exe, "/process"));
	assert_true(p->has_ids && p->uid == geteuid() && p->gid == getegid());
	assert_true(p->has_rss && p->rss_bytes > 0);
	/* Started within the last minute, give or take a clock tick. */
	assert_true(p->has_started);
	assert_true(realtime_ns() + 20000000 > p->started_at_ns);
	assert_true(realtime_ns() - p->started_at_ns < UINT64_C(60000000000));
	assert_true(p->files_readable);
	assert_string_equal(file_of(p, (int)shared->value)->target, "/dev/null");
	for (size_t i = 0; i < p->limit_count; i++) {
		if (strcmp(p->limits[i].name, "Max open files"))
			continue;
		assert_string_equal(p->limits[i].soft, "77");
		assert_string_equal(p->limits[i].hard, "88");
		assert_string_equal(p->limits[i].units, "files");
		files++;
	}
	assert_int_equal(files, 1);
	subject_end(pid, shared);
	assert_null(process_read(pid, &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void test_find(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(opens_a_file, &shared);
	struct process_candidate found[64];
	size_t n = process_find("subject", found, 64), ours = 0;
	(void)state;
	for (size_t i = 0; i < n; i++) {
		ours += found[i].pid == pid;
		assert_true(i == 0 || found[i - 1].pid < found[i].pid);
		assert_int_not_equal(found[i].pid, getpid()); /* never ourselves */
	}
	assert_int_equal(ours, 1);
	assert_int_equal(process_find("subject", found, 0), 0);
	assert_int_equal(process_find("no such name", found, 64), 0);
	subject_end(pid, shared);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_container(void **state)
{
	static const struct {
		const char *cgroup, *path;
		bool container;
	} cases[] = {
		{ "0::/system.slice/docker-" ID ".scope\n",
		  "/system.slice/docker-" ID ".scope", true },
		{ "12:memory:/docker/" ID "\n11:cpu:/docker/" ID "\n0::/\n",
		  "/docker/" ID, true },
		{ "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope\n",
		  "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope",
		  true },
		{ "5:memory:/\n0::/user.slice/a b\n", "/user.slice/a b", false },
		{ "0::/x/" ID "0\n", "/x/" ID "0", false }, /* 65 digits */
		{ "0::/\n", "/", false },
		{ "", NULL, false },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(xfree) char *path = process_cgroup(cases[i].cgroup);
		AUTO(xfree) char *id = process_container(path);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
		if (cases[i].container)
			assert_string_equal(id, ID);
		else
			assert_null(id);
	}
}

/* Of a process that nobody may read, or that has none. */
static void test_words(void **state)
{
	static char bytes[] = "one\0\0three";
	const struct process_words none = { 0 }, some = { bytes, sizeof(bytes) };
	(void)state;
	assert_null(process_next_word(&none, NULL));
	const char *word = process_next_word(&some, NULL);
	assert_string_equal(word, "one");
	word = process_next_word(&some, word);
	assert_string_equal(word, "");
	word = process_next_word(&some, word);
	assert_string_equal(word, "three");
	assert_null(process_next_word(&some, word));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_container),
		cmocka_unit_test(test_words),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
