/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	return options;
}

void run_read(const struct reading *r)
{
	struct snap_options options = options_of(r);
	struct capture_subject subject;
	struct reading_result *ret = r->result;
	struct snap_result result = { .warnings = 0 };
	struct err *err = &ret->why;
	AUTO(output_close) struct output *out = open_output(r, err);

	if (!out || !capture_find(&options.capture, &subject, err))
		return;
	options.capture.subject = &subject;
	const bool taken = snap_take(&options, output_sink(out), &result, err);
	capture_subject_done(&subject);
	if (!taken)
		return;
	ret->no_fault = result.no_fault;
	if (result.no_fault || !output_finish(out, err) || !output_commit(out, err))
		return;
	snprintf(ret->verdict, sizeof(ret->verdict), "%s",
		 result.verdict ? result.verdict : "");
	xfree(result.verdict);
	ret->done = true;
}
