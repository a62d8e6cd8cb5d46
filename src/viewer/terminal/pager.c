/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/broker.h"

enum { SHELL_FOUND_NOTHING = 127, SHELL_CANNOT_RUN = 126 };

struct pager {
	char *command;
	pid_t pid;				/* 0: the parent of the sandbox runs it */
	FILE *stream;				/* NULL: another process writes to it */
	struct sigaction interrupt, quit, pipe; /* previous actions */
};

/* Searches for the first word of the command as the shell does; true if only the shell
 * can tell. */
static bool can_be_found(const char *command)
{
	size_t len = strcspn(command, " \t");
	const char *path = getenv("PATH");
	bool found = false;
	if (strcspn(command, "|&;<>()$`\\\"'*?[#~=%") < len)
		return true;
	if (memchr(command, '/', len) || !path) {
		AUTO(xfree) char *name = xstrndup(command, len);
		return access(name, X_OK) == 0;
	}
	while (*path && !found) {
		size_t folder = strcspn(path, ":");
		AUTO(xfree)
		char *name = xasprintf("%.*s/%.*s", (int)folder, path, (int)len, command);
		found = access(name, X_OK) == 0;
		path += folder + (path[folder] == ':');
	}
	return found;
}

const char *pager_command(void)
{
	const char *command = getenv("GOSNAP_PAGER");
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	command += strspn(command, " \t");
	if (!*command || strcmp(command, "cat") == 0 || !can_be_found(command))
		return NULL;
	return command;
}

static bool spawn(struct pager *pager, int input)
{
	char *const arguments[] = { "sh", "-c", pager->command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int failure;
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	failure = posix_spawn(&pager->pid, "/bin/sh", &files, &attributes, arguments,
			      environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	errno = failure;
	return failure == 0;
}

static void ignore_signals(struct pager *pager)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGINT, &ignore, &pager->interrupt);
	sigaction(SIGQUIT, &ignore, &pager->quit);
	sigaction(SIGPIPE, &ignore, &pager->pipe);
}

static struct pager *pager_new(const char *command, int fd)
{
	struct pager *pager = xcalloc(1, sizeof(*pager));
	pager->command = xstrdup(command);
	pager->stream = fdopen(fd, "w");
	return pager;
}

static void pager_free(struct pager *pager)
{
	if (pager->stream)
		fclose(pager->stream);
	xfree(pager->command);
	xfree(pager);
}

static struct pager *ask_for_pager(const char *command, struct err *err)
{
	const struct question question = { .kind = ASK_PAGER };
	struct answer answer;
	int fd = -1;
	if (!sandbox_ask(&question, -1, &answer, &fd) || fd < 0) {
		err_set(err, ERR_SYS, "cannot run the pager %.100s", command);
		return NULL;
	}
	struct pager *pager = pager_new(command, fd);
	ignore_signals(pager);
	return pager;
}

struct pager *pager_start(const char *command, struct err *err)
{
	int ends[2];
	if (sandbox_is_closed())
		return ask_for_pager(command, err);
	if (pipe2(ends, O_CLOEXEC) < 0) {
		err_sys(err, "cannot make a pipe");
		return NULL;
	}
	struct pager *pager = pager_new(command, ends[1]);
	bool started = pager->stream && spawn(pager, ends[0]);
	if (!started) {
		err_sys(err, "cannot run the pager %.100s", command);
		pager_free(pager);
		pager = NULL;
	}
	close(ends[0]);
	if (pager)
		ignore_signals(pager);
	return pager;
}

FILE *pager_stream(struct pager *pager)
{
	return pager->stream;
}

/* Its exit status; -1: it ended otherwise. */
static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int status_of_end(struct pager *pager)
{
	const struct question question = { .kind = ASK_PAGER_ENDS };
	struct answer answer;
	int status = 0;
	if (!pager->pid)
		return sandbox_ask(&question, -1, &answer, NULL) ? answer.result : -1;
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		;
	return exit_status(status);
}

static void restore_signals(const struct pager *pager)
{
	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
	sigaction(SIGPIPE, &pager->pipe, NULL);
}

static int end_pager(struct pager *pager)
{
	if (pager->stream)
		fclose(pager->stream);
	pager->stream = NULL;
	int status = status_of_end(pager);
	restore_signals(pager);
	return status;
}

bool pager_finish(struct pager *pager, struct err *err)
{
	bool ran = true;
	if (!pager)
		return true;
	int status = end_pager(pager);
	if (status == SHELL_FOUND_NOTHING || status == SHELL_CANNOT_RUN)
		ran = err_set(err, ERR_SYS, "cannot run the pager %.100s",
			      pager->command);
	pager_free(pager);
	return ran;
}

struct pager_host {
	const char *command;
	struct pager *pager; /* NULL: none runs */
	int pidfd;	     /* of it, once its end is waited for; -1: none */
	struct sandbox_service services[3];
};

/* One at a time; which program, is not the sandbox's to say. */
static void serve_start(void *arg, const struct question *q, int fd, struct answer *ret,
			int *ret_fd)
{
	struct pager_host *host = arg;
	struct err ignored;
	(void)q, (void)fd;
	if (host->command && !host->pager)
		host->pager = pager_start(host->command, &ignored);
	if (!host->pager || !host->pager->stream) {
		ret->result = -EINVAL;
		return;
	}
	*ret_fd = fcntl(fileno(host->pager->stream), F_DUPFD_CLOEXEC, 0);
	fclose(TAKE(host->pager->stream));
}

/* The user may read for any length of time. */
static void serve_end(void *arg, const struct question *q, int fd, struct answer *ret,
		      int *ret_fd)
{
	struct pager_host *host = arg;
	(void)q, (void)fd, (void)ret_fd;
	ret->result = host->pager ? ANSWER_LATER : -1;
	if (host->pager && host->pidfd < 0)
		host->pidfd = (int)syscall(SYS_pidfd_open, host->pager->pid, 0);
}

static bool finish_end(void *arg, struct answer *ret, int *ret_fd,
		       struct answer_wait *ret_wait)
{
	struct pager_host *host = arg;
	int status = 0;
	(void)ret_fd;
	ret_wait->fd = host->pidfd;
	if (waitpid(host->pager->pid, &status, WNOHANG) == 0)
		return false;
	ret->result = exit_status(status);
	restore_signals(host->pager);
	pager_free(TAKE(host->pager));
	if (host->pidfd >= 0)
		close(host->pidfd);
	host->pidfd = -1;
	return true;
}

struct pager_host *pager_host_new(const char *command)
{
	struct pager_host *host = xcalloc(1, sizeof(*host));
	host->command = command;
	host->pidfd = -1;
	host->services[0] =
		(struct sandbox_service){ ASK_PAGER, serve_start, host, NULL };
	host->services[1] =
		(struct sandbox_service){ ASK_PAGER_ENDS, serve_end, host, finish_end };
	return host;
}

const struct sandbox_service *pager_host_services(const struct pager_host *host)
{
	return host->services;
}

void pager_host_free(struct pager_host *host)
{
	if (!host)
		return;
	if (host->pager) {
		end_pager(host->pager);
		pager_free(host->pager);
	}
	if (host->pidfd >= 0)
		close(host->pidfd);
	xfree(host);
}
