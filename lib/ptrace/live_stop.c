/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/live_priv.h"

#include <elf.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/access_check.h"

/* TRACECLONE: new threads of a seized one start seized and stopped, which catches a
 * program that creates threads endlessly. TRACEEXEC: an execve would change every tid
 * unnoticed. */

enum {
	INSPECT_EVERY_NS = 10 * 1000 * 1000,
	/* How long we wait for sleeping threads before stopping the running ones, and how
	 * much more per thread. */
	SLEEPERS_NS = 200 * 1000,
	EACH_SLEEPER_NS = 8 * 1000,
	REAP_NS = 20 * 1000 * 1000,
	SEIZE_TRIES = 5,
	CALM_ROUNDS =
		4, /* after that, late threads are stopped before their data is read */
	MANY_ROUNDS = 100, /* on a busy machine, each takes long */
};

static const char why_forbidden[] =
	"the kernel does not allow gosnap to trace this thread";

static bool get_regset(pid_t tid, int type, void *buf, size_t *len)
{
	struct iovec iov = { buf, *len };

	if (live_ptrace(PTRACE_GETREGSET, tid, (uint64_t)type, &iov))
		return false;
	*len = iov.iov_len;
	return true;
}

static void read_vectors(pid_t tid, struct vector_regs *ret)
{
	struct user_fpregs_struct fp;
	size_t len = sizeof(fp);

	ret->count = 0;
	if (get_regset(tid, NT_PRFPREG, &fp, &len))
		arch_vectors_from(&arch_amd64, &fp, len, ret);
}

/* An interrupted call returns EINTR or a restart code of the kernel, which no program
 * ever sees. A thread stopped by its own event still has the ENOSYS of syscall entry. */
static bool cut_short(int64_t result, int status)
{
	enum {
		ERESTARTSYS = 512,
		ERESTARTNOINTR,
		ERESTARTNOHAND,
		ERESTART_RESTARTBLOCK = 516
	};

	switch (-result) {
	case EINTR:
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
	case ERESTART_RESTARTBLOCK:
		return true;
	case ENOSYS:
		return status >> 16 == PTRACE_EVENT_CLONE ||
		       status >> 16 == PTRACE_EVENT_EXIT;
	}
	return false;
}

static void find_syscall(struct target_thread *thread, int status)
{
	const struct arch *arch = &arch_amd64;
	const struct regs *regs = &thread->regs;

	if ((int64_t)regs->value[arch->syscall_number] < 0 ||
	    !cut_short((int64_t)regs->value[arch->syscall_result], status))
		return;
	thread->in_syscall = true;
	thread->syscall_number = (int64_t)regs->value[arch->syscall_number];
	for (size_t i = 0; i < ARRAY_SIZE(arch->syscall_args); i++)
		thread->syscall_args[i] = regs->value[arch->syscall_args[i]];
}

/* The calls that fail with EINTR when stopped, by signal(7), and that wait without a
 * timeout. For those with a timeout, the remaining time is unknown. */
static bool waits_without_limit(const struct target_thread *th)
{
	const uint64_t *args = th->syscall_args;

	switch (th->syscall_number) {
	case SYS_semop:
		return true;
	case SYS_rt_sigtimedwait:
		return args[2] == 0;
	case SYS_semtimedop:
	case SYS_epoll_pwait2:
		return args[3] == 0;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int32_t)args[3] < 0;
	case SYS_io_getevents:
		return args[4] == 0;
	case SYS_io_uring_enter: /* nothing submitted twice, and no timeout */
		return args[1] == 0 && !(args[3] & IORING_ENTER_EXT_ARG);
	}
	return false;
}

/* Restarts the call instead, unless a handler runs first. Not for filtered threads: the
 * filter would be consulted again, and may have changed. */
static void begin_again(const struct live_thread *th)
{
	enum { ERESTARTNOHAND = 514 };
	const struct target_thread *info = &th->info;
	unsigned result = arch_amd64.syscall_result;

	if (th->status >> 8 != (SIGTRAP | PTRACE_EVENT_STOP << 8) || info->filtered ||
	    !info->in_syscall || (int64_t)info->regs.value[result] != -EINTR ||
	    !waits_without_limit(info))
		return;
	live_ptrace(PTRACE_POKEUSER, info->tid, (uint64_t)arch_amd64.prstatus[result],
		    (void *)(uintptr_t)-ERESTARTNOHAND);
}

static bool read_general(struct live_thread *th)
{
	struct user_regs_struct raw;
	size_t len = sizeof(raw);

	if (!get_regset(th->info.tid, NT_PRSTATUS, &raw, &len))
		return false;
	arch_regs_from(arch_amd64.prstatus, &arch_amd64, &raw, len, &th->info.regs);
	find_syscall(&th->info, th->status);
	return true;
}

void live_begin_again(pid_t tid, int status)
{
	struct live_thread th = { .info = { .tid = tid }, .status = status };

	if (read_general(&th))
		begin_again(&th);
}

static bool read_registers(struct live_thread *th)
{
	if (!read_general(th))
		return false;
	read_vectors(th->info.tid, &th->info.vectors);
	return true;
}

/* clone() can also create a process, which our option seizes too: release it. */
static void free_stray(pid_t child)
{
	uint64_t wait_ns = 0, limit = monotonic_ns() + REAP_NS;
	int status;

	while (tracee_poll(child, &status) == LIVE_NOTHING) {
		if (monotonic_ns() > limit)
			return;
		live_backoff(&wait_ns);
	}
	live_trace(PTRACE_DETACH, child, 0);
}

/* What a seized thread creates is seized too: unlisted, it would stay stopped forever, or
 * block an execve. */
static void note_birth(struct live *l, pid_t parent, int status)
{
	unsigned long child;

	if (status >> 8 != (SIGTRAP | PTRACE_EVENT_CLONE << 8) ||
	    live_ptrace(PTRACE_GETEVENTMSG, parent, 0, &child))
		return;
	if (!live_state(l, (pid_t)child)) {
		free_stray((pid_t)child);
		return;
	}
	GROW(l->born, l->born_count, l->born_cap);
	l->born[l->born_count++] = (pid_t)child;
}

static void on_stop(struct live *l, struct live_thread *th, int status)
{
	if (status >> 16 == PTRACE_EVENT_EXEC)
		l->execed = true;
	if (th->status != status) /* not reported again */
		note_birth(l, th->info.tid, status);
	th->status = status;
	/* Fails if it was killed meanwhile: that is reported later. */
	if (!read_registers(th))
		return;
	begin_again(th);
	th->info.has_siginfo =
		live_signal_of(status) &&
		live_ptrace(PTRACE_GETSIGINFO, th->info.tid, 0, &th->info.siginfo) == 0;
	th->info.stopped = true;
	th->at = LIVE_STOPPED;
}

static bool is_awaited(const struct live_thread *th)
{
	return th->at == LIVE_SEIZED && th->interrupted;
}

/* Handles an event; true if there was one. */
static bool take_event(struct live *l, struct live_thread *th, enum live_event event,
		       int status)
{
	if (event == LIVE_STOP)
		on_stop(l, th, status);
	else if (event == LIVE_ENDED)
		th->at = LIVE_GONE;
	return event != LIVE_NOTHING;
}

/* Leaves th unchanged if the reason may be temporary. False: another process traces
 * it. */
static bool seize_refused(struct live *l, struct live_thread *th, struct err *err)
{
	pid_t tid = th->info.tid, tracer = live_tracer(l, tid);
	char state = live_state(l, tid);
	struct access_check_facts facts;

	if (!state || state == 'X' || (state == 'Z' && tid != l->pid)) {
		th->at = LIVE_GONE;
	} else if (state == 'Z') {
		th->at = LIVE_BARRED;
		th->info.why = live_why_leader;
	} else if (tracer == gettid()) {
		th->at = LIVE_SEIZED; /* born seized */
	} else if (tracer) {
		access_check_collect(l->pid, &facts);
		if (access_check_judge(&facts, err))
			err_set(err, ERR_CANNOT,
				"thread %d is already traced by process %d", tid, tracer);
		return false;
	}
	return true;
}

static bool try_seize(struct live *l, pid_t tid)
{
	l->seizing = ++l->seized;
	bool ok = live_trace(PTRACE_SEIZE, tid, LIVE_OPTIONS);
	l->seizing = 0;
	return ok;
}

/* False: the process cannot be traced at all. */
static bool seize(struct live *l, struct live_thread *th, struct err *err)
{
	/* A thread that is exiting is refused as if that were forbidden. */
	for (int i = 0; i < SEIZE_TRIES && th->at == LIVE_FOUND; i++) {
		if (try_seize(l, th->info.tid))
			th->at = LIVE_SEIZED;
		else if (errno == ESRCH)
			th->at = LIVE_GONE;
		else if (!seize_refused(l, th, err))
			return false;
	}
	if (th->at == LIVE_FOUND && th->info.tid == l->pid)
		return err_set(
			err, ERR_PERMISSION,
			"process %d can be read but not stopped: a seccomp filter or "
			"security module forbids ptrace here; run gosnap outside it",
			l->pid);
	if (th->at == LIVE_FOUND) {
		th->at = LIVE_BARRED;
		th->info.why = why_forbidden;
	}
	return true;
}

static void interrupt(struct live_thread *th)
{
	/* ESRCH: it is dying, which will be reported. */
	if (th->at == LIVE_SEIZED && !th->interrupted)
		live_trace(PTRACE_INTERRUPT, th->info.tid, 0);
	th->interrupted = true;
}

static bool seize_all(struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->thread_count; i++)
		if (l->threads[i].at == LIVE_FOUND && !seize(l, &l->threads[i], err))
			return false;
	return true;
}

/* As many threads are stopped as the kernel counts: then there are no others, and none
 * that could create one. */
static bool have_all(const struct live *l)
{
	for (size_t i = 0; i < l->thread_count; i++)
		if (l->threads[i].at != LIVE_STOPPED)
			return false;
	return l->thread_count == live_task_count(l);
}

static bool catch_newcomers(struct live *l, unsigned round, bool *ret_more,
			    struct err *err)
{
	size_t fresh;

	*ret_more = false;
	if (have_all(l))
		return true;
	if (!live_scan(l, round < CALM_ROUNDS ? LIVE_STATE : LIVE_BARE, &fresh, err))
		return false;
	for (size_t i = 0; i < l->thread_count; i++) {
		struct live_thread *th = &l->threads[i];
		if (th->at != LIVE_FOUND)
			continue;
		if (!seize(l, th, err))
			return false;
		interrupt(th);
	}
	/* A list read while threads exit can miss one that has just started. */
	*ret_more = fresh || live_task_count(l) != l->thread_count;
	return true;
}

/* How many interrupted threads have not stopped yet. */
static size_t poll_all(struct live *l, bool *ret_progress)
{
	size_t pending = 0;

	for (size_t i = 0; i < l->thread_count; i++) {
		struct live_thread *th = &l->threads[i];
		int status = 0;
		if (!is_awaited(th))
			continue;
		enum live_event event = tracee_poll(th->info.tid, &status);
		*ret_progress |= take_event(l, th, event, status);
		pending += th->at == LIVE_SEIZED;
	}
	pending += l->born_count;
	live_adopt_born(l);
	return pending;
}

/* Waits for one thread after the other, until the watchdog ticks: polling all of them
 * would use CPU time that they need to reach their stops. True if anything happened. */
static bool await_each(struct live *l)
{
	bool progress = false;

	for (size_t i = 0; i < l->thread_count; i++) {
		struct live_thread *th = &l->threads[i];
		int status = 0;
		if (!is_awaited(th))
			continue;
		enum live_event event = tracee_wait(th->info.tid, &status);
		if (!take_event(l, th, event, status))
			break;
		progress = true;
	}
	return progress;
}

/* Until every interrupted thread has stopped, exited or been given up, or time is up. */
static void collect(struct live *l, uint64_t over_at)
{
	uint64_t every =
		l->patience_ns < INSPECT_EVERY_NS ? l->patience_ns : INSPECT_EVERY_NS;
	uint64_t now = monotonic_ns(), inspect_at = now + every;

	if (l->give_up_at && l->give_up_at < over_at)
		over_at = l->give_up_at;
	while (now < over_at) {
		uint64_t tick = every < over_at - now ? every : over_at - now;
		bool progress = live_watchdog_tick(l, tick) && await_each(l);
		if (!poll_all(l, &progress) || l->execed)
			return;
		now = monotonic_ns();
		if (progress) {
			inspect_at = now + every;
		} else if (now >= inspect_at) {
			/* It takes milliseconds for thousands of threads: limit it to a
			 * fraction of the time. */
			live_inspect(l, now - l->first_stop);
			uint64_t cost = monotonic_ns() - now;
			inspect_at = now + cost + (every > 8 * cost ? every : 8 * cost);
		}
	}
}

bool live_execed(const struct live *l, struct err *err)
{
	return err_set(err, ERR_GONE,
		       "process %d called execve while it was being stopped; try again",
		       l->pid);
}

static bool check_alive(const struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->thread_count; i++)
		if (l->threads[i].at == LIVE_STOPPED || l->threads[i].at == LIVE_LATE)
			return true;
	return err_set(err, ERR_GONE, "process %d has exited", l->pid);
}

/* Sleeping threads are stopped first, since it affects them little. But each must run to
 * reach its stop, and with all CPUs busy that can take milliseconds; then the running
 * ones are stopped too, which frees CPUs. */
static void stop_listed(struct live *l)
{
	l->first_stop = monotonic_ns();
	l->running_release = l->last_release = 0;
	for (size_t i = 0; i < l->thread_count; i++)
		if (l->threads[i].info.state != 'R')
			interrupt(&l->threads[i]);
	collect(l, l->first_stop + SLEEPERS_NS + l->thread_count * EACH_SLEEPER_NS);
	l->running_stop = monotonic_ns();
	for (size_t i = 0; i < l->thread_count; i++)
		interrupt(&l->threads[i]);
}

static bool too_slow(const struct live *l, struct err *err)
{
	return err_set(err, ERR_LIMIT,
		       "could not stop all threads of process %d in the time allowed "
		       "(--max-pause)",
		       l->pid);
}

static bool stop_all(struct live *l, struct err *err)
{
	size_t found;
	bool more = true;

	live_set_clock(l);
	if (!live_scan(l, LIVE_FULL, &found, err) || !seize_all(l, err))
		return false;
	stop_listed(l);
	for (unsigned round = 0; more; round++) {
		collect(l, UINT64_MAX);
		if (l->execed)
			return live_execed(l, err);
		if (l->give_up_at && monotonic_ns() > l->give_up_at)
			return too_slow(l, err);
		if (!catch_newcomers(l, round, &more, err))
			return false;
		if (more)
			live_inspect(l, 0);
		if (more && round > MANY_ROUNDS &&
		    monotonic_ns() - l->first_stop > 2 * live_late_ns(l))
			return check_alive(l, err) &&
			       err_set(err, ERR_LIMIT,
				       "process %d starts threads faster than they can "
				       "be stopped",
				       l->pid);
	}
	l->all_stopped = monotonic_ns();
	l->all_stopped_realtime = realtime_ns();
	return true;
}

bool live_stop(struct live *l, struct err *err)
{
	/* Our naps are shorter than a thread's default timer slack. */
	int slack = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, 1UL);
	l->releasing = false;
	live_watchdog_start(l);
	bool ok = stop_all(l, err) && check_alive(l, err);
	live_watchdog_end(l);
	l->disturbed = !ok;
	prctl(PR_SET_TIMERSLACK, (unsigned long)(slack > 0 ? slack : 0));
	return ok;
}

/* True if the thread is no longer ours. */
static bool let_go(struct live *l, struct live_thread *th)
{
	pid_t tid = th->info.tid;
	int status = th->status;

	if (th->at == LIVE_STOPPED &&
	    live_trace(PTRACE_DETACH, tid, (uint64_t)live_signal_of(status)))
		return true;
	/* Late, or killed while stopped: handles its stop or exit. */
	enum live_event event = tracee_poll(tid, &status);
	if (event == LIVE_STOP) {
		note_birth(l, tid, status);
		live_trace(PTRACE_DETACH, tid, (uint64_t)live_signal_of(status));
	}
	return event != LIVE_NOTHING;
}

static bool held(const struct live_thread *th)
{
	return th->at == LIVE_SEIZED || th->at == LIVE_STOPPED || th->at == LIVE_LATE;
}

/* One pass; true if there are threads left to wait for. */
static bool let_some_go(struct live *l, bool running)
{
	bool more = false;

	for (size_t i = 0; i < l->thread_count; i++) {
		struct live_thread *th = &l->threads[i];
		if (!held(th) || (th->info.state == 'R') != running)
			continue;
		/* Do not wait for a thread in state D; the next call tries again. */
		bool late = th->at == LIVE_LATE;
		if (let_go(l, th))
			th->at = LIVE_GONE;
		else
			more |= !late;
		if (!late)
			l->last_release = monotonic_ns();
	}
	return more;
}

/* Threads that had work to do go first. */
static bool let_all_go(struct live *l)
{
	bool more = let_some_go(l, true);

	if (!l->running_release)
		l->running_release = monotonic_ns();
	more |= let_some_go(l, false);
	more |= l->born_count > 0;
	live_adopt_born(l);
	return more;
}

void live_release(struct live *l)
{
	uint64_t nap_ns = 0, limit = monotonic_ns() + LIMIT_STOP_NS;

	l->releasing = true;
	/* Given up while still running: they must stop before they can be detached. */
	for (size_t i = 0; i < l->thread_count; i++)
		interrupt(&l->threads[i]);
	while (let_all_go(l) || (l->disturbed && live_adopt_ours(l))) {
		if (monotonic_ns() > limit)
			return;
		if (l->disturbed)
			live_reap_dead(l);
		live_backoff(&nap_ns);
	}
}
