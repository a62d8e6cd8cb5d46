/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum {
	STACK_BYTES = 512 << 10, /* of a thread: buffers are elsewhere */
};

struct thread {
	pthread_t thread;
	bool reserved; /* it waits for more work when it has done this */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*work)(void *arg); /* NULL: none, or done */
	void *arg;
};

static struct {
	pid_t owner; /* of the threads; 0: none were reserved */
	unsigned count;
	struct thread list[THREADS_RESERVED_MAX];
} reserved;

static void *work_once(void *arg)
{
	struct thread *t = arg;

	t->work(t->arg);
	return NULL;
}

static void *work_on_call(void *arg)
{
	struct thread *t = arg;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (!t->work)
			pthread_cond_wait(&t->changed, &t->lock);
		pthread_mutex_unlock(&t->lock);
		t->work(t->arg);
		pthread_mutex_lock(&t->lock);
		t->work = NULL;
		pthread_cond_signal(&t->changed);
	}
	return NULL;
}

static bool create(struct thread *t, void *(*begin)(void *arg))
{
	pthread_attr_t attributes;
	sigset_t most, before;

	sigfillset(&most);
	sigdelset(&most, SIGSYS); /* of its own system calls */
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &most, &before);
	bool done = pthread_create(&t->thread, &attributes, begin, t) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return done;
}

void threads_reserve(unsigned count)
{
	reserved.owner = getpid();
	for (; reserved.count < count && reserved.count < THREADS_RESERVED_MAX;
	     reserved.count++) {
		struct thread *t = &reserved.list[reserved.count];
		t->reserved = true;
		pthread_mutex_init(&t->lock, NULL);
		pthread_cond_init(&t->changed, NULL);
		if (!create(t, work_on_call))
			break;
	}
}

static bool take(struct thread *t, void (*work)(void *arg), void *arg)
{
	pthread_mutex_lock(&t->lock);
	const bool idle = !t->work;
	if (idle) {
		t->arg = arg;
		t->work = work;
		pthread_cond_signal(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	return idle;
}

struct thread *thread_start(void (*work)(void *arg), void *arg)
{
	/* The threads of a process are not those of its forks. */
	const unsigned count = reserved.owner == getpid() ? reserved.count : 0;

	for (unsigned i = 0; i < count; i++)
		if (take(&reserved.list[i], work, arg))
			return &reserved.list[i];
	if (reserved.owner)
		return NULL;
	AUTO(xfree) struct thread *t = xcalloc(1, sizeof(*t));
	t->work = work;
	t->arg = arg;
	return create(t, work_once) ? TAKE(t) : NULL;
}

void thread_join(struct thread *t)
{
	if (!t->reserved) {
		pthread_join(t->thread, NULL);
		xfree(t);
		return;
	}
	pthread_mutex_lock(&t->lock);
	while (t->work)
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
}
