/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/broker_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/cache.h"
#include "lib/procfs/proc_file.h"
#include "lib/sandbox/sandbox_priv.h"

enum {
	CHANNELS_MAX = 64, /* the sandbox and its workers */
	PENDING_MAX = 4,   /* services that take long */
	LOOK_MS = 50,  /* without a pidfd: how often we look whether the child is there */
	WATCH_MS = 20, /* with workers: how often we look what they are */
	IDLE_MS = 500, /* likewise, where they have no time limit, and so nothing to do */
};

/* A question that is not answered yet. */
struct pending {
	const struct sandbox_service *service;
	int channel; /* -1: nobody waits any more */
	struct answer_wait wait;
};

struct broker {
	const struct sandbox *how;
	pid_t child;
	int pidfd;
	int channels[CHANNELS_MAX];
	size_t channel_count;
	struct pending pending[PENDING_MAX];
	size_t pending_count;
	struct cached cached;
	unsigned files;	   /* temporary ones that it has got */
	int64_t forbidden; /* system call; -1: none */
	uint64_t watch_ns; /* when to look at the workers next */
	struct still still;
	int starts; /* see starts.c; -1: none */
	struct sandbox_allowance own, *allowance;
};

struct broker *broker_new(const struct sandbox *how, pid_t child, int channel)
{
	struct broker *b = xcalloc(1, sizeof(*b));

	b->how = how;
	b->child = child;
	b->pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	b->channels[b->channel_count++] = channel;
	b->cached.allowed = how->cache;
	b->forbidden = -1;
	b->starts = -1;
	b->own = (struct sandbox_allowance){
		.starts = how->workers ? how->workers + SANDBOX_SPARE_WORKERS : 0,
		.until_ns = how->max_ns ? monotonic_ns() + how->max_ns : 0,
	};
	b->allowance = how->allowance ? how->allowance : &b->own;
	still_begin(&b->still, how);
	return b;
}

void broker_free(struct broker *b)
{
	if (!b)
		return;
	while (b->channel_count)
		close(b->channels[--b->channel_count]);
	if (b->pidfd >= 0)
		close(b->pidfd);
	if (b->starts >= 0)
		close(b->starts);
	cache_close(b->cached.cache);
	xfree(b);
}

/* Only a child of the child: by a pidfd, so that it is still the same when it gets the signal. */
static int end_child(const struct broker *b, pid_t pid)
{
	int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd < 0)
		return -ESRCH;
	AUTO(xfree) char *status = proc_file(pid, "status");
	int result = -EPERM;
	if (status && proc_number(status, "PPid", 10) == (uint64_t)b->child)
		result = syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0
				 ? 0
				 : -errno;
	close(fd);
	return result;
}

static int add_channel(struct broker *b, int *fd)
{
	if (*fd < 0 || b->channel_count == CHANNELS_MAX)
		return -ENFILE;
	b->channels[b->channel_count++] = *fd;
	*fd = -1;
	return 0;
}

/* Asked for one too many. Who has closed one may have kept it elsewhere, so it counts. */
static bool has_enough_files(struct broker *b, int flags)
{
	return files_is_temporary(flags) && b->how->max_files &&
	       b->files++ >= b->how->max_files;
}

static void open_for(struct broker *b, const struct question *q, int folder,
		     struct answer *ret, int *ret_fd)
{
	const int flags = q->kind == ASK_OPEN ? q->number : BELOW_ROOT;
	int fd = has_enough_files(b, flags) ? -ENFILE
					    : files_open(b->how, folder, q->text, flags);

	ret->result = fd < 0 ? fd : 0;
	*ret_fd = fd < 0 ? -1 : fd;
}

static const struct sandbox_service *service_for(const struct broker *b, uint32_t kind)
{
	for (size_t i = 0; i < SANDBOX_SERVICES; i++)
		for (const struct sandbox_service *s = b->how->services[i]; s && s->kind;
		     s++)
			if (s->kind == kind)
				return s;
	return NULL;
}

static bool is_busy(const struct broker *b, const struct sandbox_service *s)
{
	for (size_t i = 0; i < b->pending_count; i++)
		if (b->pending[i].service == s)
			return true;
	return s->finish && b->pending_count == PENDING_MAX;
}

static void serve(struct broker *b, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const struct sandbox_service *s = service_for(b, q->kind);

	if (!s)
		ret->result = -ENOSYS;
	else if (is_busy(b, s))
		ret->result = -EBUSY;
	else
		s->serve(s->arg, q, fd, ret, ret_fd);
	if (s && q->kind == ASK_PAGER &&
	    ret->result >= 0) /* from now on it waits for a person */
		b->still.most_ns = 0;
}

static void answer(struct broker *b, const struct question *q, int fd, struct answer *ret,
		   int *ret_fd)
{
	struct stat st;

	switch (q->kind) {
	case ASK_OPEN:
	case ASK_OPEN_BELOW:
		open_for(b, q, fd, ret, ret_fd);
		break;
	case ASK_READ_LINK:
		ret->result = files_read_link(b->how, fd, q->text, ret->bytes,
					      sizeof(ret->bytes));
		ret->len = ret->result < 0 ? 0 : (uint32_t)ret->result;
		break;
	case ASK_STATUS:
		ret->result = files_status(b->how, fd, q->text, q->number, &st);
		ret->len = ret->result < 0 ? 0 : sizeof(st);
		memcpy(ret->bytes, &st, ret->len);
		break;
	case ASK_END_CHILD:
		ret->result = end_child(b, q->number);
		break;
	case ASK_CACHED:
	case ASK_CACHE:
		cached_serve(&b->cached, q, fd, ret, ret_fd);
		break;
	default:
		serve(b, q, fd, ret, ret_fd);
	}
}

/* A message that no code of ours sends is an attacker's. */
static bool is_sound(struct question *q, ssize_t n)
{
	const size_t head = offsetof(struct question, text);

	if (n < (ssize_t)head || q->len != (size_t)n - head || q->len >= sizeof(q->text))
		return false;
	q->text[q->len] = 0;
	return q->kind >= ASK_SERVICE || strlen(q->text) == q->len;
}

static bool reply(int channel, const struct answer *a, int fd)
{
	return message_send(channel, a, offsetof(struct answer, bytes) + a->len, fd,
			    MSG_DONTWAIT) > 0;
}

static void remember(struct broker *b, uint32_t kind, int channel)
{
	b->pending[b->pending_count++] = (struct pending){
		.service = service_for(b, kind), .channel = channel, .wait = { .fd = -1 }
	};
}

/* False: not yet. */
static bool finish_one(struct pending *p)
{
	struct answer a = { .result = 0, .len = 0 };
	int got = -1;

	if (!p->service->finish(p->service->arg, &a, &got, &p->wait))
		return false;
	/* Who does not take it finds the channel full. */
	if (p->channel >= 0)
		(void)!reply(p->channel, &a, got);
	if (got >= 0)
		close(got);
	return true;
}

static void finish_ready(struct broker *b)
{
	for (size_t i = b->pending_count; i-- > 0;)
		if (finish_one(&b->pending[i]))
			b->pending[i] = b->pending[--b->pending_count];
}

static void close_channel(struct broker *b, size_t i)
{
	for (size_t j = 0; j < b->pending_count; j++)
		if (b->pending[j].channel == b->channels[i])
			b->pending[j].channel = -1;
	close(b->channels[i]);
	b->channels[i] = b->channels[--b->channel_count];
}

/* False: the channel is closed, or speaks nonsense. */
static bool serve_one(struct broker *b, int channel)
{
	struct question q;
	struct answer a = { .result = 0, .len = 0 };
	int with, got = -1;
	ssize_t n = message_receive(channel, &q, sizeof(q), &with, MSG_DONTWAIT);
	bool sound = n > 0 && is_sound(&q, n);

	if (sound && q.kind == ASK_CHANNEL)
		(void)add_channel(b, &with);
	else if (sound && q.kind == TELL_FORBIDDEN)
		b->forbidden = q.number;
	else if (sound) {
		answer(b, &q, with, &a, &got);
		if (a.result == ANSWER_LATER)
			remember(b, q.kind, channel);
		else
			sound = reply(channel, &a, got);
	}
	if (with >= 0)
		close(with);
	if (got >= 0)
		close(got);
	return sound || (n < 0 && errno == EAGAIN);
}

/* Children first: what a child said is older than what its parent says about its end. */
static void serve_ready(struct broker *b, const struct pollfd *waiting, size_t n)
{
	for (size_t i = n; i-- > 0 && b->forbidden < 0;)
		if (waiting[i].revents && !serve_one(b, b->channels[i]))
			close_channel(b, i);
}

static int watch_ms(const struct broker *b)
{
	return b->how->allowance && !b->how->allowance->until_ns ? IDLE_MS : WATCH_MS;
}

static int patience_ms(const struct broker *b)
{
	const uint64_t now = monotonic_ns();
	const uint64_t still_ms = b->still.look_ns / 1000000 + 1;
	uint64_t until_ns = b->allowance->until_ns;
	int ms = b->how->workers ? watch_ms(b) : b->pidfd < 0 ? LOOK_MS : -1;

	if (b->still.most_ns && (ms < 0 || (uint64_t)ms > still_ms))
		ms = (int)still_ms;
	for (size_t i = 0; i < b->pending_count; i++) {
		const struct answer_wait *wait = &b->pending[i].wait;
		if (wait->fd < 0 && (ms < 0 || ms > LOOK_MS))
			ms = LOOK_MS;
		if (wait->until_ns && (!until_ns || wait->until_ns < until_ns))
			until_ns = wait->until_ns;
	}
	if (!until_ns)
		return ms;
	uint64_t left = until_ns > now ? (until_ns - now) / 1000000 + 1 : 0;
	return ms >= 0 && (uint64_t)ms < left ? ms : left < INT_MAX ? (int)left : INT_MAX;
}

/* Often enough, however many questions come. */
static bool workers_are_fine(struct broker *b, struct err *err)
{
	const uint64_t now = b->how->workers ? monotonic_ns() : 0;

	if (now < b->watch_ns || !b->how->workers)
		return true;
	b->watch_ns = now + (uint64_t)watch_ms(b) * 1000 * 1000;
	return group_watch(b->how, b->child, err);
}

static bool is_late(const struct broker *b)
{
	return b->allowance->until_ns && monotonic_ns() >= b->allowance->until_ns;
}

static bool is_owed(const struct broker *b)
{
	for (size_t i = 0; i < b->pending_count; i++)
		if (b->pending[i].channel >= 0)
			return true;
	return false;
}

static bool is_in_time(struct broker *b, struct err *err)
{
	if (is_late(b))
		return err_set(err, ERR_SYS, SANDBOXED " took too long");
	return !still_is_over(&b->still, b->how, is_owed(b)) ||
	       err_set(err, ERR_SYS,
		       SANDBOXED " did nothing for too long (%" PRIu64 " seconds)",
		       b->still.most_ns / SECOND_NS);
}

static void answer_starts(struct broker *b, short events)
{
	if (!events)
		return;
	if (events & POLLIN && starts_answer(b->starts, b->child, &b->allowance->starts))
		return;
	close(b->starts);
	b->starts = -1;
}

bool broker_serve(struct broker *b, int starts, int *ret_status, struct err *err)
{
	struct pollfd waiting[CHANNELS_MAX + 2 + PENDING_MAX];

	b->starts = starts;
	for (;;) {
		const size_t n = b->channel_count;
		for (size_t i = 0; i < n; i++)
			waiting[i] =
				(struct pollfd){ .fd = b->channels[i], .events = POLLIN };
		waiting[n] = (struct pollfd){ .fd = b->pidfd, .events = POLLIN };
		waiting[n + 1] = (struct pollfd){ .fd = b->starts, .events = POLLIN };
		for (size_t i = 0; i < b->pending_count; i++)
			waiting[n + 2 + i] = (struct pollfd){ .fd = b->pending[i].wait.fd,
							      .events = POLLIN };
		int ready = poll(waiting, n + 2 + b->pending_count, patience_ms(b));
		if (ready > 0) {
			answer_starts(b, waiting[n + 1].revents);
			serve_ready(b, waiting, n);
		}
		finish_ready(b);
		if (b->forbidden >= 0)
			return err_set(err, ERR_SYS,
				       SANDBOXED " made a forbidden system call: %d (%s)",
				       (int)b->forbidden, syscall_name(b->forbidden));
		/* What it said last comes first. */
		if ((b->pidfd < 0 || waiting[n].revents) &&
		    waitpid(b->child, ret_status, WNOHANG) == b->child)
			return true;
		if (!workers_are_fine(b, err) || !is_in_time(b, err))
			return false;
	}
}
