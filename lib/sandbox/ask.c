/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a signal handler: no function that is not async-signal-safe. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/sandbox/broker_priv.h"
#include "lib/sandbox/sandbox_priv.h"

static struct {
	pid_t owner; /* of fd; 0: no sandbox */
	int first;   /* of the process that closed the sandbox */
	int fd;
	atomic_flag busy; /* by another thread */
} channel = { .busy = ATOMIC_FLAG_INIT };

bool sandbox_is_closed(void)
{
	return channel.owner != 0;
}

/* A fork of ours gets a socket of its own: answers to two processes must not be mixed up. It has one
 * thread, whatever another was doing when it was made. */
static bool own_channel(void)
{
	const struct question q = { .kind = ASK_CHANNEL };
	const pid_t us = getpid();
	int pair[2];

	if (channel.owner == us)
		return true;
	atomic_flag_clear(&channel.busy);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	bool sent = message_send(channel.first, &q, offsetof(struct question, text),
				 pair[1], 0) > 0;
	close(pair[1]);
	channel.fd = pair[0];
	channel.owner = us;
	return sent;
}

bool sandbox_ask(const struct question *q, int fd, struct answer *ret, int *ret_fd)
{
	const size_t head = offsetof(struct answer, bytes);
	int came = -1;

	if (!own_channel())
		return false;
	while (atomic_flag_test_and_set(&channel.busy))
		sched_yield();
	ssize_t n = message_send(channel.fd, q, offsetof(struct question, text) + q->len,
				 fd, 0);
	if (n > 0)
		n = message_receive(channel.fd, ret, sizeof(*ret), &came, 0);
	atomic_flag_clear(&channel.busy);
	if (ret_fd)
		*ret_fd = came;
	else if (came >= 0)
		close(came);
	return n >= (ssize_t)head && ret->len <= (size_t)n - head;
}

int sandbox_ask_for_file(uint32_t kind, size_t number)
{
	const struct question q = { .kind = kind, .number = (int32_t)number };
	struct answer answer;
	int fd = -1;

	if (!sandbox_ask(&q, -1, &answer, &fd))
		errno = EIO;
	else if (fd < 0)
		errno = answer.result < 0 ? -answer.result : EIO;
	return fd;
}

/* "/proc/self/fd/N", and what follows: our own descriptors, which the parent does not have. Returns
 * what follows; NULL: another path. */
static const char *below_own(const char *path, int *ret_fd)
{
	static const char prefix[] = "/proc/self/fd/";
	int n = 0;

	if (strncmp(path, prefix, sizeof(prefix) - 1))
		return NULL;
	path += sizeof(prefix) - 1;
	if (*path < '0' || *path > '9')
		return NULL;
	for (; *path >= '0' && *path <= '9' && n < 1 << 20; path++)
		n = n * 10 + (*path - '0');
	*ret_fd = n;
	return *path == '/' ? path + 1 : *path ? NULL : path;
}

struct call {
	int folder;
	const char *path;
	long flags;
};

/* Below another root, all paths are. */
static bool is_relative(enum question_kind kind, const struct call *call)
{
	return call->folder != AT_FDCWD && (*call->path != '/' || kind == ASK_OPEN_BELOW);
}

static bool fill(struct question *q, enum question_kind kind, const struct call *call,
		 int *ret_fd)
{
	const char *path = call->path, *below = below_own(path, ret_fd);

	if (below)
		path = below;
	else
		*ret_fd = is_relative(kind, call) ? call->folder : -1;
	*q = (struct question){ .kind = kind, .number = (int32_t)call->flags };
	size_t len = strlen(path);
	if (len >= sizeof(q->text))
		return false;
	q->len = (uint32_t)len;
	memcpy(q->text, path, len);
	return true;
}

static long ask_open(enum question_kind kind, const struct call *call)
{
	struct question q;
	struct answer a;
	int with, got;

	if (!fill(&q, kind, call, &with))
		return -ENAMETOOLONG;
	/* A descriptor by its own name, once more: what was found has been opened already. */
	if (!q.len && with >= 0) {
		int fd = fcntl(with, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	if (!sandbox_ask(&q, with, &a, &got))
		return -EIO;
	return got >= 0 ? got : a.result < 0 ? a.result : -EACCES;
}

static long ask_link(const struct call *call, char *ret, size_t size)
{
	struct question q;
	struct answer a;
	int with;

	if (!fill(&q, ASK_READ_LINK, call, &with))
		return -ENAMETOOLONG;
	if (!sandbox_ask(&q, with, &a, NULL))
		return -EIO;
	if (a.result < 0)
		return a.result;
	size = a.len < size ? a.len : size;
	memcpy(ret, a.bytes, size);
	return (long)size;
}

static long ask_status(const struct call *call, struct stat *ret)
{
	struct question q;
	struct answer a;
	int with;

	if (!fill(&q, ASK_STATUS, call, &with))
		return -ENAMETOOLONG;
	if (!sandbox_ask(&q, with, &a, NULL))
		return -EIO;
	if (a.result < 0)
		return a.result;
	if (a.len != sizeof(*ret))
		return -EIO;
	memcpy(ret, a.bytes, sizeof(*ret));
	return 0;
}

static long ask_end(pid_t pid)
{
	const struct question q = { .kind = ASK_END_CHILD, .number = pid };
	struct answer a;

	return sandbox_ask(&q, -1, &a, NULL) ? a.result : -EIO;
}

static long ask_for(long number, const greg_t *r)
{
	const long a = r[REG_RDI], b = r[REG_RSI], c = r[REG_RDX], d = r[REG_R10];

	switch (number) {
	case SYS_open:
		return ask_open(ASK_OPEN, &(struct call){ AT_FDCWD, (const char *)a, b });
	case SYS_openat:
		return ask_open(ASK_OPEN, &(struct call){ (int)a, (const char *)b, c });
	case SYS_openat2:
		return ask_open(ASK_OPEN_BELOW,
				&(struct call){ (int)a, (const char *)b, 0 });
	case SYS_readlink:
		return ask_link(&(struct call){ AT_FDCWD, (const char *)a, 0 }, (char *)b,
				(size_t)c);
	case SYS_readlinkat:
		return ask_link(&(struct call){ (int)a, (const char *)b, 0 }, (char *)c,
				(size_t)d);
	case SYS_stat:
		return ask_status(&(struct call){ AT_FDCWD, (const char *)a, 0 },
				  (struct stat *)b);
	case SYS_newfstatat:
		/* A path that is not empty may be given with this flag, too. */
		if (d == AT_EMPTY_PATH && !*(const char *)b)
			return syscall(SYS_fstat, (int)a, c) ? -errno : 0;
		return ask_status(&(struct call){ (int)a, (const char *)b, d },
				  (struct stat *)c);
	case SYS_kill:
		return ask_end((pid_t)a);
	}
	return -ENOSYS;
}

/* Whoever took this process over may have set another handler; the call is not executed all the same. */
static void on_refused_call(int signo, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	greg_t *r = c->uc_mcontext.gregs;
	int saved = errno;

	(void)signo;
	if (info->si_errno != FILTER_ASK) {
		const struct question told = { .kind = TELL_FORBIDDEN,
					       .number = info->si_syscall };
		if (own_channel())
			(void)!message_send(channel.fd, &told,
					    offsetof(struct question, text), -1, 0);
		_exit(128 + SIGSYS);
	}
	r[REG_RAX] = ask_for(info->si_syscall, r);
	errno = saved;
}

void ask_begin(int fd)
{
	struct sigaction action = { .sa_sigaction = on_refused_call,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	sigset_t refused;

	sigemptyset(&action.sa_mask);
	sigaction(SIGSYS, &action, NULL);
	sigemptyset(&refused);
	sigaddset(&refused, SIGSYS);
	sigprocmask(SIG_UNBLOCK, &refused, NULL);
	channel.owner = getpid();
	channel.first = channel.fd = fd;
}
