/* SPDX-License-Identifier: Apache-2.0 */
#include "src/install/install_units.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/install/install_files.h"
#include "src/install/kernel_pidfd.h"
#include "src/handler/listen.h"

#define UNITS "/etc/systemd/system/"
#define SOCKET_UNIT "gosnap-core.socket"
#define SERVICE_UNIT "gosnap-core.service"

enum { FIRST = 6, SECOND = 17 }; /* numbers of the first kernel with "@@" */

extern char **environ;

static bool has_systemd(void)
{
	return access("/run/systemd/system", F_OK) == 0;
}

bool install_can_listen(struct err *err)
{
	struct utsname kernel;

	if (!kernel_is(FIRST, SECOND) && uname(&kernel) == 0)
		return err_set(err, ERR_CANNOT,
			       "Linux %.60s cannot send cores to a socket, which needs "
			       "6.17: use --core-pattern",
			       kernel.release);
	return has_systemd() || listen_is_open(INSTALL_SOCKET) ||
	       err_set(err, ERR_CANNOT,
		       "nobody listens at " INSTALL_SOCKET ", and there is no systemd to "
		       "start who does: have gosnap core-listen started at boot, or use "
		       "--core-pattern");
}

static bool run(const char *const *words, struct err *err)
{
	int status;
	pid_t pid;
	const int failed = posix_spawnp(&pid, words[0], NULL, NULL,
					(char *const *)(uintptr_t)words, environ);

	if (!failed && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 0)
		return true;
	return err_set(err, ERR_CANNOT, "systemctl %s %s %s", words[1],
		       words[2] ? words[2] : "",
		       failed ? strerror(failed) : "did not succeed");
}

static bool put(const char *path, const char *text, bool dry_run, install_say_fn *say,
		struct err *err)
{
	AUTO(xfree) char *sentence = xasprintf("write %s", path);

	if (install_has(path, text))
		return true;
	say(sentence);
	return dry_run || install_write(path, text, 0644, err);
}

bool install_units(const char *program, bool dry_run, install_say_fn *say,
		   struct err *err)
{
	static const char *const reload[] = { "systemctl", "daemon-reload", NULL };
	static const char *const enable[] = { "systemctl", "enable", "--now", SOCKET_UNIT,
					      NULL };
	static const char socket_unit[] =
		"# Written by gosnap install --socket; gosnap uninstall removes it.\n"
		"[Unit]\n"
		"Description=Cores of the kernel for gosnap\n"
		"DefaultDependencies=no\n"
		"Before=sockets.target\n\n"
		"[Socket]\n"
		"ListenStream=" INSTALL_SOCKET "\n"
		"SocketMode=0600\n"
		"Backlog=1024\n\n"
		"[Install]\n"
		"WantedBy=sockets.target\n";
	AUTO(xfree)
	char *service = xasprintf(
		"# Written by gosnap install --socket; gosnap uninstall removes it.\n"
		"[Unit]\n"
		"Description=Snapshots of crashes by gosnap\n"
		"DefaultDependencies=no\n"
		"Requires=" SOCKET_UNIT "\n\n"
		"[Service]\n"
		"ExecStart=%s core-listen\n"
		"KillMode=process\n"
		"Restart=on-failure\n"
		"LimitCORE=0\n",
		program);

	if (!has_systemd())
		return true;
	if (!put(UNITS SOCKET_UNIT, socket_unit, dry_run, say, err) ||
	    !put(UNITS SERVICE_UNIT, service, dry_run, say, err))
		return false;
	say("start and enable " SOCKET_UNIT);
	return dry_run || (run(reload, err) && run(enable, err));
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static bool disable_units(bool dry_run, install_say_fn *say, struct err *err)
{
	static const char *const disable[] = { "systemctl", "disable",	  "--now",
					       SOCKET_UNIT, SERVICE_UNIT, NULL };

	say("stop and disable " SOCKET_UNIT);
	return dry_run || run(disable, err);
}

/* If only one is there, uninstall was interrupted after it had disabled both. */
bool uninstall_units(bool dry_run, install_say_fn *say, struct err *err)
{
	static const char *const reload[] = { "systemctl", "daemon-reload", NULL };
	const bool socket = exists(UNITS SOCKET_UNIT),
		   service = exists(UNITS SERVICE_UNIT);

	return (!(socket && service) || disable_units(dry_run, say, err)) &&
	       install_remove(UNITS SOCKET_UNIT, dry_run, say, err) &&
	       install_remove(UNITS SERVICE_UNIT, dry_run, say, err) &&
	       (dry_run || !(socket || service) || run(reload, err));
}
