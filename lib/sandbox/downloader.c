/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/downloader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/broker_priv.h"
#include "lib/sandbox/sandbox_priv.h"

#define DOWNLOADING "the process that downloads"

enum {
	ERRNO_MAX = 4095,
	SAID_MAX = 256,
	GRACE_S = 1, /* so that the library says itself what took so long */
};

struct downloader {
	char *folder;
	download_fn *get;
	uint64_t total_ns, left_ns; /* for all, and for what is still to come */
	unsigned count;
	pid_t child; /* 0: none */
	int pidfd, channel;
	bool busy;
	uint64_t since_ns, until_ns; /* of the download that is under way */
};

struct downloader *downloader_new(const char *folder, download_fn *get, uint64_t total_ns)
{
	struct downloader *d = xcalloc(1, sizeof(*d));

	d->folder = xstrdup(folder);
	d->get = get;
	d->total_ns = d->left_ns = total_ns;
	d->pidfd = d->channel = -1;
	return d;
}

static void say(struct answer *ret, int result, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct answer *ret, int result, const char *format, ...)
{
	va_list args;

	ret->result = result;
	va_start(args, format);
	int len = vsnprintf(ret->bytes, SAID_MAX, format, args);
	va_end(args);
	ret->len = len < SAID_MAX ? (uint32_t)len : SAID_MAX - 1;
}

/* What the library has open may be open for writing, too. */
static int reopened(int fd, const char *path)
{
	if (fd < 0)
		return fd;
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

static void get_one(const struct downloader *d, int channel,
		    const struct download *wanted)
{
	struct answer a = { .result = 0, .len = 0 };

	sandbox_trespass_confined("download");
	int fd = reopened(d->get(wanted, a.bytes, sizeof(a.bytes)), a.bytes);
	if (fd < 0)
		a.result = fd;
	else
		a.len = (uint32_t)strnlen(a.bytes, sizeof(a.bytes));
	if (message_send(channel, &a, offsetof(struct answer, bytes) + a.len, fd, 0) <= 0)
		_exit(EXIT_FAILURE);
	if (fd >= 0)
		close(fd);
}

/* Of this user alone. What fails is found when it is opened. */
static void make_folder(const char *path)
{
	AUTO(xfree) char *part = xstrdup(path);

	for (char *slash = part + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(part, 0700);
	}
	mkdir(part, 0700);
}

/* Our own handlers are not its. */
static void reset_signals(void)
{
	sigset_t none;

	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void __attribute__((noreturn))
live(const struct downloader *d, int channel, pid_t parent)
{
	struct download wanted;
	struct answer a = { .result = 0, .len = 0 };
	struct err err;
	int none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	reset_signals();
	make_folder(d->folder);
	if (!downloader_close(d->folder, channel, &err)) {
		say(&a, -EPERM, "cannot confine " DOWNLOADING ": %.150s", err.text);
		(void)!message_send(channel, &a, offsetof(struct answer, bytes) + a.len,
				    -1, 0);
		_exit(EXIT_FAILURE);
	}
	while (message_receive(channel, &wanted, sizeof(wanted), &none, 0) ==
	       (ssize_t)sizeof(wanted))
		get_one(d, channel, &wanted);
	_exit(EXIT_SUCCESS);
}

static bool start(struct downloader *d)
{
	const pid_t us = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	fflush(NULL);
	d->child = fork();
	if (d->child == 0)
		live(d, pair[1], us);
	close(pair[1]);
	if (d->child < 0) {
		d->child = 0;
		close(pair[0]);
		return false;
	}
	d->channel = pair[0];
	d->pidfd = (int)syscall(SYS_pidfd_open, d->child, 0);
	return true;
}

/* Its status. It may have been reaped already with what the sandbox left: then its number is not its
 * own any more, but its descriptor is. */
static int end(struct downloader *d)
{
	int status = 0;

	if (d->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, d->pidfd, SIGKILL, NULL, 0);
	else
		kill(d->child, SIGKILL);
	while (waitpid(d->child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (d->pidfd >= 0)
		close(d->pidfd);
	close(d->channel);
	d->pidfd = d->channel = -1;
	d->child = 0;
	return status;
}

void downloader_renew(struct downloader *d)
{
	d->count = 0;
	d->left_ns = d->total_ns;
}

void downloader_free(struct downloader *d)
{
	if (!d)
		return;
	if (d->child)
		end(d);
	xfree(d->folder);
	xfree(d);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool send_on(struct downloader *d, const struct download *wanted)
{
	const uint64_t second = 1000000000,
		       ns = lesser(d->left_ns, wanted->seconds * second);
	struct download bounded = *wanted;

	bounded.seconds = (uint32_t)((ns + second - 1) / second);
	d->since_ns = monotonic_ns();
	d->until_ns = d->since_ns + (bounded.seconds + GRACE_S) * second;
	return message_send(d->channel, &bounded, sizeof(bounded), -1, MSG_DONTWAIT) > 0;
}

void downloader_ask(struct downloader *d, const struct download *wanted,
		    struct answer *ret)
{
	if (wanted->id_len < DOWNLOAD_ID_MIN || wanted->id_len > DOWNLOAD_ID_MAX) {
		say(ret, -EINVAL, "no build-id has %u bytes", wanted->id_len);
	} else if (d->busy) {
		ret->result = -EBUSY;
	} else if (d->count == DOWNLOADS_MAX) {
		say(ret, -EDQUOT, "at most %d files are asked for", DOWNLOADS_MAX);
	} else if (!d->left_ns) {
		say(ret, -ETIME, "the time for all downloads is over");
	} else if ((!d->child && !start(d)) || !send_on(d, wanted)) {
		say(ret, -EAGAIN, "cannot start " DOWNLOADING);
	} else {
		d->count++;
		d->busy = true;
		ret->result = ANSWER_LATER;
	}
}

/* What it answered, if that is what we send it for. */
static void take(const struct answer *a, size_t n, int fd, struct answer *ret,
		 int *ret_fd)
{
	const size_t head = offsetof(struct answer, bytes);

	if (n < head || a->len > n - head || (fd < 0 && a->result >= 0) ||
	    a->result < -ERRNO_MAX) {
		say(ret, -EIO, DOWNLOADING " sent nonsense");
	} else if (fd < 0) {
		ret->result = a->result;
		ret->len = a->len < SAID_MAX ? a->len : SAID_MAX;
	} else if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY ||
		   !files_is_program(fd)) {
		say(ret, -ENOEXEC, "what was downloaded is not an ELF file");
	} else {
		*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		ret->len = a->len;
	}
	if (ret->bytes[0] == 0)
		memcpy(ret->bytes, a->bytes, ret->len);
}

static void say_how_it_ended(int status, struct answer *ret)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		say(ret, -EIO, DOWNLOADING " used more CPU time than it may");
	else if (WIFSIGNALED(status))
		say(ret, -EIO, DOWNLOADING " was killed by signal %d (%s)",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		say(ret, -EIO, DOWNLOADING " ended");
}

bool downloader_finish(struct downloader *d, struct answer *ret, int *ret_fd,
		       struct answer_wait *ret_wait)
{
	struct answer a;
	int fd;
	ssize_t n = message_receive(d->channel, &a, sizeof(a), &fd, MSG_DONTWAIT);
	const uint64_t now = monotonic_ns();

	*ret_wait = (struct answer_wait){ .fd = d->channel, .until_ns = d->until_ns };
	if (n < 0 && errno == EAGAIN && now < d->until_ns)
		return false;
	if (n > 0) {
		take(&a, (size_t)n, fd, ret, ret_fd);
	} else if (now >= d->until_ns) {
		end(d);
		say(ret, -ETIME, "no answer in %d seconds",
		    (int)((d->until_ns - d->since_ns) / 1000000000) - GRACE_S);
	} else {
		say_how_it_ended(end(d), ret);
	}
	if (fd >= 0)
		close(fd);
	d->busy = false;
	d->left_ns -= lesser(d->left_ns, now - d->since_ns);
	return true;
}
