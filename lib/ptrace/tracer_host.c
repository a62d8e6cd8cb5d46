/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/tracer_host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/procfs/conditions.h"
#include "lib/procfs/proc_file.h"
#include "lib/procfs/sockets.h"
#include "lib/ptrace/tracer_priv.h"
#include "lib/sandbox/broker.h"

enum {
	TRACERS_MAX = 3, /* a copy is tried, and then a stop */
	SERVICES = 6,
};

struct tracer_host {
	struct target *live;
	struct tracer_options limits;
	struct tracer *tracer; /* NULL: none */
	unsigned started;
	pid_t service; /* whoever traces it already, and copies it; 0: nobody */
	struct sandbox_service services[SERVICES + 1];
};

static void say(struct answer *ret, int result, const char *why)
{
	ret->result = result;
	ret->len = (uint32_t)strlen(why);
	memcpy(ret->bytes, why, ret->len);
}

/* What came with the question stays open in the tracer, which is forked here. */
static void start(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	struct tracer_host *host = arg;
	struct tracer_options options = host->limits;
	struct err err;

	(void)fd;
	if (q->len != sizeof(options.estimate_ns) || host->tracer ||
	    host->started >= TRACERS_MAX) {
		say(ret, -EPERM, "that is more than a snapshot needs");
		return;
	}
	memcpy(&options.estimate_ns, q->text, q->len);
	options.once = true;
	host->started++;
	host->tracer = tracer_start_for_another(host->live, &options, &err);
	if (!host->tracer) {
		say(ret, -EIO, err.text);
		return;
	}
	/* From now on, the tracer and who asked have it. */
	if (host->limits.keep >= 0)
		close(host->limits.keep);
	host->limits.keep = -1;
	ret->result = tracer_pid(host->tracer);
	*ret_fd = tracer_take_socket(host->tracer);
}

static void share_memory(void *arg, const struct question *q, int fd, struct answer *ret,
			 int *ret_fd)
{
	const struct tracer_host *host = arg;
	struct tracer_room room;

	(void)q, (void)fd;
	if (!host->tracer) {
		ret->result = -ESRCH;
		return;
	}
	*ret_fd = fcntl(tracer_memory(host->tracer, &room), F_DUPFD_CLOEXEC, 0);
	ret->len = sizeof(room);
	memcpy(ret->bytes, &room, sizeof(room));
}

/* However it ends, the kernel releases every thread that it stopped. */
static void end(void *arg, const struct question *q, int fd, struct answer *ret,
		int *ret_fd)
{
	struct tracer_host *host = arg;
	struct tracer_exit exit = { .status = 0 };

	(void)fd, (void)ret_fd;
	if (!host->tracer) {
		ret->result = -ESRCH;
		return;
	}
	if (!tracer_has_exited(host->tracer, q->number != 0, &exit)) {
		ret->result = -EAGAIN;
		return;
	}
	tracer_end(TAKE(host->tracer));
	host->limits.patient = exit.starved;
	ret->len = sizeof(exit);
	memcpy(ret->bytes, &exit, sizeof(exit));
}

static void read_conditions(void *arg, const struct question *q, int fd,
			    struct answer *ret, int *ret_fd)
{
	const struct tracer_host *host = arg;
	struct conditions conditions;
	uint64_t price;

	_Static_assert(sizeof(conditions) <= sizeof(ret->bytes), "they fit in an answer");
	(void)fd, (void)ret_fd;
	if (q->number) {
		price = conditions_price();
		ret->len = sizeof(price);
		memcpy(ret->bytes, &price, sizeof(price));
		return;
	}
	conditions_read(target_pid(host->live), &conditions);
	ret->len = sizeof(conditions);
	memcpy(ret->bytes, &conditions, sizeof(conditions));
}

static void find_leftovers(void *arg, const struct question *q, int fd,
			   struct answer *ret, int *ret_fd)
{
	const struct tracer_host *host = arg;
	pid_t pids[CONDITIONS_LEFTOVERS];
	size_t n = 0;

	(void)q, (void)fd, (void)ret_fd;
	if (!conditions_leftovers(target_pid(host->live), pids, ARRAY_SIZE(pids), &n)) {
		ret->result = errno ? -errno : -EIO;
		return;
	}
	ret->result = (int)n;
}

static void list_descriptors(void *arg, const struct question *q, int fd,
			     struct answer *ret, int *ret_fd)
{
	const struct tracer_host *host = arg;

	(void)fd;
	*ret_fd = target_live_has_thread(host->live, q->number) ? sockets_list(q->number)
								: -1;
	ret->result = *ret_fd < 0 ? -ESRCH : 0;
}

struct tracer_host *tracer_host_new(struct target *live,
				    const struct tracer_options *limits)
{
	struct tracer_host *host = xcalloc(1, sizeof(*host));
	const struct sandbox_service services[SERVICES] = {
		{ ASK_TRACER, start, host, NULL },
		{ ASK_TRACER_MEMORY, share_memory, host, NULL },
		{ ASK_TRACER_END, end, host, NULL },
		{ ASK_CONDITIONS, read_conditions, host, NULL },
		{ ASK_LEFTOVERS, find_leftovers, host, NULL },
		{ ASK_DESCRIPTORS, list_descriptors, host, NULL },
	};

	host->live = live;
	host->limits = limits ? *limits : (struct tracer_options){ .keep = -1 };
	host->started = limits ? 0 : TRACERS_MAX;
	memcpy(host->services, services, sizeof(services));
	return host;
}

void tracer_host_renew(struct tracer_host *host, int keep)
{
	tracer_end(TAKE(host->tracer));
	if (host->limits.keep >= 0)
		close(host->limits.keep);
	host->limits.keep = keep;
	host->limits.patient = false;
	host->started = keep < 0 ? TRACERS_MAX : 0;
}

const struct sandbox_service *tracer_host_services(const struct tracer_host *host)
{
	return host->services;
}

void tracer_host_serves(struct tracer_host *host, const struct tracer_service *service)
{
	host->service = service->copies ? service->tracer : 0;
}

/* Only the process and its copies are traced by it. */
bool tracer_host_has_copy(const struct tracer_host *host, pid_t pid)
{
	const pid_t wanted = host->tracer ? tracer_pid(host->tracer) : host->service;
	AUTO(xfree) char *status = wanted ? proc_file(pid, "status") : NULL;

	return wanted && (pid_t)proc_number(status, "TracerPid", 10) == wanted;
}

void tracer_host_free(struct tracer_host *host)
{
	if (!host)
		return;
	tracer_end(host->tracer);
	if (host->limits.keep >= 0)
		close(host->limits.keep);
	xfree(host);
}
