/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/sandboxed.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/process_lock.h"
#include "lib/procfs/sockets.h"
#include "lib/ptrace/tracer_host.h"
#include "lib/sandbox/broker.h"
#include "src/capture/debuginfod.h"

struct capture_host {
	struct debuginfod_host *debuginfod; /* NULL: not asked for */
	struct tracer_host *tracer;	    /* NULL: no process, or no sandbox */
	bool takes_turn;		    /* that one, of subject */
	struct capture_subject subject;
	pid_t pid;
	bool takes_turns; /* for a snapshot of it */
};

static bool is_copy(void *arg, pid_t pid)
{
	return tracer_host_has_copy(arg, pid);
}

static void keep(struct sandbox *ret, int fd)
{
	if (fd >= 0 && ret->keep_count < SANDBOX_DESCRIPTORS)
		ret->keep[ret->keep_count++] = fd;
}

void capture_permit(struct target *live, struct sandbox *ret)
{
	int fds[TARGET_LIVE_DESCRIPTORS];
	const size_t n = target_live_for_sandbox(live, fds);

	for (size_t i = 0; i < n; i++)
		keep(ret, fds[i]);
	ret->subject =
		(struct sandbox_subject){ .pid = target_pid(live), .folder = fds[0] };
}

/* Of whoever traces the process already; what only /proc knows is asked for as ever. */
static void permit_service(struct capture_host *host,
			   const struct tracer_service *service, struct sandbox *ret)
{
	keep(ret, host->subject.turn);
	keep(ret, tracer_service_descriptor(service));
	host->tracer = tracer_host_new(host->subject.live, NULL);
	tracer_host_serves(host->tracer, service);
	sandbox_add_services(ret, tracer_host_services(host->tracer));
	ret->subject.is_copy = is_copy;
	ret->subject.arg = host->tracer;
}

static void permit_tracer(struct capture_host *host,
			  const struct capture_options *options, struct sandbox *ret)
{
	const struct tracer_options limits = {
		.max_hold_ns = options->max_pause_ns,
		.max_copy_ns = options->max_copy_age_ns,
		.keep = host->subject.turn,
	};

	keep(ret, host->subject.turn);
	host->tracer = tracer_host_new(host->subject.live, &limits);
	host->takes_turn = true;
	sandbox_add_services(ret, tracer_host_services(host->tracer));
	ret->subject.is_copy = is_copy;
	ret->subject.arg = host->tracer;
}

/* The core, and its executable. */
static void permit_dying(const struct core_options *core, struct sandbox *ret)
{
	if (!core->dying)
		return;
	keep(ret, core->dying->head);
	keep(ret, core->dying->memory);
	if (core->search.running)
		keep(ret, *core->search.running);
}

static void permit_files(struct capture_host *host, const struct capture_options *options,
			 struct sandbox *ret)
{
	const char *const named[] = { options->core.path, options->core.search.executable,
				      options->core.search.root,
				      options->reading.debug_file };

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		ret->named[i] = named[i];
	permit_dying(&options->core, ret);
	ret->programs = true;
	ret->cache = !options->reading.no_cache;
	if (!options->reading.debuginfod)
		return;
	host->debuginfod = debuginfod_host_new(options->max_copy_age_ns);
	sandbox_add_services(ret, debuginfod_host_services(host->debuginfod));
}

static bool core_is_stream(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode);
}

struct capture_host *capture_host_new(struct capture_options *options, bool no_sandbox,
				      struct sandbox *ret, struct err *err)
{
	AUTO(capture_host_free) struct capture_host *host = xcalloc(1, sizeof(*host));

	host->subject.turn = -1;
	permit_files(host, options, ret);
	if (options->core.path) {
		/* Whoever writes a core into a pipe may take his time. */
		if (core_is_stream(options->core.path))
			ret->max_still_ns = SANDBOX_RESTS;
		return TAKE(host);
	}
	if (!capture_find(options, &host->subject, err))
		return NULL;
	options->subject = &host->subject;
	host->pid = options->pid;
	host->takes_turns = options->way != CAPTURE_LIVE;
	if (!no_sandbox && !sandbox_missing()) {
		capture_permit(host->subject.live, ret);
		if (options->service)
			permit_service(host, options->service, ret);
		else
			permit_tracer(host, options, ret);
	}
	return TAKE(host);
}

void capture_host_free(struct capture_host *host)
{
	if (!host)
		return;
	if (host->takes_turn)
		host->subject.turn = -1;
	tracer_host_free(host->tracer);
	debuginfod_host_free(host->debuginfod);
	capture_subject_done(&host->subject);
	xfree(host);
}

bool sandboxed_run(bool no_sandbox, const struct sandbox *how, int (*work)(void *arg),
		   void *arg, int *ret, struct err *err)
{
	if (!no_sandbox && !sandbox_missing())
		return sandbox_run(how, work, arg, ret, err);
	*ret = work(arg);
	return true;
}

void capture_host_rest(struct capture_host *host)
{
	if (host->tracer)
		tracer_host_renew(host->tracer, -1);
	if (host->takes_turn) /* the other had it */
		host->subject.turn = -1;
	host->takes_turn = false;
	if (host->subject.turn >= 0)
		close(host->subject.turn);
	host->subject.turn = -1;
}

bool capture_host_begin(struct capture_host *host, struct err *err)
{
	struct target *live = host->subject.live;

	capture_host_rest(host);
	if (host->debuginfod)
		debuginfod_host_renew(host->debuginfod);
	if (!host->takes_turns)
		return true;
	if (!process_lock_take(host->pid, LIMIT_PROCESS_LOCK_NS, &host->subject.turn,
			       err) ||
	    (live && !target_live_refresh(live, err)))
		return false;
	if (host->tracer)
		tracer_host_renew(host->tracer,
				  fcntl(host->subject.turn, F_DUPFD_CLOEXEC, 0));
	return true;
}

int capture_host_turn(const struct capture_host *host)
{
	return host->subject.turn;
}

static int ask_for_descriptors(pid_t tid)
{
	const struct question q = { .kind = ASK_DESCRIPTORS, .number = tid };
	struct answer a;
	int fd = -1;

	return sandbox_ask(&q, -1, &a, &fd) ? fd : -1;
}

void sandboxed_begin(void)
{
	if (sandbox_is_closed())
		sockets_use_list(ask_for_descriptors);
}

void sandboxed_conditions(pid_t pid, struct conditions *ret)
{
	const struct question q = { .kind = ASK_CONDITIONS };
	struct answer a;

	if (!sandbox_is_closed()) {
		conditions_read(pid, ret);
		return;
	}
	*ret = (struct conditions){ .pid = pid };
	if (sandbox_ask(&q, -1, &a, NULL) && a.len == sizeof(*ret))
		memcpy(ret, a.bytes, sizeof(*ret));
}

uint64_t sandboxed_price(void)
{
	const struct question q = { .kind = ASK_CONDITIONS, .number = 1 };
	uint64_t price = 0;
	struct answer a;

	if (!sandbox_is_closed())
		return conditions_price();
	if (sandbox_ask(&q, -1, &a, NULL) && a.len == sizeof(price))
		memcpy(&price, a.bytes, sizeof(price));
	return price;
}

bool sandboxed_leftovers(pid_t pid, size_t *ret_n)
{
	const struct question q = { .kind = ASK_LEFTOVERS };
	pid_t found[CONDITIONS_LEFTOVERS];
	struct answer a;

	if (!sandbox_is_closed())
		return conditions_leftovers(pid, found, ARRAY_SIZE(found), ret_n);
	if (!sandbox_ask(&q, -1, &a, NULL) || a.result < 0)
		return false;
	*ret_n = (size_t)a.result;
	return true;
}
