/* SPDX-License-Identifier: Apache-2.0 */
/* What C code sees of being stopped while it waits: doc/capture.md says so. */
#include "target_live.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
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
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "subject.h"

enum { WAITS = 20, MUCH = 1 << 20, STOPS = 3 };

static const struct timespec hour = { .tv_sec = 3600 };
static char much[MUCH];

static struct {
	_Atomic pid_t tid[WAITS];
	_Atomic long returned[WAITS], result[WAITS];
	_Atomic int error[WAITS];
	_Atomic int handled;
	int semaphore; /* outlives the process */
} * seen;

static long wait_semop(void)
{
	struct sembuf down = { .sem_op = -1 };

	return semop(seen->semaphore, &down, 1);
}

static long wait_semtimedop(void)
{
	struct sembuf down = { .sem_op = -1 };

	return semtimedop(seen->semaphore, &down, 1, &hour);
}

static long wait_signal(const struct timespec *limit)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, limit);
}

static long wait_sigwaitinfo(void)
{
	return wait_signal(NULL);
}

static long wait_sigtimedwait(void)
{
	return wait_signal(&hour);
}

static long wait_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, -1);
}

static long wait_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(epoll_create1(0), &event, 1, -1, &none);
}

static long wait_epoll_timed(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, 3600 * 1000);
}

static long wait_io_getevents(void)
{
	unsigned long context = 0;
	char events[64];

	if (syscall(SYS_io_setup, 8, &context))
		return -1;
	return syscall(SYS_io_getevents, context, 1, 1, events, NULL);
}

static long wait_filtered(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return -1;
	return wait_epoll();
}

static int listener(void)
{
	struct sockaddr address = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	/* The kernel gives it a name. */
	if (bind(fd, &address, sizeof(address.sa_family)) || listen(fd, 1))
		_exit(1);
	return fd;
}

static long wait_accept(void)
{
	return accept(listener(), NULL, NULL);
}

static long wait_accept_timed(void)
{
	const struct timeval limit = { .tv_sec = 3600 };
	int fd = listener();

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return accept(fd, NULL, NULL);
}

static int peer(int *ret_other)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(1);
	*ret_other = pair[1];
	return pair[0];
}

static long wait_recv(void)
{
	int other;
	char byte;

	return recv(peer(&other), &byte, 1, 0);
}

static long wait_recv_rest(void)
{
	int other, fd = peer(&other);
	char bytes[100];

	send(other, bytes, 10, 0);
	return recv(fd, bytes, sizeof(bytes), MSG_WAITALL);
}

static long wait_send(void)
{
	int other;

	return send(peer(&other), much, MUCH, 0);
}

static long wait_write(void)
{
	int ends[2];

	return pipe(ends) ? -1 : write(ends[1], much, MUCH);
}

/* What each returns when it is stopped; 0: nothing, it waits on; -1: part of what it was to do. */
static const struct wait {
	const char *name;
	long (*wait)(void);
	long number;
	int seen;
} waits[] = {
	{ "semop", wait_semop, SYS_semop, 0 },
	{ "sigwaitinfo", wait_sigwaitinfo, SYS_rt_sigtimedwait, 0 },
	{ "epoll_wait", wait_epoll, SYS_epoll_wait, 0 },
	{ "epoll_pwait", wait_epoll_pwait, SYS_epoll_pwait, 0 },
	{ "io_getevents", wait_io_getevents, SYS_io_getevents, 0 },
	{ "accept", wait_accept, SYS_accept, 0 },
	{ "recv", wait_recv, SYS_recvfrom, 0 },
	{ "epoll_wait of a thread with a filter", wait_filtered, SYS_epoll_wait, EINTR },
	{ "semtimedop", wait_semtimedop, SYS_semtimedop, EINTR },
	{ "sigtimedwait", wait_sigtimedwait, SYS_rt_sigtimedwait, EINTR },
	{ "epoll_wait with a limit", wait_epoll_timed, SYS_epoll_wait, EINTR },
	{ "accept with a limit", wait_accept_timed, SYS_accept, EINTR },
	{ "recv of the rest", wait_recv_rest, SYS_recvfrom, -1 },
	{ "send", wait_send, SYS_sendto, -1 },
	{ "write", wait_write, SYS_write, -1 },
};

static void on_signal(int signal)
{
	(void)signal;
	seen->handled++;
}

static void *wait_again(void *arg)
{
	const struct wait *w = arg;
	size_t i = (size_t)(w - waits);

	seen->tid[i] = (pid_t)syscall(SYS_gettid);
	for (;;) {
		long r = w->wait();
		seen->error[i] = errno;
		seen->result[i] = r;
		seen->returned[i]++;
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
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		if (pthread_create(&thread, NULL, wait_again,
				   (void *)(uintptr_t)&waits[i]))
			_exit(1);
	subject_ready();
	for (;;)
		pause();
}

/* Is it asleep in its call? "232 0x... ..." */
static bool is_waiting(pid_t pid, size_t i)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, seen->tid[i]);
	AUTO(xfree) char *call = slurp(path, 256, NULL);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, seen->tid[i]);
	AUTO(xfree) char *stat = slurp(path, 1024, NULL);
	const char *state = stat ? strrchr(stat, ')') : NULL;
	long number = call ? strtol(call, NULL, 10) : -1;
	bool same = number == waits[i].number ||
		    /* glibc makes the one of the other. */
		    (waits[i].number == SYS_semop && number == SYS_semtimedop);

	return same && state && state[2] == 'S';
}

static void until_all_wait(pid_t pid)
{
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		while (!seen->tid[i] || !is_waiting(pid, i))
			sched_yield();
}

static int set_up(void **state)
{
	(void)state;
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return -1;
	seen->semaphore = semget(IPC_PRIVATE, 1, 0600);
	return seen->semaphore < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	semctl(seen->semaphore, 0, IPC_RMID);
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

static void check(size_t i, long times)
{
	const struct wait *w = &waits[i];
	long wanted = w->seen ? times : 0;

	if (seen->returned[i] != wanted)
		fail_msg("%s returned %ld times, not %ld", w->name, seen->returned[i],
			 wanted);
	if (w->seen > 0 && (seen->result[i] != -1 || seen->error[i] != w->seen))
		fail_msg("%s returned %ld, errno %d", w->name, seen->result[i],
			 seen->error[i]);
	if (w->seen < 0 && (seen->result[i] <= 0 || seen->result[i] >= MUCH))
		fail_msg("%s returned %ld", w->name, seen->result[i]);
}

static void test_stopped(void **state)
{
	struct subject_shared *shared;
	pid_t pid = start_all(&shared);
	(void)state;

	for (long times = 1; times <= STOPS; times++) {
		target_close(stop(pid));
		until_all_wait(pid);
		for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
			check(i, times);
	}
	subject_end(pid, shared);
}

/* A handler that is to run then has the wait end as it always does. */
static void test_handler(void **state)
{
	struct subject_shared *shared;
	pid_t pid = start_all(&shared);
	const size_t epoll = 2;
	(void)state;

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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stopped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_handler, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("interrupted", tests, NULL, NULL);
}
