/* SPDX-License-Identifier: Apache-2.0 */
/* The parent of a program that has a timeout: passes on what it gets, and ends as the program does,
 * as timeout(1) with --foreground. */
#include "src/run/run_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* For the snapshot, before the program is killed without one. */
#define PATIENCE_NS (UINT64_C(150) * 1000 * 1000 * 1000)
#define NEVER UINT64_MAX

enum phase { RUNNING, TIMED_OUT, TERMINATED, KILLED };

struct supervisor {
	const struct run_options *options;
	pid_t pid;
	int signals, watcher;
	enum phase phase;
	uint64_t next_at; /* monotonic: of the next phase */
};

/* Job control stops us together with the program; faults are our own. SIGCONT, which continues us
 * although it is blocked, is passed on like the others. */
static void fill_set(sigset_t *set)
{
	static const int ours[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS,
				    SIGILL,  SIGFPE,  SIGTRAP, SIGABRT, SIGSYS };

	sigfillset(set);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		sigdelset(set, ours[i]);
}

/* The terminal sends its signals to the program, too. */
static void pass_on(const struct supervisor *s, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_KERNEL)
		kill(s->pid, (int)info->ssi_signo);
}

static void terminate(struct supervisor *s)
{
	kill(s->pid, SIGTERM);
	kill(s->pid, SIGCONT);
	s->phase = TERMINATED;
	s->next_at = s->options->kill_after_ns
			     ? monotonic_ns() + s->options->kill_after_ns
			     : NEVER;
}

static void go_on(struct supervisor *s)
{
	switch (s->phase) {
	case RUNNING:
		s->phase = TIMED_OUT;
		s->next_at = s->watcher < 0 ? 0 : monotonic_ns() + PATIENCE_NS;
		break;
	case TIMED_OUT:
		terminate(s);
		break;
	default:
		kill(s->pid, SIGKILL);
		s->phase = KILLED;
		s->next_at = NEVER;
	}
}

/* The snapshot was taken, perhaps before we noticed that it is time; or there will be none. */
static void hear_watcher(struct supervisor *s)
{
	char byte;
	const bool told = read(s->watcher, &byte, 1) == 1;

	if (s->phase == TIMED_OUT || (told && s->phase == RUNNING))
		terminate(s);
	if (!told) {
		close(s->watcher);
		s->watcher = -1;
	}
}

/* Whoever continued us after both were stopped may not have reached the program yet: it is to go on,
 * too, instead of stopping us again. */
static bool is_continued(void)
{
	sigset_t set;

	return sigpending(&set) == 0 && sigismember(&set, SIGCONT) == 1;
}

/* True: it has ended. */
static bool look_at_program(struct supervisor *s, int *ret_status)
{
	pid_t pid;

	while ((pid = waitpid(s->pid, ret_status, WNOHANG | WUNTRACED)) == s->pid) {
		if (!WIFSTOPPED(*ret_status))
			return true;
		if (!is_continued())
			kill(getpid(), SIGSTOP);
	}
	return pid < 0 && errno == ECHILD;
}

static bool hear_signal(struct supervisor *s, int *ret_status)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGCHLD)
		return look_at_program(s, ret_status);
	pass_on(s, &info);
	return false;
}

static int left_ms(const struct supervisor *s)
{
	const uint64_t now = monotonic_ns();

	if (s->next_at == NEVER)
		return -1;
	if (s->next_at <= now)
		return 0;
	const uint64_t ms = (s->next_at - now + 999999) / 1000000;
	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static int follow(struct supervisor *s)
{
	int status = 0;

	for (;;) {
		struct pollfd from[] = { { .fd = s->signals, .events = POLLIN },
					 { .fd = s->watcher, .events = POLLIN } };
		int n = poll(from, ARRAY_SIZE(from), left_ms(s));
		if (n == 0 && s->next_at <= monotonic_ns())
			go_on(s);
		if (n > 0 && from[1].revents)
			hear_watcher(s);
		if (n > 0 && from[0].revents && hear_signal(s, &status))
			return status;
	}
}

/* As the program, but there shall be no core of us. */
static int end_as(const struct supervisor *s, int status)
{
	static const struct rlimit none;
	sigset_t set;

	if (s->phase > TIMED_OUT) {
		const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		return killed ? 128 + SIGKILL : RUN_TIMED_OUT;
	}
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static int failed(const struct run_options *options)
{
	struct err err;

	err_sys(&err, "cannot run a program");
	options->say(err.text);
	return RUN_FAILED;
}

int run_supervised(const struct run_options *options, char **argv)
{
	struct supervisor s = { .options = options,
				.next_at = monotonic_ns() + options->timeout_ns };
	sigset_t set, before;
	int pipes[2];

	fill_set(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	s.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (s.signals < 0 || pipe2(pipes, O_CLOEXEC))
		return failed(options);
	s.pid = fork();
	if (s.pid < 0)
		return failed(options);
	if (s.pid == 0) {
		close(s.signals);
		close(pipes[0]);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return run_launch(options, argv, pipes[1]);
	}
	close(pipes[1]);
	s.watcher = pipes[0];
	return end_as(&s, follow(&s));
}
