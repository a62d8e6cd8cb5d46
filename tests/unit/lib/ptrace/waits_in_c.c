/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/lib/ptrace/waits_in_c.h"

#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 3600 * 1000 };

static const struct timespec hour = { .tv_sec = 3600 };
static char much[MUCH];

static long wait_read(void)
{
	int ends[2];
	char byte;

	return pipe(ends) ? -1 : read(ends[0], &byte, 1);
}

static long wait_on_futex(const struct timespec *limit)
{
	uint32_t word = 0;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, limit, NULL, 0);
}

static long wait_futex(void)
{
	return wait_on_futex(NULL);
}

static long wait_futex_timed(void)
{
	return wait_on_futex(&hour);
}

static long wait_poll(void)
{
	return poll(NULL, 0, -1);
}

static long wait_poll_timed(void)
{
	return poll(NULL, 0, LIMIT_MS);
}

static long wait_nanosleep(void)
{
	return nanosleep(&hour, NULL);
}

static long wait_semop(void)
{
	struct sembuf down = { .sem_op = -1 };

	return semop(wait_semaphore, &down, 1);
}

static long wait_semtimedop(void)
{
	struct sembuf down = { .sem_op = -1 };

	return semtimedop(wait_semaphore, &down, 1, &hour);
}

static long wait_signal(const struct timespec *limit)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, limit);
}

static long wait_sigwaitinfo(void)
{
	return wait_signal(NULL);
}

static long wait_sigtimedwait(void)
{
	return wait_signal(&hour);
}

static long wait_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, -1);
}

static long wait_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(epoll_create1(0), &event, 1, -1, &none);
}

static long wait_epoll_pwait2(void)
{
	struct epoll_event event;

	return syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, NULL, NULL, 0);
}

static long wait_epoll_timed(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, LIMIT_MS);
}

static long wait_epoll_pwait_timed(void)
{
	struct epoll_event event;

	return epoll_pwait(epoll_create1(0), &event, 1, LIMIT_MS, NULL);
}

static long wait_epoll_pwait2_timed(void)
{
	struct epoll_event event;

	return syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, &hour, NULL, 0);
}

static long wait_for_events(const struct timespec *limit)
{
	unsigned long context = 0;
	char events[64];

	if (syscall(SYS_io_setup, 8, &context))
		wait_is_absent();
	return syscall(SYS_io_getevents, context, 1, 1, events, limit);
}

static long wait_io_getevents(void)
{
	return wait_for_events(NULL);
}

static long wait_io_getevents_timed(void)
{
	return wait_for_events(&hour);
}

static int ring(struct io_uring_params *ret)
{
	memset(ret, 0, sizeof(*ret));
	int fd = (int)syscall(SYS_io_uring_setup, 8, ret);
	if (fd < 0)
		wait_is_absent();
	return fd;
}

static long wait_io_uring(void)
{
	struct io_uring_params params;

	return syscall(SYS_io_uring_enter, ring(&params), 0, 1, IORING_ENTER_GETEVENTS,
		       NULL, 0);
}

static long wait_io_uring_timed(void)
{
	struct io_uring_params params;
	struct io_uring_getevents_arg limit = { .ts = (uintptr_t)&hour };

	return syscall(SYS_io_uring_enter, ring(&params), 0, 1,
		       IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &limit,
		       sizeof(limit));
}

static void *map_ring(int fd, size_t size, off_t what)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			what);

	if (at == MAP_FAILED)
		_exit(1);
	return at;
}

/* Has it wait for a pipe that stays empty, and waits itself for that to end. */
static long wait_io_uring_submitting(void)
{
	struct io_uring_params p;
	int ends[2], fd = ring(&p);
	char *queue = map_ring(fd, p.sq_off.array + p.sq_entries * sizeof(uint32_t),
			       IORING_OFF_SQ_RING);
	struct io_uring_sqe *entry =
		map_ring(fd, p.sq_entries * sizeof(*entry), IORING_OFF_SQES);
	uint32_t *tail = (void *)(queue + p.sq_off.tail);

	if (pipe(ends))
		return -1;
	memset(entry, 0, sizeof(*entry));
	entry->opcode = IORING_OP_POLL_ADD;
	entry->fd = ends[0];
	entry->poll_events = POLLIN;
	*(uint32_t *)(void *)(queue + p.sq_off.array) = 0;
	atomic_store((_Atomic uint32_t *)tail, *tail + 1);
	return syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

static void set_limit(int fd, int which)
{
	const struct timeval limit = { .tv_sec = 3600 };

	setsockopt(fd, SOL_SOCKET, which, &limit, sizeof(limit));
}

static int listener(void)
{
	struct sockaddr address = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	/* The kernel gives it a name. */
	if (bind(fd, &address, sizeof(address.sa_family)) || listen(fd, 1))
		_exit(1);
	return fd;
}

static long wait_accept(void)
{
	return accept(listener(), NULL, NULL);
}

static long wait_accept_timed(void)
{
	int fd = listener();

	set_limit(fd, SO_RCVTIMEO);
	return accept(fd, NULL, NULL);
}

/* Nobody accepts: the queue is filled first. */
static long wait_to_connect(bool timed)
{
	struct sockaddr_un address;
	socklen_t len = sizeof(address);

	if (getsockname(listener(), (struct sockaddr *)&address, &len))
		_exit(1);
	while (connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0),
		       (struct sockaddr *)&address, len) == 0)
		;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (timed)
		set_limit(fd, SO_SNDTIMEO);
	return connect(fd, (struct sockaddr *)&address, len);
}

static long wait_connect(void)
{
	return wait_to_connect(false);
}

static long wait_connect_timed(void)
{
	return wait_to_connect(true);
}

static int peer(int *ret_other)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(1);
	*ret_other = pair[1];
	return pair[0];
}

static long wait_recv(void)
{
	int other;
	char byte;

	return recv(peer(&other), &byte, 1, 0);
}

static long wait_recv_timed(void)
{
	int other, fd = peer(&other);
	char byte;

	set_limit(fd, SO_RCVTIMEO);
	return recv(fd, &byte, 1, 0);
}

static long wait_recv_rest(void)
{
	int other, fd = peer(&other);
	char bytes[100];

	send(other, bytes, 10, 0);
	return recv(fd, bytes, sizeof(bytes), MSG_WAITALL);
}

static long wait_send(void)
{
	int other;

	return send(peer(&other), much, MUCH, 0);
}

static long wait_send_timed(void)
{
	int other, fd = peer(&other);

	while (send(fd, much, MUCH, MSG_DONTWAIT) > 0)
		;
	set_limit(fd, SO_SNDTIMEO);
	return send(fd, much, 1, 0);
}

static long wait_write(void)
{
	int ends[2];

	return pipe(ends) ? -1 : write(ends[1], much, MUCH);
}

const struct wait waits[] = {
	{ "read", wait_read, SYS_read, NOTHING },
	{ "accept", wait_accept, SYS_accept, NOTHING },
	{ "connect", wait_connect, SYS_connect, NOTHING },
	{ "recv", wait_recv, SYS_recvfrom, NOTHING },
	{ "futex", wait_futex, SYS_futex, NOTHING },
	{ "futex with a limit", wait_futex_timed, SYS_futex, NOTHING },
	{ "poll", wait_poll, SYS_poll, NOTHING },
	{ "poll with a limit", wait_poll_timed, SYS_poll, NOTHING },
	{ "nanosleep", wait_nanosleep, SYS_clock_nanosleep, NOTHING },
	{ "semop", wait_semop, SYS_semop, AGAIN },
	{ "sigwaitinfo", wait_sigwaitinfo, SYS_rt_sigtimedwait, AGAIN },
	{ "epoll_wait", wait_epoll, SYS_epoll_wait, AGAIN },
	{ "epoll_pwait", wait_epoll_pwait, SYS_epoll_pwait, AGAIN },
	{ "epoll_pwait2", wait_epoll_pwait2, SYS_epoll_pwait2, AGAIN },
	{ "io_getevents", wait_io_getevents, SYS_io_getevents, AGAIN },
	{ "io_uring_enter", wait_io_uring, SYS_io_uring_enter, AGAIN },
	{ "semtimedop", wait_semtimedop, SYS_semtimedop, INTERRUPTED },
	{ "sigtimedwait", wait_sigtimedwait, SYS_rt_sigtimedwait, INTERRUPTED },
	{ "epoll_wait with a limit", wait_epoll_timed, SYS_epoll_wait, INTERRUPTED },
	{ "epoll_pwait with a limit", wait_epoll_pwait_timed, SYS_epoll_pwait,
	  INTERRUPTED },
	{ "epoll_pwait2 with a limit", wait_epoll_pwait2_timed, SYS_epoll_pwait2,
	  INTERRUPTED },
	{ "io_getevents with a limit", wait_io_getevents_timed, SYS_io_getevents,
	  INTERRUPTED },
	{ "io_uring_enter with a limit", wait_io_uring_timed, SYS_io_uring_enter,
	  INTERRUPTED },
	{ "accept with a limit", wait_accept_timed, SYS_accept, INTERRUPTED },
	{ "connect with a limit", wait_connect_timed, SYS_connect, INTERRUPTED },
	{ "recv with a limit", wait_recv_timed, SYS_recvfrom, INTERRUPTED },
	{ "send with a limit", wait_send_timed, SYS_sendto, INTERRUPTED },
	{ "recv of the rest", wait_recv_rest, SYS_recvfrom, PART },
	{ "send of much", wait_send, SYS_sendto, PART },
	{ "write of much", wait_write, SYS_write, PART },
	{ "io_uring_enter that submits", wait_io_uring_submitting, SYS_io_uring_enter,
	  PART },
};
const size_t waits_count = ARRAY_SIZE(waits);
_Static_assert(ARRAY_SIZE(waits) <= WAITS_MAX, "each has its place");
