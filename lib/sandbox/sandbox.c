/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/sandbox/broker_priv.h"
#include "lib/sandbox/sandbox_priv.h"

enum {
	/* Of the child, when it could not close the sandbox. */
	NOT_CLOSED = 125,
	/* More than any work() returns. */
	STATUS_MAX = 64,
};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER
#endif

const char *sandbox_missing(void)
{
#ifdef HAS_SANITIZER
	return "sanitizers need system calls and memory that it forbids";
#else
	return NULL;
#endif
}

void sandbox_add_services(struct sandbox *how, const struct sandbox_service *services)
{
	size_t i = 0;

	while (i < SANDBOX_SERVICES - 1 && how->services[i])
		i++;
	how->services[i] = services;
}

/* So that all of it can be killed at once. Of the terminal it only wants to write to it. */
static void lead_group(void)
{
	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);
}

/* Without workers, there is nobody to share it with. */
static _Atomic uint64_t own_number, *shared_number = &own_number;

_Atomic uint64_t *sandbox_shared_number(void)
{
	return shared_number;
}

static void share_number(void)
{
	void *memory;

	if (shared_number != &own_number)
		return;
	memory = mmap(NULL, sizeof(*shared_number), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		shared_number = memory;
}

static void __attribute__((noreturn))
live_inside(const struct sandbox *how, int channel, pid_t parent, int (*work)(void *arg),
	    void *arg)
{
	struct err err = { .code = ERR_NONE };
	char ready = 0;
	int starts = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	if (how->workers)
		lead_group();
	bool closed = sandbox_close(how, channel, &starts, &err);
	if (!closed) {
		(void)!message_send(channel, &err, sizeof(err), -1, 0);
		_exit(NOT_CLOSED);
	}
	/* It must not answer itself. */
	(void)!message_send(channel, &ready, sizeof(ready), starts, 0);
	if (starts >= 0)
		close(starts);
	sandbox_trespass("start");
	int result = work(arg);
	fflush(NULL);
	/* What libraries do at the end of a process takes half a millisecond, and the kernel does it, too. */
	_exit(result);
}

/* Of both: that it is ready, or why not. */
static bool is_ready(int channel, int *ret_starts, struct err *err)
{
	struct err said = { .code = ERR_NONE };
	ssize_t n = message_receive(channel, &said, sizeof(said), ret_starts, 0);

	if (n == 1)
		return true;
	if (*ret_starts >= 0)
		close(*ret_starts);
	*ret_starts = -1;
	if (n != (ssize_t)sizeof(said))
		return err_set(err, ERR_SYS, SANDBOXED " ended at once");
	said.text[sizeof(said.text) - 1] = 0;
	return err_set(err, ERR_SYS,
		       "cannot close the sandbox: %.200s (--no-sandbox does without)",
		       said.text);
}

static bool how_it_ended(const struct sandbox *how, int status, int *ret, struct err *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) <= STATUS_MAX) {
		*ret = WEXITSTATUS(status);
		return true;
	}
	*ret = 0;
	if (WIFEXITED(status))
		return err_set(err, ERR_SYS, SANDBOXED " ended with status %d",
			       WEXITSTATUS(status));
	*ret = WTERMSIG(status);
	if (WTERMSIG(status) == SIGXCPU)
		return err_set(err, ERR_SYS,
			       SANDBOXED " used more CPU time than it may (%d seconds)",
			       how->server ? LIMIT_SANDBOX_SERVER_CPU_S
					   : LIMIT_SANDBOX_CPU_S);
	return err_set(err, ERR_SYS, SANDBOXED " was killed by signal %d (%s)",
		       WTERMSIG(status), strsignal(WTERMSIG(status)));
}

static void end_all(const struct sandbox *how, pid_t child, bool reaped)
{
	int status;

	if (!reaped) {
		kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	if (how->workers)
		group_end(child);
}

static bool watch(const struct sandbox *how, pid_t child, int channel, int *ret,
		  struct err *err)
{
	AUTO(broker_free) struct broker *b = broker_new(how, child, channel);
	int status = 0, starts = -1;
	const bool begun = is_ready(channel, &starts, err),
		   ended = begun && broker_serve(b, starts, &status, err);
	*ret = begun ? 0 : SANDBOX_NONE;
	end_all(how, child, ended);
	return ended && how_it_ended(how, status, ret, err);
}

bool sandbox_run(const struct sandbox *how, int (*work)(void *arg), void *arg, int *ret,
		 struct err *err)
{
	const pid_t us = getpid();
	int pair[2];

	*ret = SANDBOX_NONE;
	tzset(); /* opens a file */
	if (how->workers) {
		prctl(PR_SET_CHILD_SUBREAPER, 1); /* see group_end() */
		share_number();
	}
	fflush(NULL);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, "cannot create a socket to the sandbox");
	pid_t child = fork();
	if (child == 0) {
		close(pair[0]);
		live_inside(how, pair[1], us, work, arg);
	}
	int why = errno;
	close(pair[1]);
	if (child < 0) {
		close(pair[0]);
		errno = why;
		return err_sys(err, "cannot start a process for the sandbox");
	}
	return watch(how, child, pair[0], ret, err);
}
