/* SPDX-License-Identifier: Apache-2.0 */
/* reader_host.c - the parent of processes that read documents. Between it and each is one more, which is
 * the parent of that sandbox, and says how it ended. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/broker.h"
#include "lib/sandbox/message.h"
#include "src/viewer/serve/reader_process.h"

enum {
	PROCESSES_MAX = READERS_MAX + 1, /* one is for summaries */
	SERVICES = 2,
};

struct reader_host {
	bool no_sandbox;
	pid_t pids
		[PROCESSES_MAX]; /* 0: none; also of one that has ended, until it is told to */
	struct sandbox_service services[SERVICES + 1];
};

static void say_end(int socket, const char *why)
{
	struct reader_part part = { .is_last = true };
	const size_t len = strlen(why);

	memcpy(part.bytes, why, len);
	(void)!message_send(socket, &part, offsetof(struct reader_part, bytes) + len, -1,
			    MSG_DONTWAIT);
}

static void __attribute__((noreturn))
live(const struct reader_host *host, int socket, pid_t parent)
{
	const struct sandbox how = { .keep = { socket }, .keep_count = 1 };
	struct err err;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	sandbox_close_others(&how, socket);
	if (host->no_sandbox || sandbox_missing())
		status = reader_process_live(&socket);
	else if (!sandbox_run(&how, reader_process_live, &socket, &status, &err)) {
		say_end(socket, err.text);
		_exit(EXIT_FAILURE);
	}
	if (status == READER_OUT_OF_MEMORY)
		say_end(socket, "it takes more memory than there may be for it");
	_exit(EXIT_SUCCESS);
}

/* Its number; negative: of errno. */
static int start(struct reader_host *host, int *ret_fd)
{
	const pid_t us = getpid();
	int pair[2], number = 0;

	while (number < PROCESSES_MAX && host->pids[number])
		number++;
	if (number == PROCESSES_MAX)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0)
		live(host, pair[1], us);
	const int why = errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -why;
	}
	host->pids[number] = pid;
	*ret_fd = pair[0];
	return number;
}

/* Its child is killed with it. */
static void end(struct reader_host *host, int number)
{
	if (number < 0 || number >= PROCESSES_MAX || !host->pids[number])
		return;
	kill(host->pids[number], SIGKILL);
	waitpid(host->pids[number], NULL, 0);
	host->pids[number] = 0;
}

static void serve_start(void *arg, const struct question *q, int fd, struct answer *ret,
			int *ret_fd)
{
	(void)q, (void)fd;
	ret->result = start(arg, ret_fd);
}

static void serve_end(void *arg, const struct question *q, int fd, struct answer *ret,
		      int *ret_fd)
{
	(void)fd, (void)ret, (void)ret_fd;
	end(arg, q->number);
}

struct reader_host *reader_host_new(bool no_sandbox)
{
	struct reader_host *host = xcalloc(1, sizeof(*host));

	host->no_sandbox = no_sandbox;
	host->services[0] =
		(struct sandbox_service){ ASK_READER, serve_start, host, NULL };
	host->services[1] =
		(struct sandbox_service){ ASK_READER_END, serve_end, host, NULL };
	return host;
}

const struct sandbox_service *reader_host_services(const struct reader_host *host)
{
	return host->services;
}

void reader_host_free(struct reader_host *host)
{
	if (!host)
		return;
	for (int i = 0; i < PROCESSES_MAX; i++)
		end(host, i);
	xfree(host);
}

static int ask(int *ret_fd)
{
	const struct question q = { .kind = ASK_READER };
	struct answer answer;

	return sandbox_ask(&q, -1, &answer, ret_fd) ? answer.result : -EIO;
}

int reader_start(struct reader_host *host, int *ret_number, struct err *err)
{
	int fd = -1;

	*ret_number = sandbox_is_closed() ? ask(&fd) : start(host, &fd);
	if (fd >= 0)
		return fd;
	errno = *ret_number < 0 ? -*ret_number : EIO;
	err_sys(err, "cannot start a process that reads it");
	return -1;
}

void reader_end(struct reader_host *host, int number)
{
	const struct question q = { .kind = ASK_READER_END, .number = number };
	struct answer answer;

	if (!sandbox_is_closed())
		end(host, number);
	else if (!sandbox_ask(&q, -1, &answer, NULL))
		errno = EIO; /* the parent is gone, and so will it be */
}
