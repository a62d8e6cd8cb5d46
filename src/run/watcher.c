/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer process beside the program. It reads nothing itself: children do, so that what is wrong
 * with the program's memory ends only them. */
#include "src/run/run_priv.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ptrace/plan.h"

/* For a program that stands still until its snapshot is written. */
#define LIMIT_READING_NS (UINT64_C(120) * 1000 * 1000 * 1000)

enum { FULL_MS = 500 };

struct watcher {
	const struct run_options *options;
	const char *program;
	pid_t pid;
	int supervisor;
	struct watch *watch;
	struct reading_result *result;
	pid_t reader; /* 0: none */
	bool again;   /* SIGQUIT came meanwhile */
	unsigned snapshots;
	bool timed_out;
};

/* A full pipe that nobody reads must not keep the program from ending. */
static bool takes_text(void)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&out, 1, FULL_MS) > 0 && out.revents & POLLOUT;
}

static void say(const struct watcher *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void say(const struct watcher *w, const char *format, ...)
{
	char text[PIPE_BUF - sizeof("gosnap: \n")]; /* what a pipe takes at once */
	va_list ap;

	if (w->options->quiet || !takes_text())
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	w->options->say(text);
}

static void describe_signal(int number, char *ret, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name)
		snprintf(ret, size, "SIG%s", name);
	else
		snprintf(ret, size, "signal %d", number);
}

/* What is to be said if there is no fault, which has its own verdict. */
static void describe(const struct watcher *w, const struct trigger *trigger, char *ret,
		     size_t size)
{
	char text[32];

	if (trigger->kind == TRIGGER_TIMEOUT) {
		plan_duration(w->options->timeout_ns, text, sizeof(text));
		snprintf(ret, size, "it still ran after %s", text);
	} else if (trigger->kind == TRIGGER_SIGNAL) {
		describe_signal((int)trigger->signal, text, sizeof(text));
		snprintf(ret, size, "%s", text);
	} else {
		snprintf(ret, size, "it ended");
	}
}

static void report(const struct watcher *w, const struct trigger *trigger, int status)
{
	const struct traced_result *result = &w->result->taken;
	const char *path = w->result->path;
	char what[sizeof(result->verdict)];

	describe(w, trigger, what, sizeof(what));
	if (result->done && !err_is(&result->why, ERR_NONE))
		say(w, "incomplete snapshot in %s: %s", path, result->why.text);
	else if (result->done)
		say(w, "snapshot in %s: %s", path,
		    *result->verdict ? result->verdict : what);
	else if (!err_is(&result->why, ERR_NONE))
		say(w, "no snapshot: %s", result->why.text);
	else if (!result->no_fault && WIFSIGNALED(status))
		say(w, "no snapshot: it was not finished (signal %d)", WTERMSIG(status));
}

static int take_status(struct watcher *w)
{
	int status = 0;

	waitpid(w->reader, &status, 0);
	w->reader = 0;
	return status;
}

/* False: there is none, which has been said. */
static bool start_reader(struct watcher *w, struct reading *reading)
{
	const struct tracer_service *service;
	struct err err;

	memset(w->result, 0, sizeof(*w->result));
	reading->options = w->options;
	reading->program = w->program;
	reading->pid = w->pid;
	reading->number = w->snapshots;
	reading->result = w->result;
	const pid_t reader = watch_fork(w->watch, &service, &err);
	if (reader == 0) {
		run_read(reading, service);
		_exit(0);
	}
	if (reader < 0) {
		say(w, "no snapshot: %s", err.text);
		return false;
	}
	w->reader = reader;
	return true;
}

/* While the process stands still. False: there is no reader, which has been said. */
static bool stand_for(struct watcher *w, struct reading *reading, int *ret_status)
{
	if (!start_reader(w, reading))
		return false;
	watch_stand(w->watch, monotonic_ns() + LIMIT_READING_NS);
	*ret_status = take_status(w);
	return true;
}

static void read_standing(struct watcher *w, struct reading *reading)
{
	int status;

	reading->stands = true;
	w->snapshots++;
	if (!stand_for(w, reading, &status))
		return;
	const struct err why = w->result->taken.why;
	if (w->result->taken.without_values) {
		say(w, "%s; reading the program again, without values", why.text);
		reading->values_failed = why.text;
		if (!stand_for(w, reading, &status))
			return;
	}
	report(w, &reading->trigger, status);
}

static const struct trigger quit = { .kind = TRIGGER_SIGNAL, .signal = SIGQUIT };

/* One at a time. */
static void on_quit(struct watcher *w)
{
	struct reading reading = { .trigger = quit };

	w->again = w->reader != 0;
	if (w->reader)
		return;
	w->snapshots++;
	start_reader(w, &reading);
}

static void on_read(struct watcher *w)
{
	report(w, &quit, take_status(w));
	if (w->again)
		on_quit(w);
}

static void on_timeout(struct watcher *w)
{
	struct reading reading = { .trigger.kind = TRIGGER_TIMEOUT };
	char byte = 0;

	w->timed_out = true;
	read_standing(w, &reading);
	if (w->supervisor >= 0 && write(w->supervisor, &byte, 1) < 0)
		return; /* it will see that we are gone */
}

static bool is_wanted(const struct watcher *w, int signal)
{
	static const int crashes[] = { SIGQUIT, SIGILL,	 SIGTRAP, SIGABRT, SIGBUS,
				       SIGFPE,	SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS };
	bool crash = false;

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		crash |= signal == crashes[i];
	switch (w->options->signals) {
	case RUN_SIGNALS_CORE:
		return crash;
	case RUN_SIGNALS_ALL:
		return true;
	default:
		return signal != SIGINT && signal != SIGHUP && signal != SIGPIPE;
	}
}

static void on_death(struct watcher *w)
{
	const int status = watch_status(w->watch);
	const bool by_signal = WIFSIGNALED(status);
	struct reading reading = {
		.trigger.kind = by_signal ? TRIGGER_SIGNAL : TRIGGER_EXIT,
		.ended = by_signal,
		.only_of_fault = !by_signal,
	};

	if (w->reader) {
		watch_stand(w->watch, monotonic_ns() + LIMIT_READING_NS);
		report(w, &quit, take_status(w));
	}
	if (w->timed_out || (by_signal && !is_wanted(w, WTERMSIG(status))))
		return;
	if (by_signal) {
		reading.trigger.signal = (uint64_t)WTERMSIG(status);
		reading.trigger.thread = (uint64_t)watch_thread(w->watch);
	}
	read_standing(w, &reading);
}

/* True: go on. */
static bool take(struct watcher *w, enum watch_event event)
{
	switch (event) {
	case WATCH_QUIT:
		on_quit(w);
		return true;
	case WATCH_READ:
		on_read(w);
		return true;
	case WATCH_TIMEOUT:
		on_timeout(w);
		return true;
	case WATCH_DYING:
		on_death(w);
		return false;
	default:
		return false;
	}
}

void run_watch(const struct run_options *options, const char *program, pid_t pid,
	       int channel, int supervisor)
{
	const struct watch_options how = {
		.keep_quit = options->on_quit == RUN_QUIT_SNAPSHOT,
		.timeout_ns = options->timeout_ns,
	};
	struct watcher w = { .options = options,
			     .program = program,
			     .pid = pid,
			     .supervisor = supervisor };
	struct watcher_answer answer = { .watches = false };

	w.watch = watch_begin(pid, &how, &answer.why);
	answer.watches = w.watch != NULL;
	if (send(channel, &answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer) ||
	    !w.watch)
		_exit(1);
	close(channel);
	w.result = xshared(sizeof(*w.result));
	while (take(&w, watch_next(w.watch)))
		;
	/* The kernel lets go of the program. */
	_exit(0);
}
