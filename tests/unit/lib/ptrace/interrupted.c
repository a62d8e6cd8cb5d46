/* SPDX-License-Identifier: Apache-2.0 */
/* What C code sees of being stopped while it waits: doc/capture.md says so. */
#include "lib/ptrace/target_live.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/lib/ptrace/waits_in_c.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

enum { STOPS = 3 };

/* A thread for each wait, and for some, WAITS_MAX further, one with a filter of system calls. */
static struct {
	_Atomic pid_t tid[2 * WAITS_MAX];
	_Atomic long returned[2 * WAITS_MAX], result[2 * WAITS_MAX];
	_Atomic int error[2 * WAITS_MAX];
	_Atomic int absent[2 * WAITS_MAX]; /* errno of wait_is_absent() */
	_Atomic int handled;
} * seen;

static _Thread_local size_t self;
int wait_semaphore; /* outlives the process */

void wait_is_absent(void)
{
	seen->absent[self] = errno;
	for (;;)
		pause();
}

/* The one that waits there; NULL: none does. */
static const struct wait *wait_at(size_t place)
{
	size_t i = place % WAITS_MAX;

	return i < waits_count && (place < WAITS_MAX || waits[i].sees == AGAIN)
		       ? &waits[i]
		       : NULL;
}

static bool add_filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void on_signal(int signal)
{
	(void)signal;
	seen->handled++;
}

static void *wait_again(void *arg)
{
	size_t at = (uintptr_t)arg;

	self = at;
	if (at >= WAITS_MAX && !add_filter())
		_exit(1);
	seen->tid[at] = (pid_t)syscall(SYS_gettid);
	for (;;) {
		long r = wait_at(at)->wait();
		seen->error[at] = errno;
		seen->result[at] = r;
		seen->returned[at]++;
	}
	return NULL;
}

static void all_wait(struct subject_shared *shared)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t thread;
	sigset_t set;
	(void)shared;

	sigaction(SIGUSR2, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (uintptr_t i = 0; i < 2 * WAITS_MAX; i++)
		if (wait_at(i) && pthread_create(&thread, NULL, wait_again, (void *)i))
			_exit(1);
	subject_ready();
	for (;;)
		pause();
}

static bool is_call(long number, long wanted)
{
	return number == wanted ||
	       /* glibc makes the one of the other. */
	       (wanted == SYS_semop && number == SYS_semtimedop) ||
	       /* The kernel goes on with what is left of the limit. */
	       number == SYS_restart_syscall;
}

/* Is it asleep in its call? "232 0x... ..." */
static bool is_waiting(pid_t pid, size_t at)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, seen->tid[at]);
	AUTO(xfree) char *call = slurp(path, 256, NULL);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, seen->tid[at]);
	AUTO(xfree) char *stat = slurp(path, 1024, NULL);
	const char *state = stat ? strrchr(stat, ')') : NULL;
	long number = call ? strtol(call, NULL, 10) : -1;

	return is_call(number, wait_at(at)->number) && state && state[2] == 'S';
}

static void until_all_wait(pid_t pid)
{
	for (size_t i = 0; i < 2 * WAITS_MAX; i++)
		while (wait_at(i) && !seen->absent[i] &&
		       (!seen->tid[i] || !is_waiting(pid, i)))
			sched_yield();
}

static int set_up(void **state)
{
	(void)state;
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return -1;
	wait_semaphore = semget(IPC_PRIVATE, 1, 0600);
	return wait_semaphore < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	semctl(wait_semaphore, 0, IPC_RMID);
	return munmap(seen, sizeof(*seen));
}

static pid_t start_all(struct subject_shared **shared)
{
	pid_t pid = subject_start(all_wait, shared);

	until_all_wait(pid);
	return pid;
}

static struct target *stop(pid_t pid)
{
	struct err err;
	struct target *t = target_live_open(pid, &err);

	if (!t || !target_live_stop(t, &err))
		fail_msg("%s", err.text);
	return t;
}

static void check(size_t at, long times)
{
	const struct wait *w = wait_at(at);
	enum wait_sees sees = at >= WAITS_MAX ? INTERRUPTED : w->sees;
	const char *filter = at >= WAITS_MAX ? " in a thread with a filter" : "";

	if (sees == NOTHING || sees == AGAIN)
		times = 0;
	if (seen->returned[at] != times)
		fail_msg("%s%s returned %ld times, not %ld", w->name, filter,
			 seen->returned[at], times);
	if (sees == INTERRUPTED && (seen->result[at] != -1 || seen->error[at] != EINTR))
		fail_msg("%s%s returned %ld, errno %d", w->name, filter, seen->result[at],
			 seen->error[at]);
	if (sees == PART && (seen->result[at] <= 0 || seen->result[at] >= MUCH))
		fail_msg("%s returned %ld", w->name, seen->result[at]);
}

static void test_stopped(void **state)
{
	struct subject_shared *shared;
	pid_t pid = start_all(&shared);
	(void)state;

	for (long times = 1; times <= STOPS; times++) {
		target_close(stop(pid));
		until_all_wait(pid);
		for (size_t i = 0; i < 2 * WAITS_MAX; i++)
			if (wait_at(i) && !seen->absent[i])
				check(i, times);
	}
	subject_end(pid, shared);
}

static bool has_io_uring(void)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 1, &params);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_all_tried(void **state)
{
	struct subject_shared *shared;
	pid_t pid = start_all(&shared);
	(void)state;

	for (size_t i = 0; i < WAITS_MAX; i++)
		if (seen->absent[i] &&
		    (waits[i].number != SYS_io_uring_enter || has_io_uring()))
			fail_msg("%s: %s", waits[i].name, strerror(seen->absent[i]));
	subject_end(pid, shared);
}

/* A handler that is to run then has the wait end as it always does. */
static void test_handler(void **state)
{
	struct subject_shared *shared;
	pid_t pid = start_all(&shared);
	size_t epoll = 0;
	(void)state;

	while (strcmp(waits[epoll].name, "epoll_wait") != 0)
		epoll++;

	struct target *t = stop(pid);
	assert_int_equal(syscall(SYS_tgkill, pid, seen->tid[epoll], SIGUSR2), 0);
	target_close(t);
	while (!seen->handled)
		sched_yield();
	until_all_wait(pid);
	assert_int_equal(seen->returned[epoll], 1);
	assert_int_equal(seen->error[epoll], EINTR);
	subject_end(pid, shared);
}

int main(int argc, char **argv)
{
	/* cmocka calls it "not ok" when a test calls skip(). */
	AUTO(xfree)
	char *all_tried = has_io_uring() ? xstrdup("test_all_tried")
					 : xasprintf("io_uring_enter # SKIP "
						     "io_uring_setup: %s",
						     strerror(errno));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stopped, set_up, tear_down),
		{ all_tried, test_all_tried, set_up, tear_down, NULL },
		cmocka_unit_test_setup_teardown(test_handler, set_up, tear_down),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
