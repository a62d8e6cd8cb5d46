/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/reading.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "redaction/redaction.h"
#include "src/findings/analysis/earlier_looks.h"
#include "src/record/sample.h"
#include "src/snapshot/output.h"

struct reader {
	struct series_host *series;
	const struct record_options *options;
	struct capture_options capture_options;
	struct capture capture; /* looked at */
	uint64_t code_key;
	struct sampler sampler;
	struct trigger trigger;
	uint64_t taken;
	const char *values_failed; /* NULL: they are to be read */
};

static int ask(const struct reader *r, enum question_kind kind, int number, int *ret_fd)
{
	const struct question q = { .kind = kind, .number = number };
	struct answer a = { .result = -EIO };

	*ret_fd = -1;
	if (!sandbox_is_closed())
		series_answer(r->series, &q, &a, ret_fd);
	else if (!sandbox_ask(&q, -1, &a, ret_fd))
		return -EIO;
	return a.result;
}

static struct snap_options options_of(const struct reader *r)
{
	const struct record_options *o = r->options;
	struct snap_options options = o->snap;

	options.capture = r->capture_options;
	options.trigger = r->trigger;
	options.series.id = r->series->id;
	options.series.index = r->taken + 1;
	options.series.of = o->count;
	options.series.every_ns = o->every_ns;
	if (sandbox_is_closed())
		options.jobs = 1; /* its forks can start no process */
	options.values_failed = r->values_failed;
	options.earlier = r->series->earlier;
	return options;
}

static bool write_one(struct reader *r, int turn, int file, struct err *err)
{
	const struct snap_options options = options_of(r);
	struct snap_result result = { .warnings = 0 };
	AUTO(output_close) struct output *out = output_open_file(file, true);

	output_keep_remains_in(out, r->series->remains);
	const bool taken =
		redaction_renew_key(options.redaction, err) &&
		capture_begin(&r->capture, turn, err) &&
		snap_take_opened(&r->capture, &options, output_sink(out), &result, err);
	xfree(result.verdict);
	return taken && output_finish(out, err);
}

static void end_without_memory(void)
{
	_exit(SNAPSHOT_NO_MEMORY);
}

/* Takes turn. Returns how it ended, as wait() does. */
static int take_in_fork(struct reader *r, int turn, int file)
{
	const pid_t parent = getpid();
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(SNAPSHOT_FAILED);
		if (sandbox_is_closed())
			on_out_of_memory(end_without_memory);
		_exit(write_one(r, turn, file, r->series->why) ? SNAPSHOT_TAKEN
							       : SNAPSHOT_FAILED);
	}
	if (turn >= 0)
		close(turn);
	if (child < 0) {
		err_sys(r->series->why, "cannot start a process that reads");
		return W_EXITCODE(SNAPSHOT_FAILED, 0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int take_without_values(struct reader *r, int turn, int file)
{
	const struct capture_options before = r->capture_options;

	r->values_failed = "what read them died";
	r->capture_options.values = VALUES_NONE;
	r->capture_options.globals = NULL;
	const int status = take_in_fork(r, turn, file);
	r->capture_options = before;
	r->values_failed = NULL;
	return status;
}

static void take_one(struct reader *r)
{
	int turn, file, none;

	if (ask(r, ASK_SERIES_TURN, 0, &turn) < 0)
		return;
	(void)ask(r, ASK_SERIES_OUTPUT, 0, &file);
	const int status = take_in_fork(r, turn, file);
	if (ask(r, ASK_SERIES_DONE, status, &turn) == 1)
		(void)ask(r, ASK_SERIES_DONE, take_without_values(r, turn, file), &none);
	close(file);
}

/* Its limit of CPU time is for a snapshot, not for days of a series. */
static bool has_used_much(void)
{
	struct rusage used;

	return sandbox_is_closed() && getrusage(RUSAGE_SELF, &used) == 0 &&
	       used.ru_utime.tv_sec + used.ru_stime.tv_sec > LIMIT_SANDBOX_CPU_S / 2;
}

/* A part of the time between two snapshots. */
static void look_meanwhile(struct reader *r)
{
	earlier_looks_go_on(r->series->earlier, &r->capture, r->options->every_ns / 8);
}

static enum reading_end follow(struct reader *r)
{
	int taken, ignored;

	while ((taken = ask(r, ASK_SERIES_NEXT, 0, &ignored)) >= 0) {
		r->taken = (uint64_t)taken;
		if (capture_code_key(&r->capture) != r->code_key || has_used_much())
			return READING_ANEW;
		look_meanwhile(r);
		if (!r->options->condition ||
		    sampler_meets(&r->sampler, r->options->condition, &r->trigger))
			take_one(r);
		look_meanwhile(r);
	}
	return READING_OVER;
}

int reading_work(void *arg)
{
	const struct reading *reading = arg;
	struct reader r = {
		.series = reading->series,
		.options = reading->series->options,
		.capture_options = *reading->capture,
		.sampler.pid = reading->capture->pid,
	};
	enum reading_end end = READING_FAILED;

	r.sampler.capture = &r.capture;
	earlier_looks_forget(r.series->earlier); /* it may have called execve */
	if (capture_look(&r.capture, &r.capture_options, r.series->why)) {
		r.capture_options.subject = NULL;
		r.code_key = capture_code_key(&r.capture);
		end = follow(&r);
	}
	capture_done(&r.capture);
	return end;
}
