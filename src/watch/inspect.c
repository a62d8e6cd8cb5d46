/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/inspect.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct snap_options options_of(const struct inspection *i)
{
	struct snap_options options = i->snap;

	options.capture.pid = i->pid;
	options.capture.sighted = &i->sighted;
	options.trigger = i->trigger;
	if (i->core) {
		options.capture.core = *i->core;
		options.capture.values = VALUES_NONE; /* nor is there a heap */
		options.capture.globals = NULL;
	}
	return options;
}

static bool keep(const struct inspection *i, int file, struct err *err)
{
	const struct spool_name name = { realtime_ns(), i->program, i->pid };
	char *id = NULL;

	if (!spool_keep(i->spool, file, SPOOL_DOCUMENT, &name, i->owner, (gid_t)-1, &id,
			err))
		return false;
	snprintf(i->result->id, sizeof(i->result->id), "%s", id);
	xfree(id);
	return true;
}

void inspect(const struct inspection *i, const struct tracer_service *service)
{
	struct traced_result *taken = &i->result->taken;
	const int file = spool_create(i->spool, &taken->why);
	AUTO(output_close)
	struct output *out = file < 0 ? NULL : output_open_file(file, true);
	const struct traced_reading traced = {
		.options = options_of(i),
		.service = service,
		.stands = service != NULL,
		.values_failed = i->values_failed,
		.result = taken,
		.shared = i->result,
		.shared_bytes = sizeof(*i->result),
	};

	if (!out)
		return;
	traced_read(&traced, out);
	taken->done = taken->done && keep(i, file, &taken->why);
	close(file);
}

void inspection_name_program(pid_t pid, char *ret, size_t size)
{
	char link[64], path[4096];

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	const ssize_t n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	const char *slash = strrchr(path, '/');
	snprintf(ret, size, "%s", slash ? slash + 1 : path);
}

void inspection_say(const struct inspection *i, const struct watch_log *log,
		    const char *event, uint64_t stopping_ns, uint64_t pause_ns,
		    const char *sentence)
{
	const char *id = i->result->id, *verdict = i->result->taken.verdict;
	const struct watch_field fields[] = {
		{ "snapshot", WATCH_FIELD_TEXT, *id ? id : NULL, 0 },
		{ "verdict", WATCH_FIELD_TEXT, *verdict ? verdict : NULL, 0 },
		{ "stopping_ns", WATCH_FIELD_NUMBER, NULL, stopping_ns },
		{ "pause_ns", WATCH_FIELD_NUMBER, NULL, pause_ns },
	};
	const struct watch_line line = { event, i->pid, i->program, fields,
					 ARRAY_SIZE(fields) - 2 * (pause_ns == 0) };

	watch_log(log, &line, "%s", sentence);
}
