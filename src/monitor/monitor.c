/* SPDX-License-Identifier: Apache-2.0 */
#include "src/monitor/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "src/monitor/last_words.h"
#include "src/monitor/sentry.h"

enum { PACKET_MAX = 4096 }; /* pipe(2), O_DIRECT: PIPE_BUF */
/* After a snapshot that took too long, the process goes on so much later at most. */
#define MARGIN_NS (UINT64_C(1) * 1000 * 1000 * 1000)

static bool is_it(const struct monitor *m)
{
	const uint64_t started = proc_started(m->pid);

	return started && (!m->start_time || started == m->start_time);
}

static void say(const char *text)
{
	/* The process may be gone, and nobody listens. */
	if (!write_fully(STDOUT_FILENO, text, strlen(text)))
		return;
}

/* The snapshot must not keep the pipe open: if we are killed, the process is to go on. */
static void take_in_child(const struct monitor *m, pid_t parent)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || nothing < 0)
		_exit(EXIT_FAILURE);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	if (m->relay >= 0)
		close(m->relay);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	const int status = m->take(m->arg);
	fflush(NULL);
	_exit(status);
}

/* SIGCHLD is blocked. */
static int wait_for(pid_t child, uint64_t timeout_ns)
{
	const uint64_t end = monotonic_ns() + timeout_ns;
	sigset_t ended;
	int status;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	while (waitpid(child, &status, WNOHANG) == 0) {
		const uint64_t now = monotonic_ns();
		const uint64_t left = now < end ? end - now : 0;
		const struct timespec time = { .tv_sec = (time_t)(left / 1000000000),
					       .tv_nsec = (long)(left % 1000000000) };
		if (left == 0) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			return -1;
		}
		sigtimedwait(&ended, NULL, &time);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* They are sent to all processes of a service, or of a terminal, and are meant for the program. When it
 * ends, so do we. */
static void ignore_ends(bool yes)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		signal(ends[i], yes ? SIG_IGN : SIG_DFL);
}

static void block_ends(void)
{
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
}

static void say_panic(const uint64_t panic[static MONITOR_PANIC_WORDS])
{
	AUTO(xfree)
	char *line = xasprintf("panic %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			       panic[0], panic[1], panic[2], panic[3]);
	if (panic[0])
		say(line);
}

/* True: there is a document. */
static bool take(const struct monitor *m)
{
	const pid_t self = getpid();
	int status = -1;

	if (is_it(m)) {
		const pid_t child = fork();
		if (child == 0)
			take_in_child(m, self);
		if (child > 0)
			status = wait_for(child, m->timeout_ns);
	}
	const bool done = status >= 0 && access(m->output, F_OK) == 0;
	AUTO(xfree)
	char *line = done	   ? xasprintf("snapshot %d %s\n", status, m->output)
		     : status == 0 ? xstrdup("noted\n")
				   : xasprintf("failed %d\n", status);
	if (done)
		say_panic(m->panic);
	say(line);
	return done;
}

/* In a process of its own: the one that reads must not wait for a server. It outlives us. */
static void send_document(const struct monitor *m)
{
	struct err err;

	if (!delivery_is_wanted(&m->delivery) || fork() != 0)
		return;
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	ignore_ends(false);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	if (m->relay >= 0)
		close(m->relay);
	const bool sent = deliver(&m->delivery, m->output, &err);
	if (!sent)
		fprintf(stderr, "gosnap: %s\n", err.text);
	fflush(stderr);
	_exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

static ssize_t read_packet(char ret[static PACKET_MAX])
{
	ssize_t n;

	do
		n = read(STDIN_FILENO, ret, PACKET_MAX);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Without reading. False: everybody closed it. */
static bool wait_for_packet(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	while (poll(&in, 1, -1) < 0 && errno == EINTR)
		;
	return in.revents & POLLIN;
}

static void pass_on(const struct monitor *m, const char *packet, ssize_t len)
{
	/* What else is there to do if nobody reads it? */
	if (m->relay >= 0 && !write_fully(m->relay, packet, (size_t)len))
		return;
}

/* One snapshot; then the rest of what it has to say. */
static void serve(const struct monitor *m, struct sentry *sentry)
{
	struct last_words words = { .dying = m->relay < 0 };
	char packet[PACKET_MAX];
	bool taken = false;

	while (wait_for_packet()) {
		if (words.dying && !taken) {
			taken = true;
			if (take(m))
				send_document(m);
		}
		const ssize_t n = read_packet(packet);
		if (n <= 0)
			return;
		sentry_served(sentry);
		sentry_permit(sentry, m->relay >= 0);
		pass_on(m, packet, n);
		sentry_permit(sentry, false);
		if (m->relay >= 0)
			last_words_hear(&words, packet, (size_t)n);
	}
}

/* What the program leaves open by mistake, such as a socket that it listens on, must not stay open for
 * longer than the program has it. */
static void close_inherited(int keep)
{
	const unsigned first = STDERR_FILENO + 1;

	if (keep > (int)first)
		close_range(first, (unsigned)keep - 1, 0);
	close_range(keep < 0 ? first : (unsigned)keep + 1, ~0U, 0);
}

/* While the program is dying, nobody may come to read a pipe. */
static bool is_pipe(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

bool monitor_run(const struct monitor *monitor, struct err *err)
{
	AUTO(xfree) char *folder = xstrdup(monitor->output);
	char *slash = strrchr(folder, '/');

	if (!is_it(monitor))
		return err_set(err, ERR_NOT_FOUND, "no process %d that began at %" PRIu64,
			       (int)monitor->pid, monitor->start_time);
	if (slash)
		*slash = '\0';
	if (access(!slash ? "." : slash == folder ? "/" : folder, W_OK | X_OK) != 0)
		return err_sys(err, "%s", monitor->output);
	if (is_pipe(monitor->output))
		return err_set(err, ERR_SYS, "%s is a pipe: choose a file",
			       monitor->output);
	if (!delivery_check(&monitor->delivery, err))
		return false;
	close_inherited(monitor->relay);
	block_ends();
	ignore_ends(true);
	AUTO(sentry_end)
	struct sentry *sentry =
		sentry_start(STDIN_FILENO, monitor->timeout_ns + MARGIN_NS);
	say("ready\n");
	serve(monitor, sentry);
	return true;
}
