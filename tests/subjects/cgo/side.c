/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "_cgo_export.h"
#include "side.h"

static __thread struct trail *mine;
static struct trail *threads[2];
static int blocked;

struct trail *trail_mine(void)
{
	if (!mine) {
		mine = calloc(1, sizeof(*mine));
		mine->tid = syscall(SYS_gettid);
	}
	return mine;
}

struct trail *trail_of_thread(int n)
{
	return __atomic_load_n(&threads[n], __ATOMIC_ACQUIRE);
}

/* Every function that stays on a stack says so itself. LEAVE after the last call
 * keeps the compiler from turning it into a jump. */
#define ENTER (trail_mine()->names[mine->count++] = __func__)
#define LEAVE (mine->count--)
#define NOINLINE __attribute__((noinline))

/* Returns when n threads are about to block in C, and have had the time to. The
 * harness waits for the process to stand still in any case. */
void await_blocked(int n)
{
	while (__atomic_load_n(&blocked, __ATOMIC_ACQUIRE) < n)
		sched_yield();
}

static NOINLINE void c_block(void)
{
	char byte;
	int fds[2];

	ENTER;
	if (pipe(fds))
		abort();
	__atomic_add_fetch(&blocked, 1, __ATOMIC_ACQ_REL);
	while (read(fds[0], &byte, 1) != 1)
		;
	LEAVE;
}

static NOINLINE long c_deeper(long a, long b)
{
	volatile char room[300];

	ENTER;
	room[a & 255] = b;
	c_block();
	LEAVE;
	return a + b + room[0];
}

void c_wait(void)
{
	ENTER;
	if (c_deeper(1, 2) == 77)
		abort();
	LEAVE;
}

static volatile long turns;

static NOINLINE void c_loop(void)
{
	ENTER;
	__atomic_add_fetch(&blocked, 1, __ATOMIC_ACQ_REL);
	/* In user space most of the time, but no burden on the machine. */
	for (;;)
		if (++turns % 100000 == 0)
			usleep(1000);
	LEAVE;
}

void c_run(void)
{
	ENTER;
	/* Runs for ever only where the harness asks for it: a comparison wants rest. */
	if (getenv("RUN_IN_C"))
		c_loop();
	else
		c_block();
	LEAVE;
}

static void on_signal(int number)
{
	(void)number;
	ENTER;
	__atomic_add_fetch(&blocked, 1, __ATOMIC_ACQ_REL);
	for (;;)
		pause();
}

void c_signalled(void)
{
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	ENTER;
	pthread_mutex_lock(&once);
	sigaction(SIGUSR2, &action, NULL);
	pthread_mutex_unlock(&once);
	raise(SIGUSR2);
	LEAVE;
}

static NOINLINE void c_call_inner(int what)
{
	ENTER;
	goCalled(what);
	LEAVE;
}

void c_call(int what)
{
	volatile char room[500];

	ENTER;
	room[what] = 1;
	c_call_inner(what);
	room[what + 1] = room[what];
	LEAVE;
}

static int c_compare(const void *a, const void *b)
{
	int order;

	ENTER;
	order = goCompare((void *)a, (void *)b);
	LEAVE;
	return order;
}

void c_sort(void)
{
	int numbers[4] = { 3, 1, 2, 0 };

	ENTER;
	qsort(numbers, 4, sizeof(numbers[0]), c_compare);
	LEAVE;
}

static void *into_go(void *what)
{
	ENTER;
	c_call((long)what);
	LEAVE;
	return NULL;
}

static void *never_in_go(void *signalled)
{
	ENTER;
	__atomic_store_n(&threads[signalled ? 1 : 0], mine, __ATOMIC_RELEASE);
	if (signalled)
		c_signalled();
	else
		c_wait();
	LEAVE;
	return NULL;
}

void start_thread_into_go(int what)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, into_go, (void *)(long)what))
		abort();
}

void start_thread(int signalled)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, never_in_go, (void *)(long)signalled))
		abort();
}
