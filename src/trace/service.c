/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sandbox/sandbox.h"
#include "src/bpf/ability.h"
#include "src/bpf/written.h"

enum { NS_PER_MS = 1000000, PIPE_BYTES = 1 << 20 };
#define TELL_NS (UINT64_C(1000) * NS_PER_MS)

/* What becomes of the decoder, in memory shared with it. */
struct outcome {
	bool failed;
	struct err why;
};

struct service {
	const struct trace_options *options;
	int file, pipe; /* the program; to the decoder, -1: it has ended */
	char *name;
	struct when *when; /* NULL: all calls */
	struct trace_functions *functions;
	struct trace_probes *probes;
	struct uprobe_links *links; /* NULL: not attached */
	struct takes_options taking;
	struct takes *takes; /* NULL: no snapshots */
	pid_t decoder;
	struct outcome *outcome;
	struct trace_message message; /* that did not fit into the pipe yet */
	bool waits;		      /* there is one */
	uint64_t told, returns_told, lost_told, told_at;
	uint64_t until_ns; /* monotonic; 0: none */
	int written;	   /* see written.h */
	bool over, changed;
};

static bool open_program(struct service *s, struct err *err)
{
	const struct trace_options *o = s->options;
	AUTO(xfree)
	char *path = o->exe ? xstrdup(o->exe) : xasprintf("/proc/%d/exe", (int)o->pid);
	char name[4096];
	struct stat st;

	s->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (s->file < 0 && errno == ENOENT && !o->exe)
		return kill(o->pid, 0) == 0
			       ? err_set(err, ERR_CANNOT, "process %d runs no program",
					 (int)o->pid)
			       : err_set(err, ERR_GONE, "process %d: no such process",
					 (int)o->pid);
	if (s->file < 0 && (errno == EACCES || errno == EPERM))
		return err_set(err, ERR_PERMISSION,
			       "the kernel does not permit to open %.200s", path);
	if (s->file < 0 || fstat(s->file, &st) != 0)
		return err_sys(err, "cannot open %.200s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_CANNOT, "%.200s is not a regular file", path);
	const ssize_t n = o->exe ? -1 : readlink(path, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = '\0';
	s->name = xstrdup(n < 0 ? path : name);
	return true;
}

static bool find_functions(struct service *s, struct err *err)
{
	const struct trace_options *o = s->options;

	s->functions = trace_find(&(struct trace_search){ .file = s->file,
							  .name = s->name,
							  .words = o->words,
							  .count = o->word_count,
							  .when = s->when,
							  .returns = o->returns,
							  .no_sandbox = o->no_sandbox },
				  err);
	return s->functions != NULL;
}

static bool plan(struct service *s, uint32_t i, bool returns, struct err *err)
{
	const struct trace_function *f = &s->functions->list[i];
	const struct call_plan *from = returns ? &f->results : &f->plan;
	struct trace_plan to = { .count = from->count };

	for (size_t k = 0; k < from->count; k++)
		to.step[k] =
			(struct trace_step){ from->step[k].addr_at,
					     from->step[k].length_at, from->step[k].size,
					     from->step[k].max, from->step[k].to };
	return trace_probes_plan(s->probes, i, returns, &to, err);
}

static bool plan_all(struct service *s, struct err *err)
{
	for (uint32_t i = 0; i < s->functions->count; i++)
		if (!plan(s, i, false, err) ||
		    (s->when &&
		     !trace_probes_judge(s->probes, i, &s->functions->list[i].conditions,
					 err)) ||
		    (s->options->returns && !plan(s, i, true, err)))
			return false;
	return true;
}

static bool load_probes(struct service *s, struct err *err)
{
	const struct trace_options *o = s->options;
	const struct call_facts *facts = &s->functions->facts;

	s->probes = trace_probes_open(
		&(struct trace_probes_options){ .pid = o->pid,
						.goid_offset = facts->goid,
						.stack_low_offset = facts->stack_low,
						.stack_high_offset = facts->stack_high,
						.labels_offset = facts->labels,
						.has_g = facts->has_g,
						.rate = o->rate,
						.returns = o->returns,
						.conditional = s->when,
						.hold_ns = o->snapshot ? o->hold_ns : 0,
						.max_told = o->returns ? 0 : o->count,
						.perf_events = o->perf_events },
		err);
	return s->probes && plan_all(s, err);
}

static bool prepare_snapshots(struct service *s, struct err *err)
{
	const struct trace_options *o = s->options;

	if (!o->snapshot)
		return true;
	sandbox_withhold_mapped("anon_inode:bpf-map");
	s->taking = (struct takes_options){ .snap = &o->snap,
					    .pattern = o->snapshot,
					    .program = s->name,
					    .when = o->when,
					    .functions = s->functions,
					    .interval_ns = o->interval_ns,
					    .max_pause_ns = o->max_pause_ns };
	s->takes = takes_new(&s->taking, s->probes, err);
	return s->takes != NULL;
}

static size_t places_of(const struct service *s, uint32_t i, struct trace_place *ret)
{
	const struct trace_function *f = &s->functions->list[i];
	size_t n = 0;

	ret[n++] = (struct trace_place){ f->point.offset, i, 0 };
	for (uint32_t k = 0; s->options->returns && k < f->returns.count; k++)
		ret[n++] = (struct trace_place){ f->returns.offset[k], i, k + 1 };
	return n;
}

static bool attach(struct service *s, struct err *err)
{
	const size_t count = s->functions->count;
	AUTO(xfree)
	struct trace_place *places = xcalloc(count * (1 + CALL_RETURNS), sizeof(*places));
	size_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += places_of(s, i, places + n);
	written_add(s->written, s->file);
	s->links = trace_probes_attach(s->probes, s->file, places, n, err);
	return s->links != NULL;
}

static void decode(struct service *s, int from)
{
	const struct trace_options *o = s->options;
	const struct trace_decoder decoder = { .file = s->file,
					       .pipe = from,
					       .name = s->name,
					       .functions = s->functions,
					       .redaction = o->redaction,
					       .rules = o->rules,
					       .format = o->format,
					       .no_sandbox = o->no_sandbox };

	close(s->pipe);
	sandbox_withhold(s->outcome, sizeof(*s->outcome));
	signal(SIGPIPE, SIG_DFL);
	s->outcome->failed = !trace_decode(&decoder, &s->outcome->why);
}

static bool start_decoder(struct service *s, struct err *err)
{
	int ends[2];

	s->outcome = xshared(sizeof(*s->outcome));
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_sys(err, "cannot start the decoder");
	s->pipe = ends[1];
	s->outcome->failed = true;
	err_set(&s->outcome->why, ERR_SYS, "the decoder ended");
	s->decoder = fork();
	if (s->decoder == 0) {
		decode(s, ends[0]);
		_exit(0);
	}
	close(ends[0]);
	fcntl(s->pipe, F_SETFL, O_NONBLOCK);
	fcntl(s->pipe, F_SETPIPE_SZ, PIPE_BYTES);
	return s->decoder > 0 || err_sys(err, "cannot fork");
}

/* What a pipe takes at once, it takes whole or not at all. */
static void send_message(struct service *s)
{
	const size_t n = trace_message_bytes(s->message.kind);

	_Static_assert(sizeof(s->message) <= 4096, "PIPE_BUF");
	s->waits = write(s->pipe, &s->message, n) != (ssize_t)n && errno == EAGAIN;
}

/* As many as --count, calls or returns, have been told. */
static bool has_all(const struct service *s)
{
	const uint64_t told = s->options->returns ? s->returns_told : s->told;

	return s->options->count && told >= s->options->count;
}

static bool take_hit(void *arg, const struct trace_hit *hit)
{
	struct service *s = arg;

	if (has_all(s))
		return true;
	s->message.kind = TRACE_MESSAGE_HIT;
	s->message.hit = *hit;
	*(hit->is_return ? &s->returns_told : &s->told) += 1;
	send_message(s);
	return !s->waits;
}

static struct trace_totals totals(const struct service *s)
{
	const struct trace_counts c = trace_probes_counts(s->probes),
				  r = trace_probes_return_counts(s->probes);
	const struct takes_counts taken =
		s->takes ? takes_counts(s->takes) : (struct takes_counts){ 0, 0 };

	return (struct trace_totals){ .calls = c.met,
				      .told = s->told,
				      .lost = c.lost,
				      .excluded = c.excluded,
				      .beyond_rate = c.passed + r.passed,
				      .beyond_count =
					      c.sent - s->told + r.sent - s->returns_told,
				      .with_returns = s->options->returns,
				      .returns = r.met,
				      .returns_told = s->returns_told,
				      .returns_lost = r.lost,
				      .with_snapshots = s->takes,
				      .snapshots = taken.taken,
				      .snapshots_failed = taken.failed,
				      .beyond_interval = c.unstopped };
}

/* Once a second, if there is something to tell. */
static void tell_losses(struct service *s)
{
	const uint64_t now = monotonic_ns();
	struct trace_totals t = totals(s);

	const uint64_t lost = t.lost + t.returns_lost;

	if (s->waits || lost == s->lost_told || now - s->told_at < TELL_NS)
		return;
	s->lost_told = lost;
	s->told_at = now;
	t.beyond_count = 0; /* they are on their way */
	s->message.kind = TRACE_MESSAGE_LOST;
	s->message.totals = t;
	send_message(s);
}

static void tell_snapshot(struct service *s, bool wait)
{
	if (!s->takes || s->waits || !takes_end(s->takes, wait, &s->message.taken))
		return;
	s->message.kind = TRACE_MESSAGE_SNAPSHOT;
	send_message(s);
}

static void take(struct service *s)
{
	if (s->takes)
		takes_begin(s->takes);
	if (s->waits)
		send_message(s);
	tell_snapshot(s, false);
	tell_losses(s);
	if (!s->waits)
		trace_probes_read(s->probes, take_hit, s);
}

/* Milliseconds to the next thing that is due; -1: nothing is. */
static int patience(const struct service *s)
{
	const uint64_t now = monotonic_ns();

	if (!s->until_ns)
		return -1;
	if (now >= s->until_ns)
		return 0;
	const uint64_t ms = (s->until_ns - now) / NS_PER_MS;
	return ms < INT_MAX ? (int)ms + 1 : INT_MAX;
}

static void serve(struct service *s, int signals, int process)
{
	while (!s->over) {
		struct pollfd from[] = {
			{ .fd = s->waits ? -1 : trace_probes_fd(s->probes),
			  .events = POLLIN },
			{ .fd = s->pipe, .events = s->waits ? POLLOUT : 0 },
			{ .fd = signals, .events = POLLIN },
			{ .fd = process, .events = POLLIN },
			{ .fd = s->written, .events = POLLIN },
			{ .fd = s->takes ? trace_probes_stops_fd(s->probes) : -1,
			  .events = POLLIN },
			{ .fd = s->takes && !s->waits ? takes_fd(s->takes) : -1,
			  .events = POLLIN },
		};
		if (poll(from, ARRAY_SIZE(from), patience(s)) < 0)
			continue;
		s->changed = from[4].revents;
		if (s->changed)
			uprobe_links_close(TAKE(s->links));
		take(s);
		s->over |= has_all(s) || from[1].revents & POLLERR || from[2].revents ||
			   from[3].revents || s->changed ||
			   (s->until_ns && monotonic_ns() >= s->until_ns);
	}
}

static void wait_for_room(struct service *s)
{
	struct pollfd to = { .fd = s->pipe, .events = POLLOUT };

	while (s->waits && poll(&to, 1, -1) >= 0 && !(to.revents & POLLERR))
		send_message(s);
	s->waits = false;
}

static void tell_times(struct service *s)
{
	struct trace_latency *to = &s->message.latency;

	for (uint32_t i = 0; i < s->functions->count; i++) {
		wait_for_room(s);
		s->message.kind = TRACE_MESSAGE_TIMES;
		*to = (struct trace_latency){ .function = i };
		if (trace_probes_times(s->probes, i, &to->times))
			send_message(s);
	}
	wait_for_room(s);
}

/* The probes are gone: what they told before is still there. */
static void finish(struct service *s)
{
	uint64_t before;

	uprobe_links_close(TAKE(s->links));
	do {
		wait_for_room(s);
		tell_losses(s);
		wait_for_room(s);
		before = s->told + s->returns_told;
		trace_probes_read(s->probes, take_hit, s);
	} while (s->told + s->returns_told != before);
	if (s->takes)
		takes_begin(s->takes);
	wait_for_room(s);
	tell_snapshot(s, true);
	wait_for_room(s);
	if (s->options->returns)
		tell_times(s);
	s->message.kind = TRACE_MESSAGE_END;
	s->message.totals = totals(s);
	send_message(s);
	wait_for_room(s);
}

static int open_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void say_begun(const struct service *s)
{
	const size_t n = s->functions->count;

	if (s->options->quiet)
		return;
	fprintf(stderr, "gosnap: tracing %zu function%s\n", n, n == 1 ? "" : "s");
	if (s->functions->repeated)
		fprintf(stderr,
			"gosnap: %zu of them begin%s with a loop: each turn counts as a "
			"call\n",
			s->functions->repeated, s->functions->repeated == 1 ? "s" : "");
	if (s->functions->elsewhere)
		fprintf(stderr,
			"gosnap: not all returns of %zu of them are told: they jump to "
			"other functions, or return in too many places\n",
			s->functions->elsewhere);
}

static void say_end(const struct service *s)
{
	const struct trace_totals t = totals(s);

	if (s->options->quiet)
		return;
	if (s->changed)
		fprintf(stderr,
			"gosnap: the program was written to, so its functions are "
			"traced no longer\n");
	fprintf(stderr, "gosnap: %llu calls, %llu told, %llu lost",
		(unsigned long long)t.calls, (unsigned long long)t.told,
		(unsigned long long)t.lost);
	if (t.with_returns)
		fprintf(stderr, "; %llu returns, %llu told, %llu lost",
			(unsigned long long)t.returns, (unsigned long long)t.returns_told,
			(unsigned long long)t.returns_lost);
	if (t.excluded)
		fprintf(stderr, ", %llu excluded by --when",
			(unsigned long long)t.excluded);
	if (t.beyond_rate)
		fprintf(stderr, ", %llu beyond --rate",
			(unsigned long long)t.beyond_rate);
	if (t.beyond_count)
		fprintf(stderr, ", %llu beyond --count",
			(unsigned long long)t.beyond_count);
	if (t.with_snapshots)
		fprintf(stderr, "; %llu snapshots, %llu failed, %llu calls without one",
			(unsigned long long)t.snapshots,
			(unsigned long long)t.snapshots_failed,
			(unsigned long long)t.beyond_interval);
	fputc('\n', stderr);
}

static bool run(struct service *s, struct err *err)
{
	const struct trace_options *o = s->options;
	const int signals = open_signals();
	const int process = o->pid ? (int)syscall(SYS_pidfd_open, o->pid, 0) : -1;

	if (o->pid && process < 0)
		return err_set(err, ERR_GONE, "process %d: no such process", (int)o->pid);
	if (!start_decoder(s, err) || !load_probes(s, err) ||
	    !prepare_snapshots(s, err) || !attach(s, err))
		return false;
	say_begun(s);
	if (o->duration_ns)
		s->until_ns = monotonic_ns() + o->duration_ns;
	serve(s, signals, process);
	finish(s);
	say_end(s);
	close(signals);
	if (process >= 0)
		close(process);
	return !s->takes || !takes_have_failed(s->takes, err);
}

/* Its end is awaited: it may have much to write. */
static bool end_decoder(struct service *s, struct err *err)
{
	int status;

	if (s->pipe >= 0)
		close(s->pipe);
	if (s->decoder <= 0)
		return true;
	while (waitpid(s->decoder, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
		return true; /* nobody reads on */
	if (!s->outcome->failed)
		return true;
	*err = s->outcome->why;
	return false;
}

static bool read_when(struct service *s, struct err *err)
{
	if (s->options->when)
		s->when = when_parse(s->options->when, err);
	return s->when || !s->options->when;
}

bool trace_service(const struct trace_options *options, struct err *err)
{
	struct service s = {
		.options = options, .file = -1, .pipe = -1, .written = written_open()
	};
	struct bpf_facts facts;
	struct err later;

	bpf_facts_read(&facts);
	bool ok = read_when(&s, err) && bpf_judge(&facts, err) && open_program(&s, err) &&
		  find_functions(&s, err) && run(&s, err);
	if (!end_decoder(&s, &later) && ok) {
		*err = later;
		ok = false;
	}
	uprobe_links_close(s.links);
	takes_free(s.takes);
	trace_probes_close(s.probes);
	trace_functions_free(s.functions);
	when_free(s.when);
	xfree(s.name);
	if (s.file >= 0)
		close(s.file);
	if (s.written >= 0)
		close(s.written);
	if (s.outcome)
		munmap(s.outcome, sizeof(*s.outcome));
	return ok;
}
