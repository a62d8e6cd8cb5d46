/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/run_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/run/privileged.h"

/* Signals that are meant for the program, when its whole group or service gets them. */
static const int ignored[] = { SIGINT,	SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
			       SIGUSR1, SIGUSR2, SIGTSTP, SIGALRM };

static void fail(void) __attribute__((noreturn));
static void fail(void)
{
	_exit(RUN_FAILED);
}

/* Others wait for the ends of pipes, or for locks: only standard error stays open. */
static void keep_only(int *channel, int *supervisor)
{
	enum { CHANNEL = STDERR_FILENO + 1, SUPERVISOR };
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* Beyond both places, so that neither overwrites the other. */
	const int a = fcntl(*channel, F_DUPFD_CLOEXEC, SUPERVISOR + 1);
	const int b = *supervisor < 0
			      ? -1
			      : fcntl(*supervisor, F_DUPFD_CLOEXEC, SUPERVISOR + 1);

	if (null < 0 || a < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup3(a, CHANNEL, O_CLOEXEC) < 0)
		fail();
	*channel = CHANNEL;
	if (b >= 0)
		*supervisor = dup3(b, SUPERVISOR, O_CLOEXEC);
	close_range((unsigned)(b >= 0 ? SUPERVISOR : CHANNEL) + 1, ~0U, 0);
}

/* In a session of its own, so that signals from the terminal do not reach it. */
static void become_watcher(const struct run_options *options, const char *program,
			   pid_t pid, int channel, int supervisor)
	__attribute__((noreturn));
static void become_watcher(const struct run_options *options, const char *program,
			   pid_t pid, int channel, int supervisor)
{
	sigset_t none;
	pid_t self = getpid();
	char go;

	prctl(PR_SET_NAME, "gosnap-watcher");
	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	keep_only(&channel, &supervisor);
	if (send(channel, &self, sizeof(self), MSG_NOSIGNAL) != sizeof(self) ||
	    recv(channel, &go, 1, 0) != 1)
		fail();
	run_watch(options, program, pid, channel, supervisor);
}

/* Twice removed, so that the program has no child that it does not know. */
static bool start_watcher(const struct run_options *options, const char *program,
			  int channel, int supervisor, struct err *err)
{
	const pid_t pid = getpid(), between = fork();
	int status;

	if (between == 0) {
		pid_t watcher = fork();
		if (watcher == 0)
			become_watcher(options, program, pid, channel, supervisor);
		_exit(watcher < 0);
	}
	if (between < 0)
		return err_sys(err, "cannot start a tracer");
	while (waitpid(between, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 || err_set(err, ERR_SYS, "cannot start a tracer");
}

/* Does it watch us? Yama lets only those trace us that we name. */
static bool shake_hands(int channel, struct err *err)
{
	struct watcher_answer answer;
	pid_t watcher;
	char go = 0;

	if (recv(channel, &watcher, sizeof(watcher), 0) == sizeof(watcher)) {
		prctl(PR_SET_PTRACER, (unsigned long)watcher);
		send(channel, &go, 1, MSG_NOSIGNAL);
	}
	if (recv(channel, &answer, sizeof(answer), 0) != sizeof(answer))
		return err_set(err, ERR_SYS, "the tracer was killed");
	*err = answer.why;
	return answer.watches;
}

static bool be_watched(const struct run_options *options, const char *program,
		       int supervisor, struct err *err)
{
	int pair[2];

	if (is_privileged(program))
		return err_set(err, ERR_PERMISSION,
			       "%.200s gets privileges as it starts, which a traced "
			       "program does not: only root can trace it",
			       program);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, "cannot create a socket to the tracer");
	bool watched = start_watcher(options, program, pair[1], supervisor, err);
	close(pair[1]);
	watched = watched && shake_hands(pair[0], err);
	close(pair[0]);
	return watched;
}

int run_launch(const struct run_options *options, char **argv, int supervisor)
{
	struct err err;
	char text[sizeof(err.text) + 128];

	if (!be_watched(options, argv[0], supervisor, &err) && !options->quiet) {
		snprintf(text, sizeof(text), "there will be no snapshot: %s", err.text);
		options->say(text);
	}
	run_restore_inherited();
	execvp(argv[0], argv);
	const int status = errno == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE;
	snprintf(text, sizeof(text), "cannot run %.300s: %s", argv[0], strerror(errno));
	options->say(text);
	return status;
}

int run_program(const struct run_options *options, char **argv)
{
	return options->timeout_ns ? run_supervised(options, argv)
				   : run_launch(options, argv, -1);
}
