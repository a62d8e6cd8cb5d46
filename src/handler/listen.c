/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "src/handler/peer.h"
#include "src/handler/report.h"

/* sd_listen_fds(3) */
enum { FIRST_FD = 3, BACKLOG = 4096 };
enum { SHORTAGE_NS = 100 * 1000 * 1000 };

#define ACCEPTS "00010000" /* __SO_ACCEPTCON */

static bool is_activated(void)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
	const bool ours =
		pid && n && strtol(pid, NULL, 10) == getpid() && strtol(n, NULL, 10) > 0;

	/* Not for the programs that cores are handed on to. */
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return ours;
}

static int refuse(int fd, const char *path, struct err *err)
{
	err_sys(err, "cannot listen at %.100s", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Num RefCount Protocol Flags Type St Inode Path (net/unix/af_unix.c). Any user can have a line there that
 * looks so: a name may have line feeds. */
static bool is_listed(const char *path)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512], flags[16], name[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %*s %15s %*s %*s %*s %255s", flags, name) ==
				2 &&
			strcmp(flags, ACCEPTS) == 0 && strcmp(name, path) == 0;
	if (f)
		fclose(f);
	return found;
}

/* A socket of another type cannot connect, which nobody notices, but it is told who is there. Only whom it
 * may not know of is looked for in the list. */
bool listen_is_open(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	const int why = connect(fd, (struct sockaddr *)&at, sizeof(at)) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return !why || why == EPROTOTYPE || (why == EACCES && is_listed(path));
}

/* Somebody who still listens there keeps it, and so does what is no socket. */
static bool remove_stale(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT;
	if (S_ISSOCK(st.st_mode) && !listen_is_open(path))
		return unlink(path) == 0 || errno == ENOENT;
	errno = S_ISSOCK(st.st_mode) ? EADDRINUSE : EEXIST;
	return false;
}

int listen_open(const char *path, struct err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (is_activated()) {
		fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
		return FIRST_FD;
	}
	if (path[0] != '/' || strlen(path) >= sizeof(at.sun_path)) {
		err_set(err, ERR_USAGE,
			"the path of a socket is absolute and short: %.100s", path);
		return -1;
	}
	strcpy(at.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const mode_t mask = umask(0177);
	const bool ok = fd >= 0 && remove_stale(path) &&
			bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
			listen(fd, BACKLOG) == 0;
	umask(mask);
	return ok ? fd : refuse(fd, path, err);
}

static void serve(const struct handler *handler, int connection)
{
	struct core_source source;
	struct crash *crash = handler->arg;
	struct err err;

	signal(SIGCHLD, SIG_DFL);
	if (peer_read(connection, crash, &source, &err)) {
		handler_run(handler, crash, &source);
	} else {
		report_open(crash->pid);
		report("the core is lost: %s", err.text);
	}
	_exit(0);
}

/* Of what is there again when the storm is over. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

bool listen_run(int socket, const struct handler *handler, struct err *err)
{
	signal(SIGCHLD, SIG_IGN); /* nobody waits for them */
	for (;;) {
		int connection = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
		if (connection < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (connection < 0 && is_shortage(errno)) {
			nanosleep(&(struct timespec){ .tv_nsec = SHORTAGE_NS }, NULL);
			continue;
		}
		if (connection < 0)
			return err_sys(err, "cannot accept a core");
		const pid_t pid = fork();
		if (pid == 0) {
			close(socket);
			serve(handler, connection);
		}
		if (pid < 0) {
			report_open(0);
			report("a core is lost: cannot fork: %s", strerror(errno));
		}
		close(connection);
	}
}
