/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/systemd_core.h"

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"

/* SD_MESSAGE_COREDUMP of systemd/sd-messages.h */
#define COREDUMP "MESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1"

enum { OUTPUT_MAX = 1 << 16, ARGUMENTS_MAX = 16 };

extern char **environ;

/* What journalctl prints. NULL: err says why. */
static char *run(const char *const *arguments, struct err *err)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) < 0) {
		err_sys(err, "cannot create a pipe");
		return NULL;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	int failed = posix_spawnp(&pid, arguments[0], &actions, NULL,
				  (char *const *)(uintptr_t)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	char *text = xcalloc(1, OUTPUT_MAX + 1);
	size_t len = 0;
	for (ssize_t n = 1;
	     !failed && n > 0 && len<OUTPUT_MAX; len += n> 0 ? (size_t)n : 0)
		n = read(ends[0], text + len, OUTPUT_MAX - len);
	close(ends[0]);
	if (!failed && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) < 127)
		return text;
	xfree(text);
	err_set(err, ERR_CANNOT,
		"cannot run journalctl, which finds cores of systemd: %s",
		failed ? strerror(failed) : "it did not end well");
	return NULL;
}

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

char *systemd_core_find(const char *which, struct err *err)
{
	const char *arguments[ARGUMENTS_MAX] = {
		"journalctl", "--quiet",      "--reverse",
		"--lines=1",  "--output=cat", "--output-fields=COREDUMP_FILENAME",
	};
	AUTO(xfree) char *pid = xasprintf("COREDUMP_PID=%s", which);
	AUTO(xfree) char *unit = xasprintf("COREDUMP_UNIT=%s", which);
	AUTO(xfree) char *user_unit = xasprintf("COREDUMP_USER_UNIT=%s", which);
	size_t n = 6;

	arguments[n++] = COREDUMP;
	if (is_number(which)) {
		arguments[n++] = pid;
	} else if (strcmp(which, "latest") != 0) {
		arguments[n++] = unit;
		arguments[n++] = "+";
		arguments[n++] = COREDUMP;
		arguments[n++] = user_unit;
	}
	char *path = run(arguments, err);
	if (!path)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	if (*path == '/')
		return path;
	xfree(path);
	err_set(err, ERR_NOT_FOUND,
		"the journal has no core of %s that is kept as a file: see coredumpctl "
		"list",
		strcmp(which, "latest") == 0 ? "any process" : which);
	return NULL;
}
