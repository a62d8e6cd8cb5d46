/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/limit.h"
#include "src/capture/sandboxed.h"
#include "src/run/file_name.h"
#include "src/run/run_priv.h"
#include "src/snapshot/output.h"

static const char first_name[] = "gosnap-%e-%p.json.zst";
static const char later_name[] = "gosnap-%e-%p-%n.json.zst";

static struct output *open_named(const struct reading *r, const char *folder,
				 const char *pattern, struct err *err)
{
	const struct file_name name = {
		.program = r->program,
		.pid = r->pid,
		.time_ns = realtime_ns(),
		.number = r->number,
	};
	AUTO(xfree) char *file = file_name_make(pattern, &name);
	AUTO(xfree)
	char *path = folder ? xasprintf("%s/%s", folder, file) : xstrdup(file);

	snprintf(r->result->path, sizeof(r->result->path), "%s", path);
	return output_open(path, err);
}

/* If nothing was asked for: in the current folder, or where temporary files are. */
static struct output *open_output(const struct reading *r, struct err *err)
{
	const char *pattern = r->number > 1 ? later_name : first_name;
	const char *temporary = getenv("TMPDIR");
	struct err ignored;

	if (r->options->output)
		return open_named(r, NULL, r->options->output, err);
	struct output *out = open_named(r, NULL, pattern, &ignored);
	if (!out)
		out = open_named(r, temporary && *temporary ? temporary : "/tmp", pattern,
				 err);
	return out;
}

static struct snap_options options_of(const struct reading *r)
{
	struct snap_options options = r->options->snap;
	struct capture_options *capture = &options.capture;

	capture->pid = r->pid;
	capture->service = r->service;
	capture->stands = r->stands;
	capture->ended = r->ended;
	if (r->stands && capture->values == VALUES_UNLESS_HELD)
		capture->values = VALUES_ALWAYS;
	options.trigger = r->trigger;
	options.only_of_fault = r->only_of_fault;
	options.progress = PROGRESS_NEVER;
	options.jobs = 1; /* so that the sandbox can start no process */
	return options;
}

/* What the sandbox tells, in memory shared with it. */
struct found {
	bool no_fault;
	char verdict[sizeof(((struct reading_result *)NULL)->verdict)];
	struct err why;
};

struct work {
	struct snap_options options;
	struct output *out;
	struct reading_result *result;
	struct found *found;
};

enum { TAKEN, FAILED };

static int take(void *arg)
{
	const struct work *w = arg;
	struct snap_result result = { .warnings = 0 };

	/* The tracer believes what is there. */
	if (sandbox_is_closed())
		munmap(w->result, sizeof(*w->result));
	if (!snap_take(&w->options, output_sink(w->out), &result, &w->found->why))
		return FAILED;
	w->found->no_fault = result.no_fault;
	snprintf(w->found->verdict, sizeof(w->found->verdict), "%s",
		 result.verdict ? result.verdict : "");
	xfree(result.verdict);
	return result.no_fault || output_finish(w->out, &w->found->why) ? TAKEN : FAILED;
}

static struct found *new_found(void)
{
	struct found *found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (found == MAP_FAILED)
		out_of_memory();
	return found;
}

/* Checked: it may have been taken over. */
static void take_over(const struct work *w, int status)
{
	struct reading_result *ret = w->result;
	struct found found = *w->found;

	found.verdict[sizeof(found.verdict) - 1] = 0;
	found.why.text[sizeof(found.why.text) - 1] = 0;
	if (status != TAKEN) {
		err_set(&ret->why, ERR_SYS, "%s",
			*found.why.text ? found.why.text : "it was not finished");
		return;
	}
	ret->no_fault = found.no_fault;
	if (ret->no_fault || !output_commit(w->out, &ret->why))
		return;
	memcpy(ret->verdict, found.verdict, sizeof(ret->verdict));
	ret->done = true;
}

void run_read(const struct reading *r)
{
	struct sandbox sandbox = { .max_ns = LIMIT_SANDBOX_NS, .threads = 1 };
	struct err *err = &r->result->why;
	AUTO(output_close) struct output *out = open_output(r, err);
	struct work w = { .options = options_of(r), .out = out, .result = r->result };
	int status;

	if (!out)
		return;
	w.found = new_found();
	sandbox.keep[sandbox.keep_count++] = output_fd(out);
	AUTO(capture_host_free)
	struct capture_host *host = capture_host_new(
		&w.options.capture, r->options->snap.no_sandbox, &sandbox, err);
	if (host &&
	    sandboxed_run(r->options->snap.no_sandbox, &sandbox, take, &w, &status, err))
		take_over(&w, status);
}
