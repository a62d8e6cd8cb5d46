/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "src/run/file_name.h"
#include "src/run/run_priv.h"

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
	return output_open_at_once(path, err);
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

	options.capture.pid = r->pid;
	options.capture.ended = r->ended;
	options.trigger = r->trigger;
	options.only_of_fault = r->only_of_fault;
	return options;
}

void run_read(const struct reading *r, const struct tracer_service *service)
{
	AUTO(output_close)
	struct output *out = open_output(r, &r->result->taken.why);
	const struct traced_reading traced = {
		.options = options_of(r),
		.service = service,
		.stands = r->stands,
		.values_failed = r->values_failed,
		.result = &r->result->taken,
		.shared = r->result,
		.shared_bytes = sizeof(*r->result),
	};

	if (out)
		traced_read(&traced, out);
}
