/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/tracer.h"

#include <errno.h>
#include <fcntl.h>
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
#include "lib/procfs/proc_file.h"
#include "lib/ptrace/tracer_priv.h"
#include "lib/sandbox/broker.h"

enum {
	MORE_THREADS = 1024, /* at least this many more than at the start */
	TEXT_A_THREAD = 1024,
	MORE_SECONDS = 10,
};

struct tracer {
	struct target *live;
	struct tracer_options options;
	struct tracer_shared *shared;
	struct tracer_room room;
	pid_t pid; /* 0: has exited */
	int fd;
	bool joined;	/* it is not our child, and outlives us */
	bool shares;	/* what is shared is not ours, either */
	int memory;	/* of shared, for another process; -1: none */
	bool of_parent; /* the parent of the sandbox started it */
	bool finishing; /* it was told to exit */
	bool failed;	/* it exited prematurely */
	bool starved;	/* and why */
};

static struct tracer_room room_for(const struct live *l)
{
	size_t threads = 2 * live_task_count(l) + MORE_THREADS;

	if (threads > LIMIT_THREADS)
		threads = LIMIT_THREADS;
	return (struct tracer_room){ threads, threads * TEXT_A_THREAD };
}

static void plan_room(struct tracer *t)
{
	t->room = room_for(target_self(t->live, &live_ops));
}

static struct tracer_shared *map(const struct tracer_room *room, int memory,
				 struct err *err)
{
	void *ret = mmap(NULL, tracer_shared_size(room), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE | (memory < 0 ? MAP_ANONYMOUS : 0),
			 memory, 0);

	if (ret != MAP_FAILED)
		return ret;
	err_sys(err, "cannot allocate memory shared with the tracer");
	return NULL;
}

struct tracer_shared *tracer_share(const struct live *live, struct tracer_room *ret_room,
				   struct err *err)
{
	*ret_room = room_for(live);
	return map(ret_room, -1, err);
}

static bool share(struct tracer *t, struct err *err)
{
	t->shared = map(&t->room, t->memory, err);
	return t->shared != NULL;
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
	tracer_child(t->live, &t->options, t->shared, &t->room, fd);
}

/* The watchdog acts sooner, except if someone stopped the tracer while it was idle. */
static void limit_patience(struct tracer *t)
{
	/* It prepares something, and then stops the process. */
	uint64_t ns =
		2 * (t->options.max_hold_ns ? t->options.max_hold_ns : LIMIT_HOLD_NS);
	struct timeval limit = { .tv_sec = (time_t)(ns / 1000000000) + MORE_SECONDS };

	setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static bool start(struct tracer *t, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, "cannot create a socket to the tracer");
	if (t->memory < 0)
		add_reader(t);
	t->pid = fork();
	if (t->pid == 0) {
		close(pair[0]);
		live_as_child(t, pair[1]);
	}
	int saved = errno;
	close(pair[1]);
	t->fd = pair[0];
	if (t->pid > 0)
		return true;
	t->pid = 0;
	errno = saved;
	return err_sys(err, "cannot start the tracer");
}

/* In the sandbox: what the parent has started for us. It knows the limits itself. */
static bool ask_for(struct tracer *t, const struct tracer_options *options,
		    struct err *err)
{
	const struct question memory = { .kind = ASK_TRACER_MEMORY };
	struct question q = { .kind = ASK_TRACER, .len = sizeof(options->estimate_ns) };
	struct answer a;

	memcpy(q.text, &options->estimate_ns, q.len);
	t->of_parent = true;
	if (!sandbox_ask(&q, options->keep, &a, &t->fd) || t->fd < 0)
		return err_set(err, ERR_LIMIT, "cannot start the tracer: %.*s",
			       (int)a.len, a.bytes);
	t->pid = a.result;
	if (!sandbox_ask(&memory, -1, &a, &t->memory) || t->memory < 0 ||
	    a.len != sizeof(t->room))
		return err_set(err, ERR_LIMIT, "cannot start the tracer");
	memcpy(&t->room, a.bytes, sizeof(t->room));
	if (!share(t, err))
		return false;
	add_reader(t);
	return true;
}

static struct tracer *tracer_new(struct target *live,
				 const struct tracer_options *options)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->live = live;
	t->options = *options;
	t->fd = t->memory = -1;
	return t;
}

struct tracer *tracer_start(struct target *live, const struct tracer_options *options,
			    struct err *err)
{
	AUTO(tracer_end) struct tracer *t = tracer_new(live, options);

	if (sandbox_is_closed()) {
		if (!ask_for(t, options, err))
			return NULL;
	} else {
		plan_room(t);
		if (!share(t, err) || !start(t, err))
			return NULL;
	}
	limit_patience(t);
	return TAKE(t);
}

struct tracer *tracer_start_for_another(struct target *live,
					const struct tracer_options *options,
					struct err *err)
{
	AUTO(tracer_end) struct tracer *t = tracer_new(live, options);

	plan_room(t);
	/* Sealed: who is in the sandbox could make it larger, or too small for the tracer. */
	t->memory = memfd_create("gosnap-tracer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (t->memory < 0 ||
	    ftruncate(t->memory, (off_t)tracer_shared_size(&t->room)) < 0 ||
	    fcntl(t->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) <
		    0) {
		err_sys(err, "cannot allocate memory shared with the tracer");
		return NULL;
	}
	return share(t, err) && start(t, err) ? TAKE(t) : NULL;
}

struct tracer *tracer_join(struct target *live, const struct tracer_service *service)
{
	const struct tracer_options none = { .max_hold_ns = 0 };
	struct tracer *t = tracer_new(live, &none);

	t->shared = service->shared;
	t->room = service->room;
	t->fd = fcntl(service->fd, F_DUPFD_CLOEXEC, 0);
	t->joined = t->shares = true;
	limit_patience(t);
	return t;
}

int tracer_service_descriptor(const struct tracer_service *service)
{
	return service->fd;
}

bool tracer_service_copies(const struct tracer_service *service)
{
	return service->copies;
}

bool tracer_service_has_copied(const struct tracer_service *service)
{
	return service->shared->copy != 0;
}

static bool is_there(const struct tracer *t)
{
	return t->joined || t->pid;
}

pid_t tracer_pid(const struct tracer *t)
{
	return t->pid;
}

int tracer_take_socket(struct tracer *t)
{
	int fd = t->fd;

	t->fd = -1;
	return fd;
}

int tracer_memory(const struct tracer *t, struct tracer_room *ret_room)
{
	*ret_room = t->room;
	return t->memory;
}

/* What the kernel's timer killed has waited for a processor, and got one to die on; or it hung. */
static bool has_starved(pid_t pid, const siginfo_t *info)
{
	AUTO(xfree) char *sched = proc_file(pid, "schedstat"); /* "ran waited turns" */
	char *waited = NULL;

	if (info->si_code != CLD_KILLED || info->si_status != SIGKILL || !sched)
		return false;
	(void)strtoull(sched, &waited, 10);
	return strtoull(waited, NULL, 10) >= LIMIT_STILL_NS / 2;
}

static bool reap(struct tracer *t, bool now, struct tracer_exit *ret)
{
	const int options = WEXITED | (now ? 0 : WNOHANG);
	siginfo_t info = { .si_pid = 0 };

	while (waitid(P_PID, (id_t)t->pid, &info, options | WNOWAIT) && errno == EINTR)
		continue;
	if (!now && info.si_pid != t->pid)
		return false;
	ret->starved = has_starved(t->pid, &info);
	while (waitpid(t->pid, &ret->status, 0) < 0 && errno == EINTR)
		continue;
	t->pid = 0;
	return true;
}

bool tracer_has_exited(struct tracer *t, bool now, struct tracer_exit *ret)
{
	const struct question q = { .kind = ASK_TRACER_END, .number = now };
	struct answer a;

	if (!t->of_parent) {
		if (now)
			kill(t->pid, SIGKILL);
		return reap(t, now, ret);
	}
	if (!sandbox_ask(&q, -1, &a, NULL) || a.len != sizeof(*ret))
		return now;
	memcpy(ret, a.bytes, sizeof(*ret));
	return true;
}

static void end_process(struct tracer *t, struct tracer_exit *ret)
{
	t->joined = false;
	if (t->pid <= 0) /* 0 would mean our whole process group */
		return;
	(void)tracer_has_exited(t, true, ret);
	t->failed = ret->status != 0;
	t->starved = ret->starved;
	t->pid = 0;
}

/* The reason for its exit: its own report, or what killed it. */
static bool ended(struct tracer *t, struct err *err)
{
	struct tracer_exit exit = { .status = 0 };

	end_process(t, &exit); /* if there was only a timeout, its or ours */
	const int status = exit.status;
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
	const size_t n =
		s->thread_count < t->room.threads ? s->thread_count : t->room.threads;
	struct target_thread *threads = xcalloc(n, sizeof(*threads));

	for (size_t i = 0; i < n; i++) {
		const size_t stack = s->threads[i].stack;
		threads[i] = s->threads[i].info;
		if (stack && stack <= t->room.text)
			threads[i].kernel_stack =
				xstrndup(tracer_text(t->shared, &t->room) + stack - 1,
					 t->room.text - (stack - 1));
	}
	target_set_threads(t->live, threads, n);
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
	char answer;

	if (!ask(t, TRACER_COPY, &answer, err))
		return false;
	if (answer != TRACER_DONE) {
		*err = t->shared->err;
		return false;
	}
	take_threads(t);
	/* The process may have exited since, but its copy remains. */
	(void)!target_live_refresh(t->live, &gone);
	*ret = t->shared->copy;
	return true;
}

const char *tracer_copy_ended(struct tracer *t)
{
	struct tracer_exit exit;

	if (atomic_load(&t->shared->copy_over))
		return t->shared->copy_ended;
	if (t->pid && tracer_has_exited(t, false, &exit)) {
		t->failed = exit.status != 0;
		t->pid = 0;
	}
	return is_there(t) ? NULL : "the tracer was killed";
}

bool tracer_was_starved(const struct tracer *t)
{
	return t->starved;
}

void tracer_finish(struct tracer *t)
{
	char byte = TRACER_END;

	if (t->pid && !t->finishing && t->fd >= 0)
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
	struct tracer_exit exit = { .status = 0 };

	tracer_finish(t);
	if (t->finishing)
		answered(t, &answer, &ignored); /* it exits */
	end_process(t, &exit);
	return !t->failed;
}

/* Of the parent of the sandbox, which knows from its exit that it has finished. */
static void outlast(struct tracer *t)
{
	const uint64_t hold =
		t->options.max_hold_ns ? t->options.max_hold_ns : LIMIT_HOLD_NS;
	const uint64_t until =
		monotonic_ns() + hold + MORE_SECONDS * UINT64_C(1000000000);
	uint64_t nap = 0;
	struct tracer_exit exit;

	while (t->pid && monotonic_ns() < until) {
		if (!tracer_has_exited(t, false, &exit))
			live_backoff(&nap);
	}
}

void tracer_end(struct tracer *t)
{
	if (!t)
		return;
	if (t->memory >= 0 && !t->of_parent)
		outlast(t);
	(void)!tracer_settle(t);
	target_live_only_until(t->live, NULL);
	if (t->fd >= 0)
		close(t->fd);
	if (t->memory >= 0)
		close(t->memory);
	if (t->shared && !t->shares)
		munmap(t->shared, tracer_shared_size(&t->room));
	xfree(t);
}
