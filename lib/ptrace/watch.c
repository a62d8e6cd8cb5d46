/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/access_check.h"
#include "lib/procfs/proc_file.h"
#include "lib/ptrace/tracer_priv.h"

/* Go's runtime ends with 2 after a panic or a fatal error, and with the others if it fails while
 * it says so (startpanic_m in runtime/panic.go). */
enum { CRASH_STATUS_MIN = 2, CRASH_STATUS_MAX = 5 };
enum {
	OPTIONS = PTRACE_O_TRACEEXIT | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC,
	TICK_NS = 2 * 1000 * 1000, /* while a child may ask for something */
	LOOK_MS = 100,
	COPY_MS = 20, /* for threads in state D and what becomes of the copy */
	NAP_NS = 20 * 1000,
	OTHERS_NS = 200 * 1000 * 1000,
	OTHERS_NAP_NS = 200 * 1000,
};
/* At most, for a process that runs on. */
#define HOLD_NS (UINT64_C(10) * 1000 * 1000 * 1000)
/* For one that dies. The thread that dumped core closes the file before it stops at its exit (task_work_run()
 * in ptrace_notify() of kernel/signal.c), and others are there already. ext4 writes the file to the disk first.
 * The process cannot end earlier without us. */
#define DYING_PATIENCE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

struct watch {
	pid_t pid;
	uint64_t stopped_at; /* monotonic; of watch_catch() */
	struct watch_options options;
	bool started, ended, dying;
	int status;   /* of the death */
	pid_t thread; /* likewise */
	/* By signal: the last thread that got it. */
	struct {
		pid_t thread;
		siginfo_t info;
	} got[NSIG];
	timer_t timer;
	bool has_timer;
	uint64_t timeout_at; /* monotonic; 0: none, or over */
	/* The child that reads: */
	pid_t reader; /* 0: none */
	int fd;	      /* to it; -1: none */
	/* It asked for its stop, and for the end of it: it does so once. */
	bool held, released;
	struct tracer_service service;
	struct watch_copy copy;
};

static int timer_signal(void)
{
	return SIGRTMAX - 3;
}

/* Only interrupts waitid(). */
static void on_timer(int sig)
{
	(void)sig;
}

static void open_timer(struct watch *w)
{
	struct sigaction action = { .sa_handler = on_timer };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = timer_signal(),
		._sigev_un._tid = gettid(),
	};
	sigset_t set;

	sigemptyset(&action.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, timer_signal());
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	w->has_timer = sigaction(timer_signal(), &action, NULL) == 0 &&
		       timer_create(CLOCK_MONOTONIC, &event, &w->timer) == 0;
}

/* It goes on ticking, in case a tick comes just before we wait. */
static void set_timer(struct watch *w)
{
	struct itimerspec when = { .it_interval.tv_nsec = TICK_NS };

	if (w->reader) {
		when.it_value.tv_nsec = TICK_NS;
	} else if (w->timeout_at) {
		when.it_value.tv_sec = (time_t)(w->timeout_at / 1000000000);
		when.it_value.tv_nsec = (long)(w->timeout_at % 1000000000);
	}
	if (w->has_timer)
		timer_settime(w->timer, w->reader ? 0 : TIMER_ABSTIME, &when, NULL);
}

/* Of Yama, the user may change something. */
static bool refused(pid_t pid, int error, struct err *err)
{
	struct access_check_facts facts;

	access_check_collect(pid, &facts);
	facts.ptrace_errno = error;
	if (facts.yama_scope >= YAMA_ADMIN && !access_check_judge(&facts, err))
		return false;
	return err_set(err, ERR_PERMISSION, "ptrace is not permitted here (%s)",
		       strerror(error));
}

static bool seize(pid_t pid, pid_t tid, struct err *err)
{
	if (live_trace(PTRACE_SEIZE, tid, OPTIONS))
		return true;
	if (errno == ESRCH)
		return err_set(err, ERR_GONE, "process %d has exited", tid);
	return refused(pid, errno, err);
}

static struct watch *watch_new(pid_t pid)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	w->pid = pid;
	w->fd = w->service.fd = -1;
	open_timer(w);
	return w;
}

struct watch *watch_begin(pid_t pid, const struct watch_options *options, struct err *err)
{
	if (!seize(pid, pid, err))
		return NULL;
	struct watch *w = watch_new(pid);
	w->options = *options;
	if (options->timeout_ns)
		w->timeout_at = monotonic_ns() + options->timeout_ns;
	set_timer(w);
	/* A thread that gets a signal waits for us, on a busy machine behind everyone else. */
	live_set_realtime(true);
	return w;
}

static bool stop_all(pid_t pid, struct err *err)
{
	AUTO(target_close) struct target *t = target_live_open_to_read(pid, err);
	struct live *l = t ? target_self(t, &live_ops) : NULL;
	const uint64_t until = monotonic_ns() + OTHERS_NS;
	bool stopped = false;

	/* Another catcher has a thread of it for a moment, when the copy that it made has been read. */
	while (l && !(stopped = live_stop(l, err)) && err_is(err, ERR_CANNOT) &&
	       monotonic_ns() < until) {
		live_forget(l);
		nanosleep(&(struct timespec){ .tv_nsec = OTHERS_NAP_NS }, NULL);
	}
	if (stopped)
		live_forget(l);
	return stopped;
}

/* caught: the thread is ours, and what could be stopped at once is. */
static struct watch *watch_caught(pid_t pid, bool caught, uint64_t stopped_at,
				  struct err *err)
{
	const bool stopped = caught && stop_all(pid, err);

	live_set_realtime(false);
	if (!stopped)
		return NULL;
	struct watch *w = watch_new(pid);
	w->stopped_at = stopped_at;
	return w;
}

static bool seize_first(pid_t pid, pid_t thread, struct err *err)
{
	live_set_realtime(true);
	return seize(pid, thread, err) && live_trace(PTRACE_INTERRUPT, thread, 0);
}

struct watch *watch_catch(pid_t pid, pid_t thread, void (*release)(void *arg), void *arg,
			  struct err *err)
{
	bool caught = seize_first(pid, thread, err);

	release(arg);
	caught = caught || live_seize_next(thread, OPTIONS, err);
	if (caught)
		live_stop_early(pid, thread);
	return watch_caught(pid, caught, monotonic_ns(), err);
}

struct watch *watch_catch_stopped(const struct watch_stopped *stopped, struct err *err)
{
	const bool caught = seize_first(stopped->pid, stopped->thread, err);
	const uint64_t at = caught ? live_stop_early_stopped(stopped) : 0;
	return watch_caught(stopped->pid, caught, at, err);
}

uint64_t watch_stopped_at(const struct watch *w)
{
	return w->stopped_at;
}

int watch_status(const struct watch *w)
{
	return w->status;
}

pid_t watch_thread(const struct watch *w)
{
	return w->thread;
}

bool watch_has_started(const struct watch *w)
{
	return w->started;
}

/* What Go's scheduler and timers send all the time is not worth a look. */
static bool is_of_interest(int signal)
{
	return signal != SIGURG && signal != SIGPROF && signal != SIGCHLD &&
	       signal < NSIG;
}

/* Fails if the thread was killed in its stop, from which it is about to go to its exit. */
static void go_on(int request, pid_t tid, int signal)
{
	if (!live_trace(request, tid, (uint64_t)signal))
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

/* False: it is kept. */
static bool pass_signal(struct watch *w, pid_t tid, int signal)
{
	if (is_of_interest(signal)) {
		w->got[signal].thread = tid;
		live_ptrace(PTRACE_GETSIGINFO, tid, 0, &w->got[signal].info);
	}
	const bool kept = signal == SIGQUIT && w->options.keep_quit && w->started;
	go_on(PTRACE_CONT, tid, kept ? 0 : signal);
	return !kept;
}

static bool is_thread_of(const struct watch *w, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", w->pid, tid);
	return access(path, F_OK) == 0;
}

/* A new thread, one that job control stops, or one that goes on after either. clone() may also
 * make a process, which is seized, too. */
static void pass_stop(struct watch *w, pid_t tid, int status)
{
	if (WSTOPSIG(status) != SIGTRAP)
		go_on(PTRACE_LISTEN, tid, 0);
	else
		go_on(is_thread_of(w, tid) ? PTRACE_CONT : PTRACE_DETACH, tid, 0);
}

static bool exits_alone(pid_t tid)
{
	errno = 0;
	long number = ptrace(PTRACE_PEEKUSER, tid, sizeof(long) * ORIG_RAX, NULL);

	return !errno && number == SYS_exit;
}

/* All threads of a process that ends have the status of the first. */
static bool is_crash(struct watch *w, pid_t tid)
{
	unsigned long status;

	if (live_ptrace(PTRACE_GETEVENTMSG, tid, 0, &status) || !w->started)
		return false;
	const int code = WEXITSTATUS((int)status);
	if (WIFEXITED((int)status) &&
	    (code < CRASH_STATUS_MIN || code > CRASH_STATUS_MAX || exits_alone(tid)))
		return false;
	w->status = (int)status;
	if (WIFSIGNALED(w->status))
		w->thread = w->got[WTERMSIG(w->status)].thread;
	return true;
}

/* True: tell it. */
static bool take_stop(struct watch *w, pid_t tid, int status, enum watch_event *ret)
{
	const int signal = live_signal_of(status);

	if (signal) {
		*ret = WATCH_QUIT;
		return !pass_signal(w, tid, signal);
	}
	switch (status >> 16) {
	case PTRACE_EVENT_STOP:
		pass_stop(w, tid, status);
		return false;
	case PTRACE_EVENT_EXIT:
		*ret = WATCH_DYING;
		w->dying = is_crash(w, tid);
		if (w->dying)
			return true;
		break;
	case PTRACE_EVENT_EXEC:
		w->started = true;
	}
	go_on(PTRACE_CONT, tid, 0);
	return false;
}

static void reap(pid_t tid)
{
	siginfo_t info;

	waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL);
}

static void answer(struct watch *w, enum tracer_answer with)
{
	char byte = (char)with;

	/* Whoever does not read its answers does not stop us. */
	send(w->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void end_service(struct watch *w)
{
	close_fd(&w->fd);
	close_fd(&w->service.fd);
	if (w->service.shared)
		munmap(w->service.shared, tracer_shared_size(&w->service.room));
	w->service.shared = NULL;
	w->reader = 0;
	set_timer(w);
}

/* The signal that the process dies of: the kernel no longer says it of a thread that exits. */
static void add_signal(const struct watch *w, struct live *l)
{
	for (size_t i = 0; w->dying && w->thread && i < l->thread_count; i++) {
		struct target_thread *th = &l->threads[i].info;
		if (th->tid != w->thread)
			continue;
		th->has_siginfo = true;
		th->siginfo = w->got[WTERMSIG(w->status)].info;
	}
}

/* Those that we interrupted. What else stops is waited for later, since it was not consumed. */
static void resume(struct live *l)
{
	for (size_t i = 0; i < l->thread_count; i++)
		if (l->threads[i].at == LIVE_STOPPED &&
		    l->threads[i].status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8))
			live_trace(PTRACE_CONT, l->threads[i].info.tid, 0);
	l->running_release = l->last_release = monotonic_ns();
}

/* Until it says so; a child that hangs must not hold it. */
static void await_release(struct watch *w, bool for_good)
{
	struct pollfd from = { .fd = w->fd, .events = POLLIN };
	const uint64_t limit = monotonic_ns() + HOLD_NS;

	while (!for_good && poll(&from, 1, LOOK_MS) <= 0)
		if (monotonic_ns() > limit) {
			atomic_store(&w->service.shared->hold_over, monotonic_ns());
			return;
		}
}

static void hold(struct watch *w, bool for_good)
{
	struct tracer_shared *s = w->service.shared;
	struct err err = { .code = ERR_NONE };
	AUTO(target_close) struct target *t = target_live_open_to_read(w->pid, &err);
	struct live *l = t ? target_self(t, &live_ops) : NULL;

	w->held = true;
	atomic_store(&s->hold_over, UINT64_MAX);
	if (l && w->dying)
		l->patience_ns = DYING_PATIENCE_NS;
	if (!l || !live_stop(l, &err)) {
		s->err = err;
		close_fd(&w->fd);
	} else {
		add_signal(w, l);
		tracer_publish(s, &w->service.room, l);
		s->pause = target_live_pause(t);
		answer(w, TRACER_DONE);
		await_release(w, for_good);
	}
	if (l && !for_good) {
		resume(l);
		s->pause = target_live_pause(t);
	}
	if (l)
		live_forget(l);
}

/* If it is not possible, the process stands still as before. */
static void obey_copy(struct watch *w)
{
	struct err *err = &w->service.shared->err;

	if (watch_copy_make(&w->copy, w->pid, &w->service, err))
		answer(w, TRACER_DONE);
	else if (w->copy.stands)
		answer(w, TRACER_LATE);
	else
		close_fd(&w->fd);
}

static void obey(struct watch *w, char command, bool for_good)
{
	const bool late = atomic_load(&w->service.shared->hold_over) != UINT64_MAX;

	if (command == TRACER_HOLD && !w->held && !w->copy.released_at) {
		hold(w, for_good);
	} else if (command == TRACER_COPY && !w->held &&
		   watch_copy_is_permitted(&w->copy)) {
		obey_copy(w);
	} else if (command == TRACER_RELEASE && w->held && !w->released) {
		w->released = true;
		answer(w, late ? TRACER_LATE : TRACER_DONE);
	} else {
		close_fd(&w->fd);
	}
}

/* What the child asks for; never waits. */
static void attend(struct watch *w, bool for_good)
{
	char command;

	while (w->fd >= 0) {
		ssize_t n = recv(w->fd, &command, 1, MSG_DONTWAIT);
		if (n < 0)
			return;
		if (n == 0)
			close_fd(&w->fd);
		else
			obey(w, command, for_good);
	}
}

static bool is_timeout(struct watch *w)
{
	if (!w->timeout_at || monotonic_ns() < w->timeout_at || w->reader)
		return false;
	w->timeout_at = 0;
	set_timer(w);
	return true;
}

/* It would be told again and again. */
static void pass_stop_of_reader(const struct watch *w)
{
	siginfo_t info;

	waitid(P_PID, (id_t)w->reader, &info, WSTOPPED | WNOHANG);
}

/* True: tell it. */
static bool take_end(struct watch *w, pid_t pid, enum watch_event *ret)
{
	if (pid == w->reader) {
		*ret = WATCH_READ;
		return true; /* its status is the caller's to take */
	}
	reap(pid);
	w->ended = pid == w->pid;
	*ret = WATCH_ENDED;
	return w->ended;
}

enum watch_event watch_next(struct watch *w)
{
	enum watch_event event;

	while (!w->ended) {
		siginfo_t info = { 0 };
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL)) {
			if (errno != EINTR)
				break; /* an execve of another thread reaped the last */
			attend(w, false);
			if (is_timeout(w))
				return WATCH_TIMEOUT;
		} else if (info.si_code == CLD_STOPPED && info.si_pid == w->reader) {
			pass_stop_of_reader(w);
		} else if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
			if (take_stop(w, info.si_pid, W_STOPCODE(info.si_status), &event))
				return event;
		} else if (take_end(w, info.si_pid, &event)) {
			if (event == WATCH_READ)
				end_service(w);
			return event;
		}
	}
	return WATCH_ENDED;
}

static bool lend(struct watch *w, struct err *err)
{
	AUTO(target_close) struct target *t = target_live_open_to_read(w->pid, err);
	int pair[2];

	if (!t)
		return false;
	w->service.shared =
		tracer_share(target_self(t, &live_ops), &w->service.room, err);
	if (!w->service.shared)
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err_sys(err, "cannot create a socket to the tracer");
		end_service(w);
		return false;
	}
	w->fd = pair[0];
	w->service.fd = pair[1];
	w->service.tracer = getpid();
	w->service.copies = watch_copy_is_permitted(&w->copy);
	return true;
}

/* It may have descriptors open whose end others wait for. */
static void live_as_reader(struct watch *w, pid_t parent)
{
	prctl(PR_SET_NAME, "gosnap-reader");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close_fd(&w->fd);
}

pid_t watch_fork(struct watch *w, const struct tracer_service **ret, struct err *err)
{
	const pid_t us = getpid();

	if (!lend(w, err))
		return -1;
	*ret = &w->service;
	const pid_t child = fork();
	if (child == 0) {
		live_as_reader(w, us);
	} else if (child < 0) {
		err_sys(err, "cannot start a process that reads");
		end_service(w);
	} else {
		close_fd(&w->service.fd);
		w->reader = child;
		w->held = w->released = false;
		set_timer(w);
	}
	return child;
}

static bool has_exited(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid == pid;
}

void watch_stand(struct watch *w, uint64_t limit)
{
	while (w->reader && !has_exited(w->reader)) {
		struct pollfd from = { .fd = w->fd, .events = POLLIN };
		if (monotonic_ns() >= watch_copy_limit(&w->copy, limit))
			kill(w->reader, SIGKILL);
		poll(&from, 1, w->fd < 0 ? 1 : w->copy.released_at ? COPY_MS : LOOK_MS);
		attend(w, true);
		watch_copy_look(&w->copy, &w->service);
	}
	watch_copy_end(&w->copy);
	end_service(w);
}

void watch_permit_copy(struct watch *w, const struct watch_copying *how)
{
	w->copy = (struct watch_copy){ .how = *how, .stopped_at = w->stopped_at };
}

uint64_t watch_released_at(const struct watch *w)
{
	return w->copy.released_at ? w->copy.released_at : monotonic_ns();
}

void watch_end(struct watch *w)
{
	if (!w)
		return;
	watch_copy_end(&w->copy);
	end_service(w);
	if (w->has_timer)
		timer_delete(w->timer);
	xfree(w);
}
