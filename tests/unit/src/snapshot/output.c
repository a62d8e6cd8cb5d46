/* SPDX-License-Identifier: Apache-2.0 */
/* A second run with the same file, at every instant at which it could take the first one's
 * temporary file for one that was left behind. */
#include "src/snapshot/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/document/sink.h"
#include "tests/unit/unit.h"

enum { AT_LOCKS = 2, AT_ALL = AT_LOCKS + 1 }; /* second runs */

static char folder[] = "/tmp/gosnap-output-XXXXXX";
static char path[sizeof(folder) + 16];
static bool is_second;
static int second_runs;

/* The kernel takes 32 bits of a descriptor, the filter looks at all: what the handler does itself
 * passes. */
static const uint64_t passes = 1ULL << 32;

static void run_second(void)
{
	struct err err;
	int status;
	pid_t child = fork();

	if (child == 0) {
		is_second = true;
		struct output *out = output_open(path, &err);
		output_close(out);
		_exit(out ? 0 : 1);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		_exit(2);
	second_runs++;
}

static void on_call(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	(void)signal;

	if (!is_second && (info->si_syscall != SYS_flock || second_runs < AT_LOCKS))
		run_second();
	long r = syscall(info->si_syscall, (uint64_t)regs[REG_RDI] | passes,
			 regs[REG_RSI], regs[REG_RDX], regs[REG_R10]);
	regs[REG_RAX] = r < 0 ? -errno : r;
}

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define UPPER(arg)                                                                       \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[arg]) + 4)
#define LOWER(arg)                                                                       \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[arg]))
#define SKIP_UNLESS(what, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, what, 0, n)
#define SAY(what) BPF_STMT(BPF_RET | BPF_K, what)

/* As a file system without links, or without files that have no name, and every lock and renaming
 * is told to the handler. */
static bool filter(bool nameless)
{
	struct sock_filter program[] = {
		NUMBER,
		SKIP_UNLESS(SYS_linkat, 1),
		SAY(SECCOMP_RET_ERRNO | EPERM),
		SKIP_UNLESS(SYS_openat, 4),
		LOWER(2),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		SAY(nameless ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EOPNOTSUPP),
		SAY(SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 1, 0),
		SKIP_UNLESS(SYS_flock, 3),
		UPPER(0),
		SKIP_UNLESS(0, 1),
		SAY(SECCOMP_RET_TRAP),
		SAY(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog whole = { ARRAY_SIZE(program), program };
	struct sigaction action = { .sa_sigaction = on_call,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };

	return sigaction(SIGSYS, &action, NULL) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

static bool write_document(void)
{
	struct err err;
	AUTO(output_close) struct output *out = output_open(path, &err);

	if (!out)
		return false;
	sink_begin(output_sink(out), SINK_OBJECT);
	sink_end(output_sink(out));
	bool ok = output_finish(out, &err) && output_commit(out, &err);
	if (!ok)
		fprintf(stderr, "# %s\n", err.text);
	return ok;
}

static int count_files(void)
{
	DIR *dir = opendir(folder);
	int count = -2; /* . and .. */

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void check(bool nameless)
{
	int status;

	for (int i = 0; i < 2; i++) { /* the second document replaces the first */
		pid_t child = fork();
		if (child == 0)
			_exit(filter(nameless) && write_document() &&
					      second_runs == AT_ALL
				      ? 0
				      : 1);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(access(path, F_OK), 0);
		assert_int_equal(count_files(), 1);
	}
	assert_int_equal(unlink(path), 0);
}

static void test_no_links(void **state)
{
	(void)state;
	check(true);
}

static void test_no_nameless_files(void **state)
{
	(void)state;
	check(false);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/snap.json", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_links),
		cmocka_unit_test(test_no_nameless_files),
	};

	return unit_run(argc, argv, tests, set_up, tear_down);
}
