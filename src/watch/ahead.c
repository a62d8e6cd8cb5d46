/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/ahead.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/sandbox.h"
#include "src/run/catcher.h"

enum { NS_PER_MS = 1000000 };
/* Larger mappings are reserved, as for sanitizers, and not all used. */
#define TOUCHED_MAX (UINT64_C(64) << 20)

struct order {
	struct fault_event event;
	struct caught *caught; /* mapped before the fork */
};

struct ahead {
	const struct catching *how;
	pid_t child; /* 0: none */
	int to;
	struct order *order; /* shared with it */
};

struct ahead *ahead_new(const struct catching *how)
{
	void *order = mmap(NULL, sizeof(struct order), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (order == MAP_FAILED)
		return NULL;
	sandbox_withhold(order, sizeof(struct order));
	struct ahead *a = xcalloc(1, sizeof(*a));
	*a = (struct ahead){ .how = how, .to = -1, .order = order };
	return a;
}

static void let_go(struct ahead *a)
{
	if (a->to >= 0)
		close(a->to);
	a->to = -1;
	a->child = 0;
}

void ahead_end(struct ahead *a)
{
	const pid_t child = a->child;

	let_go(a);
	if (child)
		waitpid(child, NULL, 0);
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	ahead_end(a);
	munmap(a->order, sizeof(*a->order));
	xfree(a);
}

/* After a fork, each page faults when it is touched first. It does so now. */
static void touch_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096], writable, shared;
	unsigned long start, end;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*c%c%*c%c", &start, &end, &writable,
			   &shared) == 4 &&
		    shared == 'p' && end - start <= TOUCHED_MAX)
			madvise((void *)start, end - start,
				writable == 'w' ? MADV_POPULATE_WRITE
						: MADV_POPULATE_READ);
	if (maps)
		fclose(maps);
}

/* Its end is put off again and again, so that it comes if somebody stops it. False: nobody will order. */
static bool wait_for_order(const struct ahead *a, int from, struct catcher_life *life)
{
	const uint64_t half_ms = a->how->max_pause_ns / 2 / NS_PER_MS;
	struct pollfd fd = { .fd = from, .events = POLLIN };
	char byte;

	for (int n = 0; n == 0; n = poll(&fd, 1, half_ms > 100 ? (int)half_ms : 100))
		catcher_put_off(life);
	return recv(from, &byte, 1, 0) == 1;
}

static void serve(struct ahead *a, int from)
{
	const int keep[] = { spool_descriptor(a->how->spool), from };
	struct catcher_life life = catcher_begin(a->how->max_pause_ns);

	catcher_drop_descriptors(keep, ARRAY_SIZE(keep));
	touch_memory();
	if (!wait_for_order(a, from, &life))
		_exit(EXIT_SUCCESS);
	catcher_put_off(&life);
	catch_now(a->how, &a->order->event, &life, a->order->caught);
	_exit(EXIT_SUCCESS);
}

void ahead_refill(struct ahead *a)
{
	int ends[2];

	if (a->child && waitpid(a->child, NULL, WNOHANG) == 0)
		return;
	let_go(a);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	const pid_t child = catcher_fork();
	if (child == 0)
		serve(a, ends[1]);
	close(ends[1]);
	a->to = ends[0];
	if (child < 0)
		let_go(a);
	else
		a->child = child;
}

pid_t ahead_start(struct ahead *a, const struct fault_event *event, struct caught *ret)
{
	const pid_t child = a->child;

	if (!child)
		return -1;
	*ret = (struct caught){ .outcome = WATCH_FAILED, .pid = (pid_t)event->pid };
	*a->order = (struct order){ *event, ret };
	if (send(a->to, "", 1, MSG_NOSIGNAL) != 1)
		return -1;
	let_go(a);
	return child;
}
