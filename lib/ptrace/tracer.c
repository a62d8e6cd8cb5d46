/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/ptrace/tracer_priv.h"

enum {
	MORE_THREADS = 1024, /* at least this many more than at the start */
	TEXT_A_THREAD = 1024,
	MORE_SECONDS = 10,
};

struct tracer {
	struct target *live;
	struct tracer_options options;
	struct tracer_shared *shared;
	size_t shared_size;
	pid_t pid; /* 0: has exited */
	int fd;
	bool joined;	/* it is not our child, and outlives us */
	bool finishing; /* it was told to exit */
	bool failed;	/* it exited prematurely */
};

struct tracer_shared *tracer_share(const struct live *l, size_t *ret_size,
				   struct err *err)
{
	size_t threads = 2 * live_task_count(l) + MORE_THREADS;
	size_t text = threads * TEXT_A_THREAD;

	if (threads > LIMIT_THREADS)
		threads = LIMIT_THREADS;
	struct tracer_shared *s;
	*ret_size = sizeof(*s) + threads * sizeof(s->threads[0]) + text;
	s = mmap(NULL, *ret_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s == MAP_FAILED) {
		err_sys(err, "cannot allocate memory shared with the tracer");
		return NULL;
	}
	s->thread_room = threads;
	s->text = (char *)&s->threads[threads];
	s->text_room = text;
	return s;
}

static void add_reader(struct tracer *t)
{
	size_t i = atomic_fetch_add(&t->shared->reader_count, 1);

	if (i < TRACER_READERS)
		atomic_store(&t->shared->readers[i], getpid());
}

/* In a session of its own, so that signals from the terminal do not reach it. */
static void live_as_child(struct tracer *t, int fd)
{
	prctl(PR_SET_NAME, "gosnap-tracer");
	setsid();
	tracer_child(t->live, &t->options, t->shared, fd);
}

/* The watchdog acts sooner, except if someone stopped the tracer while it was idle. */
static void limit_patience(struct tracer *t)
{
	uint64_t ns = t->options.max_hold_ns ? t->options.max_hold_ns : LIMIT_HOLD_NS;
	struct timeval limit = { .tv_sec = (time_t)(ns / 1000000000) + MORE_SECONDS };

	setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static bool start(struct tracer *t, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, "cannot create a socket to the tracer");
	add_reader(t);
	t->pid = fork();
	if (t->pid == 0) {
		close(pair[0]);
		live_as_child(t, pair[1]);
	}
	int saved = errno;
	close(pair[1]);
	t->fd = pair[0];
	limit_patience(t);
	if (t->pid > 0)
		return true;
	t->pid = 0;
	errno = saved;
	return err_sys(err, "cannot start the tracer");
}

struct tracer *tracer_start(struct target *live, const struct tracer_options *options,
			    struct err *err)
{
	AUTO(tracer_end) struct tracer *t = xcalloc(1, sizeof(*t));

	t->live = live;
	t->options = *options;
	t->fd = -1;
	t->shared = tracer_share(target_self(live, &live_ops), &t->shared_size, err);
	return t->shared && start(t, err) ? TAKE(t) : NULL;
}

struct tracer *tracer_join(struct target *live, const struct tracer_service *service)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->live = live;
	t->shared = service->shared;
	t->shared_size = service->shared_size;
	t->fd = service->fd;
	t->joined = true;
	limit_patience(t);
	return t;
}

static bool is_there(const struct tracer *t)
{
	return t->joined || t->pid;
}

static void end_process(struct tracer *t, int *ret_status)
{
	t->joined = false;
	if (t->pid <= 0) /* 0 would mean our whole process group */
		return;
	kill(t->pid, SIGKILL);
	while (waitpid(t->pid, ret_status, 0) < 0 && errno == EINTR)
		;
	t->failed = *ret_status != 0;
	t->pid = 0;
}

/* The reason for its exit: its own report, or what killed it. */
static bool ended(struct tracer *t, struct err *err)
{
	int status = 0;

	end_process(t, &status); /* if there was only a timeout, its or ours */
	/* From here on the subject is running when it is read. */
	struct live_pause *pause = &t->shared->pause;
	uint64_t now = monotonic_ns();
	if (atomic_load(&t->shared->watchdog_at) && pause->monotonic_ns)
		pause->pause_ns = now - (pause->monotonic_ns - pause->stopping_ns);
	uint64_t since = atomic_load(&t->shared->stopping_since);
	if (since && !pause->pause_ns) /* killed before all threads had stopped */
		pause->pause_ns = pause->stopping_ns = now - since;
	if (now < atomic_load(&t->shared->hold_over))
		atomic_store(&t->shared->hold_over, 0);
	if (!err_is(&t->shared->err, ERR_NONE)) {
		*err = t->shared->err;
		return false;
	}
	uint64_t due = atomic_load(&t->shared->watchdog_at);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && due &&
	    monotonic_ns() >= due)
		return err_set(err, ERR_LIMIT,
			       "process %d was stopped for longer than allowed and was "
			       "resumed at once",
			       (int)target_pid(t->live));
	return err_set(err, ERR_LIMIT, "the tracer died (%s %d)",
		       WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static bool answered(struct tracer *t, char *ret, struct err *err)
{
	ssize_t n;

	do {
		n = recv(t->fd, ret, 1, 0);
	} while (n < 0 && errno == EINTR);
	return n == 1 || ended(t, err);
}

static bool ask(struct tracer *t, enum tracer_command command, char *ret, struct err *err)
{
	char byte = (char)command;

	if (!is_there(t))
		return err_set(err, ERR_LIMIT, "the tracer was killed");
	send(t->fd, &byte, 1, MSG_NOSIGNAL);
	return answered(t, ret, err);
}

static void take_threads(struct tracer *t)
{
	const struct tracer_shared *s = t->shared;
	struct target_thread *threads = xcalloc(s->thread_count, sizeof(*threads));

	for (size_t i = 0; i < s->thread_count; i++) {
		threads[i] = s->threads[i];
		if (threads[i].kernel_stack)
			threads[i].kernel_stack = xstrdup(threads[i].kernel_stack);
	}
	target_set_threads(t->live, threads, s->thread_count);
}

bool tracer_hold(struct tracer *t, struct err *err)
{
	char ignored;

	if (!ask(t, TRACER_HOLD, &ignored, err))
		return false;
	target_live_only_until(t->live, &t->shared->hold_over);
	take_threads(t);
	return target_live_refresh(t->live, err);
}

bool tracer_release(struct tracer *t)
{
	struct err ignored;
	char answer;
	bool whole = ask(t, TRACER_RELEASE, &answer, &ignored) && answer == TRACER_DONE;

	target_live_only_until(t->live, NULL);
	return whole;
}

bool tracer_copy(struct tracer *t, pid_t *ret, struct err *err)
{
	struct err gone;
	char ignored;

	if (!ask(t, TRACER_COPY, &ignored, err))
		return false;
	take_threads(t);
	/* The process may have exited since, but its copy remains. */
	(void)!target_live_refresh(t->live, &gone);
	*ret = t->shared->copy;
	return true;
}

const char *tracer_copy_ended(struct tracer *t)
{
	int status;

	if (atomic_load(&t->shared->copy_over))
		return t->shared->copy_ended;
	if (t->pid && waitpid(t->pid, &status, WNOHANG) == t->pid) {
		t->failed = status != 0;
		t->pid = 0;
	}
	return t->pid ? NULL : "the tracer was killed";
}

void tracer_finish(struct tracer *t)
{
	char byte = TRACER_END;

	if (t->pid && !t->finishing)
		t->finishing = send(t->fd, &byte, 1, MSG_NOSIGNAL) == 1;
}

bool tracer_reap(struct tracer *t, struct err *err)
{
	char ignored;

	return ask(t, TRACER_REAP, &ignored, err);
}

void tracer_forked(struct tracer *t)
{
	if (is_there(t))
		close(t->fd);
	add_reader(t);
}

struct live_pause tracer_pause(const struct tracer *t)
{
	return t->shared->pause;
}

bool tracer_settle(struct tracer *t)
{
	struct err ignored;
	char answer;
	int status = 0;

	tracer_finish(t);
	if (t->finishing)
		answered(t, &answer, &ignored); /* it exits */
	end_process(t, &status);
	return !t->failed;
}

void tracer_end(struct tracer *t)
{
	if (!t)
		return;
	(void)!tracer_settle(t);
	target_live_only_until(t->live, NULL);
	if (t->fd >= 0)
		close(t->fd);
	if (t->shared)
		munmap(t->shared, t->shared_size);
	xfree(t);
}
