/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/target_live.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ptrace/live_priv.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

enum { THREADS = 8, TRIES = 20 };

static bool is_late(struct target *t)
{
	size_t n, late = 0;
	const struct target_thread *threads = target_threads(t, &n);

	for (size_t i = 0; i < n; i++)
		late += threads[i].why &&
			strcmp(threads[i].why, "did not stop in time") == 0;
	return late != 0;
}

/* Again, if a thread had no processor for as long as gosnap waits for it. */
static struct target *open_stopped(pid_t pid)
{
	struct err err = { 0 };
	struct target *t = NULL;

	for (int i = 0; i < TRIES && (!t || is_late(t)); i++) {
		if (t)
			target_live_release(t);
		target_close(t);
		t = target_live_open(pid, &err);
		if (!t)
			fail_msg("open: %s", err.text);
		if (!target_live_stop(t, &err))
			fail_msg("stop: %s", err.text);
	}
	return t;
}

static char state_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	AUTO(xfree) char *stat = slurp(path, 1024, NULL);
	const char *p = stat ? strrchr(stat, ')') : NULL;
	return p ? p[2] : 0;
}

static void *count(void *arg)
{
	struct subject_shared *shared = arg;

	for (;;)
		shared->counter++;
	return NULL;
}

static void *block(void *arg)
{
	int *pipe_end = arg;
	char byte;

	return read(*pipe_end, &byte, 1) ? arg : NULL;
}

static void start(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg))
		_exit(1);
}

/* Blocked threads are in their read() when nobody but us runs. */
static void wait_until_blocked(void)
{
	int blocked;

	do {
		const struct dirent *entry;
		DIR *tasks = opendir("/proc/self/task");
		blocked = 0;
		while ((entry = readdir(tasks)))
			blocked += state_of(atoi(entry->d_name)) == 'S';
		closedir(tasks);
	} while (blocked < THREADS);
}

static void many_threads(struct subject_shared *shared)
{
	int ends[2];

	if (pipe(ends))
		_exit(1);
	for (int i = 0; i < THREADS; i++)
		start(block, &ends[0]);
	wait_until_blocked();
	subject_ready();
	count(shared);
}

static void test_stop_and_release(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(many_threads, &shared);
	size_t n, in_read = 0;
	(void)state;
	AUTO(target_close) struct target *t = open_stopped(pid);
	uint64_t before = shared->counter;
	const struct target_thread *threads = target_threads(t, &n);
	assert_int_equal(n, THREADS + 1);
	for (size_t i = 0; i < n; i++) {
		assert_true(threads[i].stopped);
		assert_true(reg_known(&threads[i].regs, arch_amd64.pc));
		assert_int_equal(threads[i].vectors.count, 16);
		assert_int_equal(threads[i].tid, threads[i].tid_inside);
		assert_string_equal(threads[i].name, "subject");
		in_read += threads[i].in_syscall &&
			   threads[i].syscall_number == SYS_read &&
			   threads[i].syscall_args[2] == 1;
	}
	assert_int_equal(in_read, THREADS);
	assert_int_equal(threads[0].tid, pid);
	assert_int_equal(threads[0].state, 'R');
	assert_int_equal(shared->counter, before);
	target_live_release(t);
	subject_runs(&shared->counter, 1000);
	struct live_pause pause = target_live_pause(t);
	assert_true(pause.stopping_ns > 0 && pause.stopping_ns <= pause.pause_ns);
	assert_true(realtime_ns() - pause.realtime_ns >=
		    pause.pause_ns - pause.stopping_ns);
	assert_false(target_live_gone(t));
	subject_end(pid, shared);
	assert_true(target_live_gone(t));
}

static void test_group_stop(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(many_threads, &shared);
	int status;
	(void)state;
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	for (int i = 0; i < 3; i++) {
		AUTO(target_close) struct target *t = open_stopped(pid);
		size_t n;
		const struct target_thread *threads = target_threads(t, &n);
		assert_int_equal(n, THREADS + 1);
		for (size_t k = 0; k < n; k++) {
			assert_int_equal(threads[k].state, 'T');
			assert_true(threads[k].stopped);
			assert_false(threads[k].has_siginfo);
		}
		target_live_release(t);
		/* Stopped is where they go back to; it takes a moment. */
		for (size_t k = 0; k < n; k++)
			while (state_of(threads[k].tid) != 'T')
				sched_yield();
	}
	uint64_t before = shared->counter;
	for (int i = 0; i < 1000; i++)
		sched_yield();
	assert_int_equal(shared->counter, before);
	kill(pid, SIGCONT);
	subject_runs(&shared->counter, 1000);
	subject_end(pid, shared);
}

static struct subject_shared *handler_shared;

static void on_signal(int sig)
{
	(void)sig;
	handler_shared->counter++;
}

static void *signal_self(void *arg)
{
	struct subject_shared *shared = arg;

	while (!shared->go)
		if (sigqueue(getpid(), SIGRTMIN, (union sigval){ 0 }) == 0)
			shared->other++;
	return NULL;
}

/* Real-time signals are queued: each that is sent must arrive. */
static void signals(struct subject_shared *shared)
{
	handler_shared = shared;
	signal(SIGRTMIN, on_signal);
	for (int i = 0; i < THREADS; i++)
		start(signal_self, shared);
	subject_ready();
	signal_self(shared);
	for (;;)
		pause();
}

static void test_signals_in_flight(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(signals, &shared);
	size_t in_delivery = 0;
	(void)state;
	for (int i = 0; i < 300; i++) {
		AUTO(target_close) struct target *t = open_stopped(pid);
		size_t n;
		const struct target_thread *threads = target_threads(t, &n);
		for (size_t k = 0; k < n; k++) {
			if (!threads[k].has_siginfo)
				continue;
			assert_int_equal(threads[k].siginfo.si_signo, SIGRTMIN);
			assert_int_equal(threads[k].siginfo.si_pid, pid);
			in_delivery++;
		}
	}
	subject_runs(&shared->other, 1000);
	shared->go = 1;
	/* A lost one would be waited for until the harness ends this. */
	while (shared->counter != shared->other)
		sched_yield();
	print_message("%zu threads were on their way to a signal\n", in_delivery);
	assert_true(in_delivery > 0);
	subject_end(pid, shared);
}

static void *nothing(void *arg)
{
	struct subject_shared *shared = arg;

	shared->counter++;
	return NULL;
}

static void *churn(void *arg)
{
	for (;;) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, nothing, arg) == 0)
			pthread_join(thread, NULL);
	}
	return NULL;
}

static void churning(struct subject_shared *shared)
{
	for (int i = 0; i < 4; i++)
		start(churn, shared);
	subject_ready();
	churn(shared);
}

static void test_churn(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(churning, &shared);
	uint64_t longest = 0;
	(void)state;
	for (int i = 0; i < 300; i++) {
		AUTO(target_close) struct target *t = open_stopped(pid);
		uint64_t before = shared->counter;
		size_t n, stopped = 0;
		const struct target_thread *threads = target_threads(t, &n);
		for (size_t k = 0; k < n; k++)
			stopped += threads[k].stopped;
		assert_true(n >= 5);
		assert_int_equal(stopped, n);
		assert_int_equal(shared->counter, before);
		target_live_release(t);
		uint64_t ns = target_live_pause(t).pause_ns;
		longest = ns > longest ? ns : longest;
		subject_runs(&shared->counter, 10);
	}
	print_message("longest pause %u us\n", (unsigned)(longest / 1000));
	subject_end(pid, shared);
	/* No thread of it stays behind as our tracee. */
	assert_true(waitpid(-1, NULL, __WALL | WNOHANG) <= 0);
}

/* Each thread starts the next one and ends: the list never holds the one that runs. */
static void *chain(void *arg)
{
	struct subject_shared *shared = arg;
	pthread_attr_t detached;
	pthread_t thread;

	shared->counter++;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	while (pthread_create(&thread, &detached, chain, arg))
		;
	return NULL;
}

static void chained(struct subject_shared *shared)
{
	chain(shared);
	subject_ready();
	for (;;)
		pause();
}

static void test_chain(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(chained, &shared);
	(void)state;
	for (int i = 0; i < 100; i++) {
		struct err err;
		AUTO(target_close) struct target *t = target_live_open(pid, &err);
		assert_non_null(t);
		if (i % 2)
			target_live_release(t); /* of nothing, as the tracer does */
		if (!target_live_stop(t, &err))
			fail_msg("%s", err.text);
		uint64_t before = shared->counter;
		for (int k = 0; k < 100; k++)
			sched_yield();
		assert_int_equal(shared->counter, before);
		target_live_release(t);
		subject_runs(&shared->counter, 10);
	}
	subject_end(pid, shared);
}

static void ends_on_go(struct subject_shared *shared)
{
	for (int i = 0; i < 3; i++)
		start(nothing, shared);
	subject_ready();
	while (!shared->go)
		;
}

static void test_ends_meanwhile(void **state)
{
	size_t gone = 0, held = 0;
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct subject_shared *shared;
		struct err err;
		pid_t pid = subject_start(ends_on_go, &shared);
		AUTO(target_close) struct target *t = target_live_open(pid, &err);
		assert_non_null(t);
		shared->go = 1;
		for (volatile int spin = 0; spin < i * 1000; spin++)
			;
		if (target_live_stop(t, &err)) {
			held++;
		} else {
			assert_int_equal(err.code, ERR_GONE);
			gone++;
		}
		target_live_release(t);
		/* We are its parent too: what the tracer has taken note of is gone. */
		waitpid(pid, NULL, 0);
		assert_true(target_live_gone(t));
		munmap(shared, sizeof(*shared));
	}
	print_message("%zu had ended, %zu were held\n", gone, held);
	assert_true(waitpid(-1, NULL, __WALL | WNOHANG) <= 0);
}

static void test_killed_while_held(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(many_threads, &shared);
	struct err err;
	uint64_t word;
	(void)state;
	AUTO(target_close) struct target *t = open_stopped(pid);
	kill(pid, SIGKILL);
	target_live_release(t);
	waitpid(pid, NULL, 0);
	assert_true(target_live_gone(t));
	assert_false(target_read_uint(t, (uintptr_t)&word, 8, &word, &err));
	assert_int_equal(err.code, ERR_GONE);
	munmap(shared, sizeof(*shared));
}

static void *ready_and_count(void *arg)
{
	/* The leader is a zombie when only one thread is left that is none. */
	while (state_of(getpid()) != 'Z')
		sched_yield();
	subject_ready();
	return count(arg);
}

static void leader_ends(struct subject_shared *shared)
{
	shared->value = 0x1234;
	start(ready_and_count, shared);
	pthread_exit(NULL);
}

static void test_zombie_leader(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(leader_ends, &shared);
	struct err err;
	uint64_t word = 0;
	size_t n;
	(void)state;
	AUTO(target_close) struct target *t = open_stopped(pid);
	const struct target_thread *threads = target_threads(t, &n);
	assert_int_equal(n, 2);
	assert_false(threads[0].stopped);
	assert_int_equal(threads[0].state, 'Z');
	assert_non_null(threads[0].why);
	assert_true(threads[1].stopped);
	assert_true(target_read_uint(t, (uintptr_t)&shared->value, 8, &word, &err));
	assert_int_equal(word, 0x1234);
	target_mappings(t, &n);
	assert_true(n > 0);
	target_live_release(t);
	subject_runs(&shared->counter, 1000);
	subject_end(pid, shared);
}

static void forks_by_vfork(struct subject_shared *shared)
{
	shared->go = 0;
	subject_ready();
	pid_t child = vfork();
	if (child == 0) {
		while (!shared->go)
			;
		_exit(0);
	}
	count(shared);
}

static void test_uninterruptible(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(forks_by_vfork, &shared);
	size_t n;
	(void)state;
	while (state_of(pid) != 'D')
		sched_yield();
	AUTO(target_close) struct target *t = open_stopped(pid);
	const struct target_thread *threads = target_threads(t, &n);
	assert_int_equal(n, 1);
	assert_false(threads[0].stopped);
	assert_non_null(strstr(threads[0].why, "state D"));
	assert_true(threads[0].in_syscall);
	assert_int_equal(threads[0].syscall_number, SYS_vfork);
	assert_true(threads[0].blocked && reg_known(&threads[0].regs, arch_amd64.sp));
	target_live_release(t);
	shared->go = 1;
	/* It now meets our interrupt, and stands until it is released anew. */
	while (state_of(pid) != 't')
		sched_yield();
	target_live_release(t);
	subject_runs(&shared->counter, 1000);
	subject_end(pid, shared);
}

static void execs(struct subject_shared *shared)
{
	(void)shared;
	start(count, shared);
	subject_ready();
	execl("/proc/self/exe", "live", "--exec", NULL);
}

/* What --exec does: the same again, for ever. */
static int exec_again(void)
{
	static struct subject_shared mine;
	pthread_t thread;

	pthread_create(&thread, NULL, count, &mine);
	execl("/proc/self/exe", "live", "--exec", NULL);
	return 1;
}

static void test_exec_meanwhile(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(execs, &shared);
	size_t gone = 0;
	(void)state;
	for (int i = 0; i < 300; i++) {
		struct err err;
		AUTO(target_close) struct target *t = target_live_open(pid, &err);
		if (!t)
			fail_msg("%s", err.text);
		if (target_live_stop(t, &err))
			continue;
		assert_int_equal(err.code, ERR_GONE);
		assert_non_null(strstr(err.text, "execve"));
		gone++;
	}
	print_message("%zu of 300 met an execve\n", gone);
	assert_int_equal(kill(pid, 0), 0);
	subject_end(pid, shared);
}

/* A process cannot trace itself, and nobody else traces this one. */
static void test_nobody_keeps_it(void **state)
{
	struct err err = { .code = ERR_NONE };
	(void)state;

	assert_false(live_seize_next(getpid(), 0, &err));
	assert_int_equal(err.code, ERR_NONE);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop_and_release),
		cmocka_unit_test(test_group_stop),
		cmocka_unit_test(test_signals_in_flight),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_ends_meanwhile),
		cmocka_unit_test(test_killed_while_held),
		cmocka_unit_test(test_zombie_leader),
		cmocka_unit_test(test_uninterruptible),
		cmocka_unit_test(test_exec_meanwhile),
		cmocka_unit_test(test_nobody_keeps_it),
	};

	if (argc > 1 && !strcmp(argv[1], "--exec"))
		return exec_again();
	return unit_run(argc, argv, tests, NULL, NULL);
}
