/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/run/catcher.h"
#include "src/run/file_name.h"
#include "src/snapshot/output.h"

/* In memory shared with the child and its reader. */
struct shared {
	struct traced_result result;
	uint64_t stopping_ns, pause_ns;
};

struct takes {
	const struct takes_options *options;
	struct trace_probes *probes;
	bool only_one;
	pid_t child; /* 0: none; -1: it could not be started */
	int process; /* its descriptor */
	struct trace_stop stop;
	char *file;
	struct shared *shared;
	struct takes_counts counts;
	struct err why; /* the first that failed */
};

static char *name_of(const struct takes *t, pid_t pid)
{
	return file_name_make(t->options->pattern,
			      &(struct file_name){ .program = t->options->program,
						   .pid = pid,
						   .time_ns = realtime_ns(),
						   .number = t->counts.taken + 1 });
}

/* Rather now than when it matters. */
static bool can_write(const struct takes *t, struct err *err)
{
	AUTO(xfree) char *file = name_of(t, getpid());

	if (strlen(file) >= TAKEN_TEXT)
		return err_set(err, ERR_USAGE, "the name of the snapshot is too long");
	AUTO(output_close) struct output *out = output_open(file, err);
	return out != NULL;
}

struct takes *takes_new(const struct takes_options *options, struct trace_probes *probes,
			struct err *err)
{
	AUTO(takes_free) struct takes *t = xcalloc(1, sizeof(*t));

	*t = (struct takes){ .options = options,
			     .probes = probes,
			     .only_one = !file_name_differs(options->pattern),
			     .process = -1 };
	if (!can_write(t, err))
		return NULL;
	t->shared = xshared(sizeof(*t->shared));
	return TAKE(t);
}

void takes_free(struct takes *t)
{
	struct trace_taken ignored;

	if (!t)
		return;
	takes_end(t, true, &ignored);
	if (t->shared)
		munmap(t->shared, sizeof(*t->shared));
	xfree(t);
}

static void release(void *arg)
{
	const struct takes *t = arg;

	trace_probes_release(t->probes, &t->stop);
}

static void read_process(void *arg, const struct tracer_service *service,
			 const char *values_failed)
{
	const struct takes *t = arg;
	const struct takes_options *o = t->options;
	struct traced_result *result = &t->shared->result;
	struct traced_reading reading = {
		.options = *o->snap,
		.service = service,
		.stands = true,
		.values_failed = values_failed,
		.result = result,
		.shared = t->shared,
		.shared_bytes = sizeof(*t->shared),
	};

	reading.options.capture.pid = (pid_t)t->stop.pid;
	reading.options.trigger =
		(struct trigger){ .kind = TRIGGER_FUNCTION,
				  .thread = t->stop.tid,
				  .function = o->functions->list[t->stop.point].name,
				  .condition = o->when };
	AUTO(output_close) struct output *out = output_open(t->file, &result->why);
	if (out)
		traced_read(&reading, out);
}

static void say_unfinished(struct traced_result *result, int status)
{
	if (!result->done && err_is(&result->why, ERR_NONE))
		err_set(&result->why, ERR_SYS, "it was not finished (signal %d)",
			WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* In the child. What a process does after the call is no snapshot of it. */
static void take(struct takes *t, struct catcher_life *life)
{
	struct shared *ret = t->shared;
	const struct catcher_reading reading = {
		.read = read_process,
		.arg = t,
		.result = &ret->result,
		.max_pause_ns = t->options->max_pause_ns,
		.goes_on = true,
		.max_copy_ns = t->options->snap->capture.max_copy_age_ns,
		.life = life
	};
	struct err err = { .code = ERR_NONE };
	int status = 0;
	AUTO(watch_end)
	struct watch *w =
		watch_catch((pid_t)t->stop.pid, (pid_t)t->stop.tid, release, t, &err);

	catcher_drop_descriptors(NULL, 0);
	if (trace_probes_missed(t->probes, &t->stop)) {
		err_set(&ret->result.why, ERR_GONE,
			"the call went on before all threads stood still (--hold)");
		return;
	}
	if (w)
		ret->stopping_ns = watch_stopped_at(w) - t->stop.at_ns;
	if (!w || !catcher_read(w, &reading, &status, &err))
		ret->result.why = err;
	say_unfinished(&ret->result, status);
	ret->pause_ns = w ? watch_released_at(w) - t->stop.at_ns : 0;
}

static void start_child(struct takes *t)
{
	*t->shared = (struct shared){ .result.done = false };
	t->file = name_of(t, (pid_t)t->stop.pid);
	t->child = catcher_fork();
	if (t->child == 0) {
		struct catcher_life life = catcher_begin(t->options->max_pause_ns);
		take(t, &life);
		_exit(EXIT_SUCCESS);
	}
	if (t->child > 0) {
		t->process = (int)syscall(SYS_pidfd_open, t->child, 0);
		return;
	}
	err_sys(&t->shared->result.why, "cannot fork");
	release(t);
}

void takes_begin(struct takes *t)
{
	if (!t->child && trace_probes_next_stop(t->probes, &t->stop))
		start_child(t);
}

int takes_fd(const struct takes *t)
{
	return t->process;
}

/* The next may be soon. */
static void allow_next(const struct takes *t)
{
	if (!t->only_one || !t->counts.taken)
		trace_probes_stop_after(t->probes,
					t->stop.at_ns + t->options->interval_ns);
}

static void count(struct takes *t, const struct traced_result *result)
{
	if (!result->done && !t->counts.failed)
		t->why = result->why;
	*(result->done ? &t->counts.taken : &t->counts.failed) += 1;
}

static struct trace_taken what_became(const struct takes *t)
{
	const struct trace_stop *stop = &t->stop;
	struct trace_taken ret = { .call = stop->call,
				   .at_ns = stop->at_ns,
				   .stopping_ns = t->shared->stopping_ns,
				   .pause_ns = t->shared->pause_ns,
				   .function = stop->point,
				   .pid = stop->pid,
				   .tid = stop->tid,
				   .done = t->shared->result.done };

	snprintf(ret.file, sizeof(ret.file), "%s", t->file);
	snprintf(ret.why, sizeof(ret.why), "%s", t->shared->result.why.text);
	return ret;
}

/* One that could not be started has. */
static bool has_ended(const struct takes *t, bool wait, int *ret_status)
{
	pid_t ended = t->child;

	while (t->child > 0 &&
	       (ended = waitpid(t->child, ret_status, wait ? 0 : WNOHANG)) < 0 &&
	       errno == EINTR)
		continue;
	return ended != 0;
}

bool takes_end(struct takes *t, bool wait, struct trace_taken *ret)
{
	int status = 0;

	if (!t->child || !has_ended(t, wait, &status))
		return false;
	say_unfinished(&t->shared->result, status);
	count(t, &t->shared->result);
	*ret = what_became(t);
	allow_next(t);
	if (t->process >= 0)
		close(t->process);
	xfree(TAKE(t->file));
	t->process = -1;
	t->child = 0;
	return true;
}

struct takes_counts takes_counts(const struct takes *t)
{
	return t->counts;
}

bool takes_have_failed(const struct takes *t, struct err *ret_why)
{
	if (t->counts.taken || !t->counts.failed)
		return false;
	*ret_why = t->why;
	return true;
}
