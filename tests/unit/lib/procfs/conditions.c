/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/conditions.h"

#include <elf.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

#define MB (UINT64_C(1) << 20)

enum { NOBODY = 65534 };

static void waits(struct subject_shared *shared)
{
	(void)shared;
	subject_ready();
	for (;;)
		pause();
}

/* Of a subject that did this first. */
static struct conditions conditions_of(subject_fn *body)
{
	struct subject_shared *shared;
	struct conditions c;
	pid_t pid = subject_start(body, &shared);

	conditions_read(pid, &c);
	subject_end(pid, shared);
	return c;
}

static void test_plain(void **state)
{
	struct conditions c = conditions_of(waits);
	(void)state;

	assert_true(c.exists);
	assert_string_equal(c.name, "subject");
	assert_int_equal(c.tracer, 0);
	assert_int_equal(c.seccomp, 0);
	assert_int_equal(c.elf_class, ELFCLASS64);
	assert_int_equal(c.threads, 1);
	assert_true(c.mappings > 10 && c.mappings < 10000);
	assert_true(c.page_tables > 0 && c.committed > 0);
	assert_true(c.huge <= c.anonymous);
	assert_false(c.vfork || c.group_stopped || conditions_stand_still(&c));
	assert_true(c.machine.memory_available > 0 && c.machine.commit_limit > 0);
	assert_true(c.machine.tasks > 0 && c.machine.tasks_max > c.machine.tasks);
	assert_int_equal(c.ours.uid, getuid());
	assert_true(*c.kernel.release && c.kernel.pagemap);
	conditions_read(0, &c);
	assert_true(!c.exists && *c.kernel.release);
	conditions_read(INT32_MAX, &c);
	assert_false(c.exists);
}

static void locks(struct subject_shared *shared)
{
	void *p = mmap(NULL, 2 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	/* Not mlock(): sanitizers make that do nothing. */
	if (syscall(SYS_mlock, p, 2 * MB))
		_exit(1);
	waits(shared);
}

static void filters(struct subject_shared *shared)
{
	static struct sock_filter {
		uint16_t code;
		uint8_t jt, jf;
		uint32_t k;
	} allow = { .code = 6 /* return */, .k = SECCOMP_RET_ALLOW };
	struct {
		unsigned short len;
		struct sock_filter *filter;
	} program = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	waits(shared);
}

static void test_states(void **state)
{
	struct subject_shared *shared;
	struct conditions c;
	(void)state;

	c = conditions_of(locks);
	assert_int_equal(c.locked, 2 * MB);
	c = conditions_of(filters);
	assert_int_equal(c.seccomp, 2);

	pid_t pid = subject_start(waits, &shared);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	conditions_read(pid, &c);
	assert_true(c.group_stopped && conditions_stand_still(&c));
	kill(pid, SIGCONT);
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	conditions_read(pid, &c);
	assert_int_equal(c.tracer, getpid());
	assert_true(*c.tracer_name);
	subject_end(pid, shared);
}

/* Its child tells that the window is open: it runs, and has not begun another program. */
static void forks(struct subject_shared *shared)
{
	(void)shared;
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		subject_ready();
		for (;;)
			pause();
	}
}

static void test_vfork(void **state)
{
	struct subject_shared *shared;
	struct conditions c;
	pid_t pid = subject_start(forks, &shared);
	(void)state;

	conditions_read(pid, &c);
	assert_true(c.vfork);
	subject_end(pid, shared);
}

static void test_huge(void **state)
{
	struct conditions c;
	size_t size = 64 * MB;
	char *p = mmap(NULL, size + 2 * MB, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	(void)state;

	assert_ptr_not_equal(p, MAP_FAILED);
	char *aligned = (char *)(((uintptr_t)p + 2 * MB - 1) / (2 * MB) * (2 * MB));
	madvise(aligned, size, MADV_NOHUGEPAGE);
	memset(aligned, 1, size);
	conditions_read(getpid(), &c);
	assert_true(c.anonymous >= size);
	assert_true(c.huge < size / 8);
	madvise(aligned, size, MADV_DONTNEED);
	madvise(aligned, size, MADV_HUGEPAGE);
	memset(aligned, 1, size);
	AUTO(xfree) char *rollup = proc_file(getpid(), "smaps_rollup");
	uint64_t truth = proc_number(rollup, "AnonHugePages", 10) * 1024;
	conditions_read(getpid(), &c);
	munmap(p, size + 2 * MB);
	/* What the kernel had none left for stays small: by what it says itself. A sample
	 * gives small islands of memory, which sanitizers have many of, too much weight. */
	if (c.kernel.pagemap_scan && (c.huge < truth / 2 || c.huge > truth + size / 8))
		fail_msg("%zu MB in huge pages, %zu in truth", (size_t)(c.huge / MB),
			 (size_t)(truth / MB));
}

/* The limit is that of its user, nobody, who has this one task at least. */
static void is_limited(struct subject_shared *shared)
{
	struct rlimit limit = { 3, 3 };

	if (setrlimit(RLIMIT_NPROC, &limit) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	waits(shared);
}

static void test_limit(void **state)
{
	(void)state;
	if (getuid())
		return (void)print_message("only root can be another user\n");
	struct conditions c = conditions_of(is_limited);
	assert_true(c.processes.set);
	assert_int_equal(c.processes.max, 3);
	assert_true(c.processes.used >= 1);
}

static void test_price(void **state)
{
	uint64_t ns = conditions_price();
	(void)state;
	/* Between the fastest memory and a machine that stands still: no clock decides. */
	assert_true(ns < 1000 * 1000);
	print_message("a page: %zu ns\n", (size_t)ns);
}

/* The harness traces its own children elsewhere, so this may, too. */
static void test_trace(void **state)
{
	(void)state;
	assert_true(conditions_may_trace());
	assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1); /* nobody is left */
}

/* Clones a child without exit signal that lives until the subject ends: or has ended, for it
 * may be late. */
static pid_t live_silently(void)
{
	pid_t parent = getpid(), child = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (syscall(SYS_getppid) == parent)
			pause();
		syscall(SYS_exit_group, 0);
	}
	return child;
}

/* What is left has no exit signal, and nobody waits for it; an ordinary zombie, one of
 * another name and a living child are not ours. */
static void leaves(struct subject_shared *shared)
{
	long left = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (left == 0)
		syscall(SYS_exit_group, 0);
	long other = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (other == 0) {
		prctl(PR_SET_NAME, "other");
		syscall(SYS_exit_group, 0);
	}
	long ordinary = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (ordinary == 0)
		syscall(SYS_exit_group, 0);
	siginfo_t info;
	waitid(P_PID, (id_t)left, &info, WEXITED | WNOWAIT | __WALL);
	waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT | __WALL);
	waitid(P_PID, (id_t)ordinary, &info, WEXITED | WNOWAIT | __WALL);
	shared->value = (uint64_t)left;
	live_silently();
	waits(shared);
}

static void set_files(rlim_t n)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void test_leftovers(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(leaves, &shared), found[4];
	struct rlimit before;
	size_t n;
	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);

	assert_true(conditions_leftovers(pid, found, ARRAY_SIZE(found), &n));
	assert_int_equal(n, 1);
	assert_int_equal(found[0], shared->value);
	assert_true(conditions_leftovers(pid, found, 0, &n));
	assert_int_equal(n, 0);
	assert_true(conditions_leftovers(getpid(), found, ARRAY_SIZE(found), &n));
	assert_int_equal(n, 0);
	/* With descriptors for the folder, for a file in it, and so on: in doubt it says so. */
	for (rlim_t files = 3; files < 8; files++) {
		set_files(files);
		bool sure = conditions_leftovers(pid, found, ARRAY_SIZE(found), &n);
		set_files(before.rlim_cur);
		assert_true(n == 1 || !sure);
		assert_true(!sure || files > 3);
	}
	subject_end(pid, shared);
}

/* Its end takes a while: there are as many pages to give back. */
static void leaves_large(struct subject_shared *shared)
{
	void *memory = mmap(NULL, 256 * MB, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	shared->value = memory == MAP_FAILED ? 0 : (uint64_t)live_silently();
	waits(shared);
}

/* Whoever counts after its tracer was killed means it, too. */
static void test_dying(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(leaves_large, &shared), found[1];
	size_t n;
	(void)state;

	assert_true(conditions_leftovers(pid, found, ARRAY_SIZE(found), &n));
	assert_int_equal(n, 0);
	pid_t left = (pid_t)shared->value;
	assert_true(left > 0); /* -1 is everybody */
	assert_int_equal(kill(left, SIGKILL), 0);
	assert_true(conditions_leftovers(pid, found, ARRAY_SIZE(found), &n));
	assert_int_equal(n, 1);
	assert_int_equal(found[0], left);
	subject_end(pid, shared);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_states),
		cmocka_unit_test(test_vfork), cmocka_unit_test(test_huge),
		cmocka_unit_test(test_limit), cmocka_unit_test(test_price),
		cmocka_unit_test(test_trace), cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_dying),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
