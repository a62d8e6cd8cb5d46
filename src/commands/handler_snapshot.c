/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/handler_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "src/commands/snap_options.h"
#include "src/handler/settings.h"
#include "src/snapshot/output.h"

/* The kernel's numbers as the process itself knows them, as in the notes of its core. */
static struct trigger trigger_of(const struct crash *crash)
{
	const char *thread = crash->word['i'];

	return (struct trigger){
		.kind = TRIGGER_SIGNAL,
		.thread = thread && *thread ? strtoull(thread, NULL, 10) : 0,
		.signal = (uint64_t)crash->signal,
	};
}

static const char *if_any(const char *path)
{
	return *path ? path : NULL;
}

static void take_settings(const struct settings *settings, struct snap_arguments *ret)
{
	const bool strict = strcmp(settings->redact, "strict") == 0;

	if (strict)
		ret->redaction.mode = REDACT_STRICT;
	ret->redaction.rules = strict ? NULL : if_any(settings->redact);
	ret->redaction.key = if_any(settings->redact_key);
	if (*settings->printers)
		ret->printers.paths[ret->printers.count++] = settings->printers;
	if (settings->stacks)
		ret->snap.capture.values = VALUES_NONE;
}

bool handler_snapshot(void *arg, const struct settings *settings,
		      const struct dying *dying, int file, struct err *err)
{
	const struct crash *crash = arg;
	struct snap_arguments arguments = snap_arguments_default(NULL);
	struct snap_options *options = &arguments.snap;
	struct snap_result result = { .warnings = 0 };
	AUTO(xfree) char *name = xasprintf("the core of process %d", (int)dying->pid);

	options->capture.core.path = name;
	options->capture.core.dying = dying;
	options->capture.go_only = true;
	options->trigger = trigger_of(crash);
	options->progress = PROGRESS_NEVER;
	take_settings(settings, &arguments);
	AUTO(redaction_free)
	struct redaction *secrets = redaction_new(&arguments.redaction, err);
	AUTO(value_rules_free)
	struct value_rules *rules =
		secrets ? printer_files_read(&arguments.printers, err) : NULL;
	if (!rules)
		return false;
	options->redaction = secrets;
	options->rules = rules;
	AUTO(output_close) struct output *out = output_open_file(file, true);
	return snap_take(options, output_sink(out), &result, err) &&
	       output_finish(out, err) && output_commit(out, err);
}
