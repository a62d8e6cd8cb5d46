/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHELL_FOUND_NOTHING = 127, SHELL_CANNOT_RUN = 126 };

struct pager {
	char *command;
	pid_t pid;
	FILE *stream;
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

struct pager *pager_start(const char *command, struct err *err)
{
	AUTO(xfree) struct pager *pager = xcalloc(1, sizeof(*pager));
	int ends[2];
	bool started;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		err_sys(err, "cannot make a pipe");
		return NULL;
	}
	pager->command = xstrdup(command);
	started = spawn(pager, ends[0]);
	close(ends[0]);
	pager->stream = started ? fdopen(ends[1], "w") : NULL;
	if (!pager->stream) {
		err_sys(err, "cannot run the pager %.100s", command);
		close(ends[1]);
		xfree(pager->command);
		return NULL;
	}
	ignore_signals(pager);
	return TAKE(pager);
}

FILE *pager_stream(struct pager *pager)
{
	return pager->stream;
}

bool pager_finish(struct pager *pager, struct err *err)
{
	bool ran = true;
	int status = 0;
	if (!pager)
		return true;
	fclose(pager->stream);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
	sigaction(SIGPIPE, &pager->pipe, NULL);
	if (WIFEXITED(status) && (WEXITSTATUS(status) == SHELL_FOUND_NOTHING ||
				  WEXITSTATUS(status) == SHELL_CANNOT_RUN))
		ran = err_set(err, ERR_SYS, "cannot run the pager %.100s",
			      pager->command);
	xfree(pager->command);
	xfree(pager);
	return ran;
}
