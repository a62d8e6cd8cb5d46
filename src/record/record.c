/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/record.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/record/sample.h"
#include "src/run/file_name.h"
#include "src/snapshot/output.h"

/* quota.c knows these names. */
static const char file_pattern[] = "gosnap-%e-%p-%t-%n.json.zst";

/* How often conditions are looked at. */
#define CHECK_NS (UINT64_C(1) * 1000 * 1000 * 1000)

struct recorder {
	const struct record_options *options;
	struct capture_options capture_options;
	int process; /* pidfd */
	char *name;
	char id[UUID_TEXT];
	struct capture capture;
	bool open, looked; /* capture has something to close; had so once */
	uint64_t code_key;
	struct sampler sampler;
	uint64_t taken;
	struct trigger trigger;
	/* Of one snapshot, in shared memory: */
	struct result {
		bool done;
		char path[4096];
		struct err why;
	} * result;
};

static bool open_process(struct recorder *r, struct err *err)
{
	const pid_t pid = r->capture_options.pid;

	r->process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (r->process < 0 && errno == ESRCH)
		return err_set(err, ERR_NOT_FOUND, "there is no process %d", (int)pid);
	return r->process >= 0 || err_sys(err, "cannot watch process %d", (int)pid);
}

static bool make_folder(const char *folder, struct err *err)
{
	struct stat st;

	if (mkdir(folder, 0700) == 0)
		return true;
	if (errno != EEXIST)
		return err_sys(err, "cannot make the folder %s", folder);
	return (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) ||
	       err_set(err, ERR_SYS, "%s is not a folder", folder);
}

/* What all snapshots need. Again if the process has other code now. */
static bool look(struct recorder *r, struct err *err)
{
	const uint64_t key = r->open ? capture_code_key(&r->capture) : 0;
	struct capture_subject subject;

	if (r->open && key == r->code_key)
		return true;
	if (r->open)
		capture_done(&r->capture);
	r->open = false;
	if (!capture_find(&r->capture_options, &subject, err))
		return false;
	r->capture_options.subject = &subject;
	r->open = capture_look(&r->capture, &r->capture_options, err);
	capture_subject_done(&subject);
	r->capture_options.subject = NULL;
	if (!r->open) {
		capture_done(&r->capture);
		return false;
	}
	r->looked = true;
	r->code_key = capture_code_key(&r->capture);
	r->sampler.capture = &r->capture;
	return true;
}

/* False: it has ended. */
static bool wait_until(const struct recorder *r, uint64_t at)
{
	struct pollfd process = { .fd = r->process, .events = POLLIN };

	for (;;) {
		const uint64_t now = monotonic_ns();
		const uint64_t left = at > now ? at - now : 0;
		const struct timespec time = { (time_t)(left / 1000000000),
					       (long)(left % 1000000000) };
		int n = ppoll(&process, 1, &time, NULL);
		if (n >= 0)
			return n == 0;
		if (errno != EINTR)
			return false;
	}
}

/* All that is measured is measured even if one term is not met, for the times since. */
static bool condition_met(struct recorder *r)
{
	const struct condition *c = r->options->condition;
	bool met = true;

	r->trigger = (struct trigger){ .kind = TRIGGER_THRESHOLD, .condition = c->text };
	for (size_t i = 0; i < c->count; i++) {
		uint64_t value;
		bool known = sample(&r->sampler, c->terms[i].quantity, c->terms[i].limit,
				    &value);
		met = met && known && condition_holds(c, i, value);
		if (known)
			r->trigger.measures[r->trigger.measure_count++] =
				(struct trigger_measure){
					quantity_name(c->terms[i].quantity), value
				};
	}
	return met;
}

static void write_one(struct recorder *r, struct redaction *secrets)
{
	const struct record_options *o = r->options;
	const struct file_name name = {
		.program = r->name,
		.pid = r->capture_options.pid,
		.time_ns = realtime_ns(),
		.number = r->taken + 1,
	};
	struct snap_options options = o->snap;
	struct snap_result result = { .warnings = 0 };
	struct err *err = &r->result->why;
	AUTO(xfree) char *file = file_name_make(file_pattern, &name);
	AUTO(xfree) char *path = xasprintf("%s/%s", o->folder, file);
	AUTO(output_close) struct output *out = output_open(path, err);

	options.capture = r->capture_options;
	options.redaction = secrets;
	options.trigger = r->trigger;
	options.series.id = r->id;
	options.series.index = r->taken + 1;
	options.series.of = o->count;
	options.series.every_ns = o->every_ns;
	snprintf(r->result->path, sizeof(r->result->path), "%s", path);
	if (!out || !capture_begin(&r->capture, err) ||
	    !snap_take_opened(&r->capture, &options, output_sink(out), &result, err))
		return;
	xfree(result.verdict);
	r->result->done = output_finish(out, err) && output_commit(out, err);
}

static void make_one(struct recorder *r)
{
	AUTO(redaction_free)
	struct redaction *secrets = redaction_new(r->options->redaction, &r->result->why);

	if (secrets)
		write_one(r, secrets);
}

static void take_one(struct recorder *r)
{
	struct result *result = r->result;
	int status = 0;
	pid_t child;

	memset(result, 0, sizeof(*result));
	child = fork();
	if (child == 0) {
		make_one(r);
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	r->taken++;
	if (result->done) {
		r->options->taken(result->path);
		return;
	}
	if (child < 0)
		err_sys(&result->why, "cannot start a process that reads");
	else if (WIFSIGNALED(status))
		err_set(&result->why, ERR_LIMIT,
			"a snapshot was not finished (signal %d)", WTERMSIG(status));
	r->options->failed(&result->why);
}

static bool has_ended(const struct recorder *r)
{
	return !wait_until(r, 0);
}

/* One round. Sets when the next one is. False: err, which ends the series. */
static bool go_round(struct recorder *r, uint64_t *next_at, struct err *err)
{
	const uint64_t now = monotonic_ns();
	struct err why;

	if (!look(r, err))
		return false;
	if (r->options->condition && !condition_met(r)) {
		*next_at = now + CHECK_NS;
		return true;
	}
	take_one(r);
	*next_at = now + r->options->every_ns;
	if (!quota_enforce(r->options->folder, &r->options->quota, &why))
		r->options->failed(&why);
	return true;
}

static bool go_on(struct recorder *r, struct err *err)
{
	const uint64_t count = r->options->count;
	uint64_t next_at = 0;

	while ((!count || r->taken < count) && wait_until(r, next_at)) {
		if (go_round(r, &next_at, err))
			continue;
		return has_ended(r) && r->looked;
	}
	return true;
}

static void name_it(struct recorder *r)
{
	struct err ignored;
	AUTO(process_free)
	struct process *process = process_read(r->capture_options.pid, &ignored);

	r->name = xstrdup(process && process->comm ? process->comm : "process");
}

bool record(const struct record_options *options, uint64_t *ret_count, struct err *err)
{
	struct recorder r = { .options = options,
			      .capture_options = options->snap.capture,
			      .process = -1 };

	r.sampler.pid = options->snap.capture.pid;
	r.result = mmap(NULL, sizeof(*r.result), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.result == MAP_FAILED)
		out_of_memory();
	bool ok = (new_uuid(r.id) || err_sys(err, "cannot name the series")) &&
		  open_process(&r, err) && look(&r, err) &&
		  make_folder(options->folder, err);
	name_it(&r);
	ok = ok && go_on(&r, err);
	*ret_count = r.taken;
	if (r.open)
		capture_done(&r.capture);
	if (r.process >= 0)
		close(r.process);
	xfree(r.name);
	munmap(r.result, sizeof(*r.result));
	return ok;
}
