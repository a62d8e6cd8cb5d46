/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/service.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/sandbox.h"
#include "src/bpf/fault_probes.h"
#include "src/bpf/kill_probes.h"
#include "src/guard/guard.h"
#include "src/watch/ahead.h"
#include "src/watch/catch.h"
#include "src/watch/counts.h"
#include "src/watch/desk.h"
#include "src/killed/killed.h"
#include "src/watch/kills.h"
#include "src/watch/programs.h"
#include "src/watch/running.h"
#include "src/watch/thresholds.h"
#include "src/watch/watched.h"

enum {
	AT_ONCE = 8, /* snapshots */
	NS_PER_MS = 1000000,
};
#define METRICS_NS (UINT64_C(15) * 1000 * NS_PER_MS)

struct service {
	const struct watch_service_options *options;
	struct watched watched;
	struct killed_list *killed;
	struct ahead *ahead;
	struct guard *guard; /* NULL: nothing is stopped by a signal */
	struct catching catching;
	struct watch_log log;
	struct watch_counts counts;
	struct thresholds *thresholds; /* NULL: none */
	struct desk *desk;	       /* NULL: none */
	uint64_t metrics_at;	       /* monotonic: when they are written next */
	pid_t children[AT_ONCE];       /* 0: none */
	struct caught *caught;	       /* what becomes of each, in shared memory */
	uint32_t taken, started;
	/* Deaths without a snapshot that were not told yet, and when some were told. */
	uint64_t refused, told_ns;
	const struct watch_reread *reread; /* NULL: nobody can */
	bool over, reload;
};

static void on_exec(void *arg, pid_t pid)
{
	struct service *s = arg;

	watched_exec(&s->watched, pid);
}

/* AT_ONCE: none. */
static size_t free_place(const struct service *s)
{
	size_t i = 0;

	while (i < AT_ONCE && s->children[i])
		i++;
	return i;
}

/* A storm of crashes is not to be one of lines. */
static void refuse(struct service *s, pid_t pid, enum watch_outcome outcome)
{
	const uint64_t now = monotonic_ns();
	const bool several = ++s->refused > 1;
	AUTO(xfree)
	char *of =
		several ? xasprintf(" of %llu processes", (unsigned long long)s->refused)
			: xstrdup("");

	s->counts.outcomes[outcome]++;
	if (now - s->told_ns < UINT64_C(1000) * NS_PER_MS)
		return;
	watch_say(&s->log, "refused", several ? 0 : pid, "no snapshot%s: %s", of,
		  outcome == WATCH_BUSY ? "as many as permitted are being taken"
					: "there was one of this program just before "
					  "(--interval)");
	s->refused = 0;
	s->told_ns = now;
}

/* WATCH_SNAPSHOT: it is wanted. program: a file, whose rate counts; NULL: the kernel has seen to it. */
static enum watch_outcome refusal(struct service *s, const char *program, uid_t uid,
				  size_t place)
{
	if (place == AT_ONCE)
		return WATCH_BUSY;
	return !program || programs_rate(program, uid, s->options->spool,
					 s->options->interval_ns)
		       ? WATCH_SNAPSHOT
		       : WATCH_RATE;
}

static bool is_enough(const struct service *s)
{
	return s->over || (s->options->count && s->started >= s->options->count);
}

static void started(struct service *s, size_t place, pid_t pid, pid_t child)
{
	if (child < 0) {
		s->counts.outcomes[WATCH_FAILED]++;
		watch_say(&s->log, "failed", pid, "no snapshot: cannot fork: %s",
			  strerror(errno));
		return;
	}
	s->children[place] = child;
	s->started++;
}

static void on_fault(void *arg, const struct fault_event *event)
{
	struct service *s = arg;
	const size_t place = free_place(s);
	char file[64];

	guard_heard(s->guard, event);
	if (!programs_want(s->watched.programs, event)) {
		guard_let_go(s->watched.probes, event);
		return;
	}
	s->counts.events[catch_trigger(event)]++;
	if (is_enough(s)) {
		guard_let_go(s->watched.probes, event);
		return;
	}
	snprintf(file, sizeof(file), "/proc/%u/exe", event->pid);
	const enum watch_outcome outcome = refusal(
		s, event->hook < FAULT_HOOK_AGAIN ? file : NULL, event->uid, place);
	if (outcome != WATCH_SNAPSHOT) {
		guard_let_go(s->watched.probes, event);
		refuse(s, (pid_t)event->pid, outcome);
		return;
	}
	pid_t child = ahead_start(s->ahead, event, &s->caught[place]);
	if (child < 0)
		child = catch_start(&s->catching, event, &s->caught[place]);
	started(s, place, (pid_t)event->pid, child);
}

static void on_killed(struct service *s, const struct killed *killed)
{
	const struct kill_source *source =
		programs_source(s->watched.programs, killed->end.program);
	const pid_t pid = (pid_t)killed->end.record.pid;
	const size_t place = free_place(s);
	char file[64];

	s->counts.events[killed->end.by_oom ? WATCH_OOM : WATCH_KILL]++;
	if (!source || is_enough(s))
		return;
	snprintf(file, sizeof(file), "/proc/self/fd/%d", source->file);
	const enum watch_outcome outcome = refusal(s, file, killed->end.uid, place);
	if (outcome != WATCH_SNAPSHOT)
		refuse(s, pid, outcome);
	else
		started(s, place, pid,
			kills_start(&s->catching, killed, source, &s->caught[place]));
}

static void on_kill_record(void *arg, const struct kill_record *record, size_t len)
{
	struct service *s = arg;
	struct killed killed;

	if (!killed_list_add(s->killed, record, len, &killed))
		return;
	on_killed(s, &killed);
	killed_done(&killed);
}

static bool is_being_taken(const struct service *s, pid_t pid)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		if (s->children[i] && s->caught[i].pid == pid)
			return true;
	return false;
}

static void look_at(void *arg, pid_t pid)
{
	struct service *s = arg;
	const size_t place = free_place(s);
	struct trigger trigger;

	if (is_enough(s) || is_being_taken(s, pid) ||
	    !thresholds_look(s->thresholds, pid, &trigger))
		return;
	if (place == AT_ONCE) {
		thresholds_not_taken(s->thresholds, pid);
		return;
	}
	started(s, place, pid,
		running_start(&s->catching, pid, s->options->thresholds.condition,
			      &trigger, &s->caught[place]));
	s->counts.events[WATCH_THRESHOLD]++;
}

/* Returns in how many milliseconds there is more to do; -1: never. */
static int look_at_all(struct service *s)
{
	if (!s->thresholds)
		return -1;
	if (thresholds_wait(s->thresholds) == 0) {
		watched_each(&s->watched, look_at, s);
		thresholds_looked(s->thresholds);
	}
	return thresholds_wait(s->thresholds);
}

static void count_caught(struct service *s, const struct caught *caught)
{
	const enum watch_outcome outcome =
		caught->outcome < WATCH_OUTCOMES ? caught->outcome : WATCH_FAILED;

	if (caught->outcome == WATCH_NOT_MET) {
		if (s->thresholds)
			thresholds_not_taken(s->thresholds, caught->pid);
		s->counts.events[WATCH_THRESHOLD]--;
		s->started--;
		return;
	}
	s->counts.outcomes[outcome]++;
	if (caught->pause_ns)
		watch_count_pause(&s->counts, caught->pause_ns);
	if (outcome != WATCH_SNAPSHOT && outcome != WATCH_INCOMPLETE) {
		s->started--;
		return;
	}
	s->taken++;
	snprintf(s->counts.last, sizeof(s->counts.last), "%s", caught->id);
}

static void take_children(struct service *s)
{
	int status;

	for (size_t i = 0; i < AT_ONCE; i++) {
		if (!s->children[i] ||
		    waitpid(s->children[i], &status, WNOHANG) != s->children[i])
			continue;
		s->children[i] = 0;
		if (WIFSIGNALED(status))
			watch_say(&s->log, "failed", s->caught[i].pid,
				  "no snapshot: who took it was ended by signal %d, as "
				  "after "
				  "--max-pause",
				  WTERMSIG(status));
		count_caught(s, &s->caught[i]);
	}
	if (s->options->count && s->taken >= s->options->count)
		s->over = true;
}

static void prune(const struct service *s)
{
	struct err err;

	if (!spool_prune(s->options->spool, &s->options->quota, false, NULL, NULL, &err))
		watch_say(&s->log, "failed", 0, "%s", err.text);
}

static void take_signals(struct service *s, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGHUP && s->reread)
			s->reload = true;
		else
			s->over |= info.ssi_signo != SIGCHLD;
	if (s->guard && !guard_check(s->guard))
		watch_say(&s->log, "failed", 0,
			  "who guards stopped processes was ended or stopped: there is "
			  "another one");
	const uint32_t before = s->taken;
	take_children(s);
	if (s->taken != before)
		prune(s);
}

static bool has_children(const struct service *s)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		if (s->children[i])
			return true;
	return false;
}

static void count_process(void *arg, pid_t pid)
{
	struct service *s = arg;

	(void)pid;
	s->counts.processes++;
}

/* What is not counted as it happens. */
static const struct watch_counts *counts_now(struct service *s)
{
	s->counts.processes = 0;
	watched_each(&s->watched, count_process, s);
	s->counts.programs = programs_count(s->watched.programs) +
			     programs_leaving(s->watched.programs);
	s->counts.is_strict = s->watched.strict != NULL;
	s->counts.strict = *s->watched.held;
	s->counts.lost = fault_probes_counts(s->watched.probes).lost +
			 (s->watched.kills ? kill_probes_lost(s->watched.kills) : 0) +
			 killed_list_lost(s->killed);
	return &s->counts;
}

/* Returns in how many milliseconds there is more to do; -1: never. */
static int write_metrics(struct service *s)
{
	const uint64_t now = monotonic_ns();
	struct err err;

	if (!s->options->metrics)
		return -1;
	if (now >= s->metrics_at) {
		s->metrics_at = now + METRICS_NS;
		if (!desk_write_file(s->options->metrics, counts_now(s), &err))
			watch_say(&s->log, "failed", 0, "%s", err.text);
	}
	return (int)((s->metrics_at - now) / NS_PER_MS) + 1;
}

/* -1: never */
static int sooner(int ms, int other_ms)
{
	return ms < 0 || (other_ms >= 0 && other_ms < ms) ? other_ms : ms;
}

/* A fork takes a CPU, which a process that is being stopped needs more. Returns in how many milliseconds to
 * look again; -1: never. */
static int prepare_next(struct service *s)
{
	enum { SOON_MS = 10 };

	for (size_t i = 0; i < AT_ONCE; i++)
		if (s->children[i] && !s->caught[i].is_past)
			return SOON_MS;
	programs_close_rest(s->watched.programs);
	ahead_refill(s->ahead);
	return -1;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* NULL: there is to be none, or it cannot be, which is said. */
static struct desk *open_desk(const struct service *s)
{
	struct err err;

	if (!s->options->socket || !*s->options->socket)
		return NULL;
	struct desk *desk = desk_open(s->options->socket, &err);
	if (!desk)
		watch_say(&s->log, "failed", 0, "%s", err.text);
	return desk;
}

/* They are in force; also for whoever is forked from now on. */
static void use(struct service *s, const struct watch_service_options *options)
{
	s->options = options;
	s->log = watch_log_open(options->log, options->quiet);
	s->catching = (struct catching){
		.snap = &options->snap,
		.spool = options->spool,
		.probes = s->watched.probes,
		.functions = programs_functions(s->watched.programs),
		.hold_ns = options->hold_ns,
		.max_pause_ns = options->max_pause_ns,
		.log = &s->log,
	};
	if (!options->thresholds.condition)
		thresholds_free(TAKE(s->thresholds));
	else if (s->thresholds)
		thresholds_change(s->thresholds, &options->thresholds);
	else
		s->thresholds = thresholds_new(&options->thresholds);
}

static void say_watching(const struct service *s, const char *event, const char *doing)
{
	const size_t n = programs_count(s->watched.programs);

	watch_say(&s->log, event, 0, "%s %zu program%s", doing, n, n == 1 ? "" : "s");
}

static bool is_same_path(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* To look into files takes a while, in which processes go on dying. */
static void hear(void *arg)
{
	struct service *s = arg;

	fault_probes_read(s->watched.probes,
			  &(struct fault_handlers){ on_fault, on_exec, s });
	watched_hold(&s->watched);
	take_children(s);
}

static void reload(struct service *s)
{
	const struct watch_reread *reread = s->reread;
	const struct watch_service_options *before = s->options;
	struct err err;

	s->reload = false;
	const struct watch_service_options *options = reread->read(reread->arg, &err);
	if (!options || !watched_change(&s->watched, options, hear, s, &err)) {
		snprintf(s->counts.not_reloaded, sizeof(s->counts.not_reloaded), "%s",
			 err.text);
		watch_say(&s->log, "refused", 0, "not reloaded: %s", err.text);
		reread->used(reread->arg, false);
		return;
	}
	use(s, options);
	ahead_end(s->ahead);
	if (!is_same_path(options->socket, before->socket)) {
		desk_close(TAKE(s->desk));
		s->desk = open_desk(s);
	}
	*s->counts.not_reloaded = '\0';
	s->counts.reloaded_ns = realtime_ns();
	say_watching(s, "reloaded", "reloaded, watching");
	reread->used(reread->arg, true);
	take_children(s); /* --count may have been reached before */
}

static void serve(struct service *s, int signals)
{
	const struct fault_handlers handlers = { on_fault, on_exec, s };

	while (!s->over || has_children(s)) {
		const struct strict *strict = s->watched.strict;
		struct pollfd from[] = {
			{ .fd = fault_probes_fd(s->watched.probes), .events = POLLIN },
			{ .fd = signals, .events = POLLIN },
			{ .fd = s->desk ? desk_fd(s->desk) : -1, .events = POLLIN },
			{ .fd = s->watched.kills ? kill_probes_fd(s->watched.kills) : -1,
			  .events = POLLIN },
			{ .fd = programs_fd(s->watched.programs), .events = POLLIN },
			{ .fd = s->watched.ends, .events = POLLIN },
			{ .fd = strict ? strict_fd(strict) : -1, .events = POLLIN },
			{ .fd = strict ? strict_mounts_fd(strict) : -1,
			  .events = POLLPRI },
		};
		const int ms =
			sooner(sooner(write_metrics(s), look_at_all(s)), prepare_next(s));
		if (poll(from, ARRAY_SIZE(from), ms) < 0)
			continue;
		if (from[4].revents)
			programs_changed(s->watched.programs);
		if (from[0].revents)
			fault_probes_read(s->watched.probes, &handlers);
		if (from[1].revents)
			take_signals(s, signals);
		if (from[2].revents)
			desk_serve(s->desk, counts_now(s));
		if (from[3].revents)
			kill_probes_read(s->watched.kills, on_kill_record, s);
		if (from[5].revents)
			s->over |= watched_ends(&s->watched);
		if (from[7].revents)
			watched_mounts(&s->watched);
		if (from[1].revents || from[6].revents)
			watched_hold(&s->watched);
		if (s->reload)
			reload(s);
	}
	s->metrics_at = 0;
	write_metrics(s);
}

static bool begin_guard(struct service *s, struct err *err)
{
	if (!fault_probes_stops(s->watched.probes))
		return true;
	if (s->options->hold_by == FAULT_HOLD_ABLE)
		watch_say(
			&s->log, "refused", 0,
			"processes are stopped by SIGSTOP, of which their parents hear: "
			"this kernel cannot keep threads (--hold-by)");
	s->guard = guard_new(s->watched.probes, err);
	return s->guard != NULL;
}

static bool begin(struct service *s, struct err *err)
{
	s->caught = xshared(AT_ONCE * sizeof(*s->caught));
	sandbox_withhold(s->caught, AT_ONCE * sizeof(*s->caught));
	s->killed = killed_list_new();
	use(s, s->options);
	s->counts.since_ns = realtime_ns();
	s->ahead = ahead_new(&s->catching);
	if (!s->ahead)
		return err_sys(err, "cannot allocate memory");
	if (!begin_guard(s, err))
		return false;
	if (!watched_begin(&s->watched, err))
		return false;
	say_watching(s, "watching", "watching");
	s->desk = open_desk(s);
	return true;
}

bool watch_service(const struct watch_service_options *options,
		   const struct watch_reread *reread, struct err *err)
{
	struct service s = { .options = options,
			     .reread = reread,
			     .log = watch_log_open(options->log, options->quiet) };

	s.watched = (struct watched){ .options = options, .log = &s.log, .ends = -1 };
	const int signals = open_signals(); /* SIGHUP may come at any time */
	const bool ok = watched_open(&s.watched, err) && begin(&s, err);

	if (ok) {
		catch_prepare();
		serve(&s, signals);
	}
	guard_free(s.guard);
	ahead_free(s.ahead);
	desk_close(s.desk);
	thresholds_free(s.thresholds);
	watched_close(&s.watched);
	killed_list_free(s.killed);
	if (s.caught)
		munmap(s.caught, AT_ONCE * sizeof(*s.caught));
	if (signals >= 0)
		close(signals);
	return ok;
}
