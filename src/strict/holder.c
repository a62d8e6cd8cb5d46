/* SPDX-License-Identifier: Apache-2.0 */
#include "src/strict/holder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/run/catcher.h"

enum {
	HELD_MAX = 128,	 /* at once */
	EVENTS_MAX = 32, /* that are read at once: each has a descriptor */
	NS_PER_MS = 1000000,
};

struct held {
	int file; /* 0: none */
	uint32_t number;
	uint64_t since_ns;
};

struct holder {
	int group, socket;
	struct strict_counts *counts;
	struct held held[HELD_MAX];
	uint32_t next;
	/* Nothing has been answered in time: each exec would wait as long. Until there is an answer, none does. */
	bool silent;
};

bool holder_send(int socket, const void *message, size_t len, int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec part = { (void *)message, len };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
	}
	return sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

bool holder_receive(int socket, void *ret, size_t len, int *ret_fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { ret, len };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	const ssize_t n = recvmsg(socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	*ret_fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(head), sizeof(*ret_fd));
	if (n == 0)
		errno = EPIPE;
	return n == (ssize_t)len;
}

bool holder_hold(int group, int folder)
{
	return fanotify_mark(group, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, HOLDER_EVENT,
			     folder, NULL) == 0;
}

/* The mark goes when the file is written to. It does not keep the file in memory, where the kernel can. */
static void ignore(const struct holder *g, int file)
{
	const unsigned how = FAN_MARK_ADD | FAN_MARK_IGNORED_MASK;

	if (fanotify_mark(g->group, how | FAN_MARK_EVICTABLE, HOLDER_EVENT, file, NULL) !=
		    0 &&
	    errno == EINVAL)
		fanotify_mark(g->group, how, HOLDER_EVENT, file, NULL);
}

static void allow(const struct holder *g, int file)
{
	const struct fanotify_response response = { file, FAN_ALLOW };

	while (write(g->group, &response, sizeof(response)) < 0 && errno == EINTR)
		;
	close(file);
}

static void let_by(struct holder *g, int file)
{
	g->counts->let_by++; /* before anybody sees the program run */
	allow(g, file);
}

static void hold(struct holder *g, int file)
{
	struct held *place = g->held;
	const struct holder_held message = { g->next };

	while (place < g->held + HELD_MAX && place->file)
		place++;
	if (g->silent || place == g->held + HELD_MAX ||
	    !holder_send(g->socket, &message, sizeof(message), file)) {
		let_by(g, file);
		return;
	}
	*place = (struct held){ file, g->next++, monotonic_ns() };
}

static void read_events(struct holder *g)
{
	struct fanotify_event_metadata events[EVENTS_MAX];
	const pid_t us = getpid(), watcher = getppid();
	ssize_t n = read(g->group, events, sizeof(events));

	for (struct fanotify_event_metadata *e = events; FAN_EVENT_OK(e, n);
	     e = FAN_EVENT_NEXT(e, n)) {
		if (e->fd < 0)
			continue;
		if (e->pid == us || e->pid == watcher)
			allow(g, e->fd);
		else
			hold(g, e->fd);
	}
}

static void note_time(struct holder *g, const struct held *held)
{
	const uint64_t ns = monotonic_ns() - held->since_ns;

	if (ns > g->counts->longest_ns)
		g->counts->longest_ns = ns;
}

static void follow(struct holder *g, const struct holder_order *order)
{
	for (struct held *held = g->held; held < g->held + HELD_MAX; held++) {
		if (!held->file || held->number != order->number)
			continue;
		note_time(g, held);
		if (order->kind == HOLDER_ALLOW_ALWAYS)
			ignore(g, held->file);
		g->counts->held++;
		allow(g, held->file);
		held->file = 0;
	}
}

static void read_orders(struct holder *g)
{
	struct holder_order order;
	int folder;

	while (holder_receive(g->socket, &order, sizeof(order), &folder)) {
		g->silent = false;
		if (order.kind != HOLDER_HOLD)
			follow(g, &order);
		else if (folder >= 0)
			(void)!holder_hold(g->group, folder);
		if (folder >= 0)
			close(folder);
	}
	if (errno != EAGAIN && errno != EINTR)
		_exit(0);
}

static void let_all_by(struct holder *g)
{
	g->silent = true;
	for (struct held *held = g->held; held < g->held + HELD_MAX; held++) {
		if (!held->file)
			continue;
		note_time(g, held);
		let_by(g, held->file);
		held->file = 0;
	}
}

/* In how many milliseconds whoever has waited longest has waited long enough; -1: nobody waits. */
static int patience(const struct holder *g)
{
	const uint64_t now = monotonic_ns();
	uint64_t longest = 0;
	bool any = false;

	for (const struct held *held = g->held; held < g->held + HELD_MAX; held++) {
		any |= held->file != 0;
		if (held->file && now - held->since_ns > longest)
			longest = now - held->since_ns;
	}
	if (!any)
		return -1;
	return longest < STRICT_HOLD_NS
		       ? (int)((STRICT_HOLD_NS - longest) / NS_PER_MS) + 1
		       : 0;
}

/* Others' descriptors, and signals of a terminal, are none of its business. */
static void settle(const struct holder *g, pid_t watcher)
{
	const int keep[] = { g->group, g->socket };
	struct rlimit limit;
	sigset_t all;

	prctl(PR_SET_NAME, "gosnap-holder");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != watcher)
		_exit(0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    limit.rlim_cur < HOLDER_DESCRIPTORS) {
		limit.rlim_cur = HOLDER_DESCRIPTORS;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	catcher_drop_descriptors(keep, ARRAY_SIZE(keep));
}

void holder(int group, int socket, pid_t watcher, struct strict_counts *counts)
{
	struct holder g = { .group = group, .socket = socket, .counts = counts };

	settle(&g, watcher);
	for (;;) {
		struct pollfd from[] = {
			{ .fd = socket, .events = POLLIN },
			{ .fd = group, .events = POLLIN },
		};
		poll(from, ARRAY_SIZE(from), patience(&g));
		if (from[0].revents)
			read_orders(&g);
		if (from[1].revents)
			read_events(&g);
		if (patience(&g) == 0)
			let_all_by(&g);
	}
}
