/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody can do to a process who took over the sandbox that reads it. */
#include "lib/ptrace/tracer_host.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/ptrace/tracer_priv.h"
#include "lib/sandbox/broker.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

enum { FINE = 0, TURNS = 1000 };

struct attack {
	pid_t pid;
	struct target *live;
	char commands[8]; /* of the tracer, in turn */
};

static void counts(struct subject_shared *shared)
{
	subject_ready();
	for (;;)
		shared->counter++;
}

static bool is_copy(void *arg, pid_t pid)
{
	return tracer_host_has_copy(arg, pid);
}

/* Runs work(attack) as gosnap does, and asserts that the process runs on. */
static int run(int (*work)(void *), const char *commands)
{
	struct subject_shared *shared;
	struct err err = { .code = ERR_NONE };
	int fds[TARGET_LIVE_DESCRIPTORS], status = -1;
	const pid_t pid = subject_start(counts, &shared);
	struct target *live = target_live_open(pid, &err);
	const struct tracer_options limits = { .max_hold_ns = 200 * 1000 * 1000,
					       .keep = -1 };

	assert_non_null(live);
	size_t n = target_live_for_sandbox(live, fds);
	assert_int_equal(n, 2);
	struct tracer_host *host = tracer_host_new(live, &limits);
	const struct sandbox how = {
		.keep = { fds[0], fds[1] },
		.keep_count = n,
		.services = { tracer_host_services(host) },
		.subject = { .pid = pid,
			     .folder = fds[0],
			     .is_copy = is_copy,
			     .arg = host },
	};
	struct attack attack = { .pid = pid, .live = live };
	snprintf(attack.commands, sizeof(attack.commands), "%s", commands);
	bool ran = sandbox_run(&how, work, &attack, &status, &err);
	tracer_host_free(host);
	subject_runs(&shared->counter, TURNS);
	target_close(live);
	subject_end(pid, shared);
	if (!ran)
		fail_msg("%s", err.text);
	return status;
}

static int ask_for_tracer(int *ret_memory)
{
	const uint64_t estimate = UINT64_MAX;
	struct question q = { .kind = ASK_TRACER, .len = sizeof(estimate) };
	const struct question memory = { .kind = ASK_TRACER_MEMORY };
	struct answer a;
	int fd = -1;

	memcpy(q.text, &estimate, sizeof(estimate));
	if (!sandbox_ask(&q, -1, &a, &fd) || fd < 0)
		return -1;
	return sandbox_ask(&memory, -1, &a, ret_memory) ? fd : -1;
}

/* What the tracer shares with us is ours to write to, while it works. */
static bool spoil(int memory)
{
	const off_t size = lseek(memory, 0, SEEK_END);
	uint8_t *shared =
		mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);

	if (size <= 0 || shared == MAP_FAILED)
		return false;
	memset(shared, 0xff, sizeof(struct tracer_shared) + 1000);
	return true;
}

/* Sends each command, and waits for its answer; the last must find nobody. */
static int command(void *arg)
{
	const struct attack *attack = arg;
	int memory = -1, fd = ask_for_tracer(&memory);
	char answer;

	if (fd < 0 || memory < 0)
		return 1;
	for (const char *c = attack->commands; *c; c++) {
		if (!spoil(memory))
			return 2;
		if (send(fd, c, 1, MSG_NOSIGNAL) == 1 && recv(fd, &answer, 1, 0) == 1 &&
		    !c[1])
			return 3;
	}
	return FINE;
}

/* The second of these has ended. */
static void test_commands(void **state)
{
	static const char *const all[] = { "hh", "hc", "hz", "hrh", "cc",
					   "ch", "zz", "zh", "?" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		int status = run(command, all[i]);
		if (status != FINE)
			fail_msg("%s: %d", all[i], status);
	}
}

static int take_many(void *arg)
{
	const struct question end = { .kind = ASK_TRACER_END, .number = 1 };
	struct answer a;
	int memory, started = 0;

	(void)arg;
	for (int i = 0; i < 20; i++) {
		int fd = ask_for_tracer(&memory);
		started += fd >= 0;
		/* One at a time. */
		if (fd >= 0 && ask_for_tracer(&memory) >= 0)
			return 100;
		if (fd >= 0 &&
		    (send(fd, "h", 1, 0) != 1 || !sandbox_ask(&end, -1, &a, NULL)))
			return 101;
	}
	return started;
}

static void test_number(void **state)
{
	(void)state;
	assert_in_range(run(take_many, ""), 1, 3);
}

/* An N in the path stands for the pid. */
static int try_to_open(const struct attack *attack, const char *pattern, int flags)
{
	char path[200] = "";
	size_t len = 0;

	for (const char *c = pattern; *c && len < sizeof(path) - 16; c++)
		if (*c == 'N')
			len += (size_t)sprintf(path + len, "%d", attack->pid);
		else
			path[len++] = *c;
	path[len] = 0;
	int fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_files(void *arg)
{
	static const char *const permitted[] = { "/proc/N/stat", "/proc/N/mem",
						 "/proc/N/maps",
						 "/proc/N/task/N/status" };
	static const char *const refused[] = {
		"/proc/N/environ",
		"/proc/N/fd/0",
		"/proc/N/cwd/x",
		"/proc/N/root/etc/passwd",
		"/proc/N/task/../../1/stat",
		"/proc/1/stat",
		"/proc/N/../1/stat",
		"/proc/N/mem/",
		"/proc/N//mem",
		"/proc/N/task/N/environ",
		"/proc/self/stat",
		"/proc/0N/stat/..",
	};
	const struct attack *attack = arg;

	for (size_t i = 0; i < ARRAY_SIZE(permitted); i++)
		if (try_to_open(attack, permitted[i], O_RDONLY) < 0)
			return 10 + (int)i;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (try_to_open(attack, refused[i], O_RDONLY) >= 0)
			return 20 + (int)i;
	if (try_to_open(attack, "/proc/N/mem", O_RDWR) >= 0)
		return 40;
	int root = try_to_open(attack, "/proc/N/root", O_PATH | O_DIRECTORY);
	if (root < 0 || openat(root, "etc/passwd", O_RDONLY) >= 0 ||
	    try_to_open(attack, "/proc/N/root", O_RDONLY | O_DIRECTORY) >= 0)
		return 41;
	int folder = try_to_open(attack, "/proc/N", O_PATH | O_DIRECTORY);
	if (folder < 0 || openat(folder, "stat", O_RDONLY) < 0 ||
	    openat(folder, "environ", O_RDONLY) >= 0 ||
	    openat(folder, "../1/stat", O_RDONLY) >= 0)
		return 42;
	return FINE;
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(run(open_files, ""), FINE);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_files),
	};

	if (sandbox_missing()) {
		printf("1..0 # SKIP %s; run the tests without them\n", sandbox_missing());
		return 0;
	}
	return unit_run(argc, argv, tests, NULL, NULL);
}
