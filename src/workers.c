/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIPE_BYTES = 1 << 20,
	DEATHS_MAX = 16, /* then there are no more workers */
};

#define MESSAGE_MAX (UINT64_C(1) << 30)

struct message {
	uint64_t n, bytes; /* goroutines and their text; n 0: the batch is done */
};

struct worker {
	pid_t pid;     /* 0: there is none */
	int to, from;  /* requests and messages */
	uint64_t born; /* its first batch */
};

struct workers {
	struct worker list[WORKERS_MAX];
	unsigned count, deaths;
	uint64_t submitted, collected; /* batches */
	print_batch_fn *print;
	void (*prepare)(void *arg);
	void *arg;
	struct printed printed[BATCH_MAX];
	char *text;
	size_t text_size;
	char death[64];
};

static bool write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_all(int fd, void *bytes, size_t len)
{
	char *p = bytes;

	while (len > 0) {
		ssize_t n = read(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static void send_back(void *arg, const struct printed *list, size_t n, const char *text,
		      size_t bytes)
{
	const struct message m = { n, bytes };
	int fd = *(int *)arg;

	if (!write_all(fd, &m, sizeof(m)) || !write_all(fd, list, n * sizeof(*list)) ||
	    !write_all(fd, text, bytes))
		_exit(0); /* nobody wants it any more */
}

static void work(struct workers *w, int from, int to) __attribute__((noreturn));
static void work(struct workers *w, int from, int to)
{
	const struct message done = { 0, 0 };
	struct batch batch;

	while (read_all(from, &batch, sizeof(batch))) {
		w->print(w->arg, &batch, send_back, &to);
		if (!write_all(to, &done, sizeof(done)))
			break;
	}
	_exit(0);
}

/* It dies when we do, and has no part in what others are waiting for. */
static void begin_work(struct workers *w, pid_t parent, int from, int to)
{
	prctl(PR_SET_NAME, "gosnap-worker");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	for (unsigned i = 0; i < w->count; i++) {
		if (w->list[i].pid) {
			close(w->list[i].to);
			close(w->list[i].from);
		}
	}
	w->prepare(w->arg);
	work(w, from, to);
}

static void start(struct workers *w, struct worker *ret)
{
	int requests[2], messages[2];
	pid_t parent = getpid();

	*ret = (struct worker){ .pid = 0 };
	if (pipe2(requests, O_CLOEXEC))
		return;
	if (pipe2(messages, O_CLOEXEC)) {
		close(requests[0]);
		close(requests[1]);
		return;
	}
	fcntl(messages[1], F_SETPIPE_SZ, PIPE_BYTES);
	pid_t pid = fork();
	if (pid == 0) {
		close(requests[1]);
		close(messages[0]);
		begin_work(w, parent, requests[0], messages[1]);
	}
	close(requests[0]);
	close(messages[1]);
	if (pid > 0) {
		*ret = (struct worker){ pid, requests[1], messages[0], 0 };
	} else {
		close(requests[1]);
		close(messages[0]);
	}
}

struct workers *workers_start(unsigned count, print_batch_fn *print,
			      void (*prepare)(void *arg), void *arg)
{
	struct workers *w = xcalloc(1, sizeof(*w));

	w->count = count < WORKERS_MAX ? count : WORKERS_MAX;
	w->print = print;
	w->prepare = prepare;
	w->arg = arg;
	for (unsigned i = 0; i < w->count; i++)
		start(w, &w->list[i]);
	return w;
}

static int end(struct worker *worker)
{
	int status = 0;

	if (!worker->pid)
		return 0;
	close(worker->to);
	close(worker->from);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	worker->pid = 0;
	return status;
}

void workers_end(struct workers *w)
{
	for (unsigned i = 0; w && i < w->count; i++)
		if (w->list[i].pid)
			kill(w->list[i].pid, SIGKILL);
	for (unsigned i = 0; w && i < w->count; i++)
		end(&w->list[i]);
	if (w)
		xfree(w->text);
	xfree(w);
}

/* The batches that it had are lost, the one submitted last included. */
static void bury(struct workers *w, struct worker *worker)
{
	kill(worker->pid, SIGKILL); /* it may only have talked nonsense */
	int status = end(worker);

	if (WIFSIGNALED(status))
		snprintf(w->death, sizeof(w->death), "signal %d", WTERMSIG(status));
	else
		snprintf(w->death, sizeof(w->death), "status %d", WEXITSTATUS(status));
	if (++w->deaths <= DEATHS_MAX)
		start(w, worker);
	worker->born = w->submitted;
}

void workers_submit(struct workers *w, const struct batch *batch)
{
	struct worker *worker = &w->list[w->submitted % w->count];

	w->submitted++;
	if (worker->pid && !write_all(worker->to, batch, sizeof(*batch)))
		bury(w, worker);
}

static bool read_message(struct workers *w, int fd, struct message *ret)
{
	if (!read_all(fd, ret, sizeof(*ret)) || ret->n > BATCH_MAX ||
	    ret->bytes > MESSAGE_MAX)
		return false;
	if (ret->bytes > w->text_size) {
		w->text_size = (size_t)ret->bytes;
		w->text = xreallocarray(w->text, w->text_size, 1);
	}
	return read_all(fd, w->printed, (size_t)ret->n * sizeof(w->printed[0])) &&
	       read_all(fd, w->text, (size_t)ret->bytes);
}

uint64_t workers_collect(struct workers *w, const struct batch *batch, printed_fn *fn,
			 void *fn_arg)
{
	struct worker *worker = &w->list[w->collected % w->count];
	uint64_t next = batch->first;
	struct message m;

	bool has_it = worker->pid && worker->born <= w->collected;
	w->collected++;
	while (has_it) {
		if (!read_message(w, worker->from, &m)) {
			bury(w, worker);
			return next;
		}
		if (!m.n)
			return batch->end;
		fn(fn_arg, w->printed, (size_t)m.n, w->text, (size_t)m.bytes);
		next = w->printed[m.n - 1].goroutine + 1;
	}
	return next;
}

const char *workers_death(const struct workers *w)
{
	return w->death[0] ? w->death : NULL;
}
