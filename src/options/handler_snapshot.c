/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/handler_snapshot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sandbox/sandbox.h"
#include "src/handler/crashed.h"
#include "src/options/command.h"
#include "src/options/redact_options.h"
#include "src/options/snap_options.h"
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

/* What is opened before the sandbox is closed: what only /proc knows. */
struct opened {
	struct capture_subject subject;
	int folder, executable; /* /proc/PID, and of its exe; -1: none */
};

static void close_facts(struct opened *opened)
{
	capture_subject_done(&opened->subject);
	if (opened->folder >= 0)
		close(opened->folder);
	if (opened->executable >= 0)
		close(opened->executable);
}

/* By pid: believed only if it was this process all the time. */
static void open_facts(const struct crash *crash, struct dying *dying, struct opened *ret)
{
	AUTO(xfree) char *folder = xasprintf("/proc/%d", (int)dying->pid);
	struct err ignored;

	*ret = (struct opened){ .subject.turn = -1, .folder = -1, .executable = -1 };
	if (dying->is_gone)
		return;
	ret->subject.process = process_read(dying->pid, &ignored);
	ret->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret->executable = crashed_file(crash, "exe", O_RDONLY | O_NOCTTY);
	if (crashed_is_there(crash))
		return;
	close_facts(ret);
	*ret = (struct opened){ .subject.turn = -1, .folder = -1, .executable = -1 };
	dying->is_gone = true;
}

static void keep(struct sandbox *sandbox, int fd)
{
	if (fd >= 0)
		sandbox->keep[sandbox->keep_count++] = fd;
}

struct work {
	const struct snap_options *options;
	struct output *out;
	struct err *err; /* shared with the parent of the sandbox */
};

enum { NO_MEMORY = EXIT_NO + 1 };

static void end_without_memory(void)
{
	_exit(NO_MEMORY);
}

static int take_and_finish(void *arg)
{
	const struct work *w = arg;
	struct snap_result result = { .warnings = 0 };

	if (sandbox_is_closed())
		on_out_of_memory(end_without_memory);
	bool taken = snap_take(w->options, output_sink(w->out), &result, w->err) &&
		     output_finish(w->out, w->err);

	xfree(result.verdict);
	return taken ? EXIT_DONE : EXIT_NO;
}

/* Once: a child that was taken over may still write to it. */
static bool failed(const struct work *w, struct err *err)
{
	*err = *w->err;
	err->text[sizeof(err->text) - 1] = '\0';
	if ((unsigned)err->code > ERR_USAGE || err->code == ERR_NONE)
		err->code = ERR_BAD_DATA;
	return false;
}

static bool take_in_sandbox(const struct work *w, const struct sandbox *sandbox,
			    struct err *err);

/* What was written before it died is kept. If that is nothing, values may be to blame, which are read
 * first. */
static bool take_remains(const struct work *w, const struct sandbox *sandbox,
			 struct err *err)
{
	struct snap_options options = *w->options;
	const struct work again = { &options, w->out, w->err };
	const struct err why = *err;

	if (options.capture.values == VALUES_NONE || !output_begin_again(w->out))
		return output_mend(w->out, why.text, &(struct err){ .code = ERR_NONE });
	options.values_failed = why.text;
	options.capture.values = VALUES_NONE;
	const bool taken = take_in_sandbox(&again, sandbox, err);
	*err = why;
	return taken;
}

/* True: err is ERR_NONE, or says why it is incomplete. */
static bool take_in_sandbox(const struct work *w, const struct sandbox *sandbox,
			    struct err *err)
{
	int status;

	*err = (struct err){ .code = ERR_NONE };
	if (sandbox_missing())
		status = take_and_finish((void *)w);
	else if (!sandbox_run(sandbox, take_and_finish, (void *)w, &status, err))
		return status != SANDBOX_NONE && take_remains(w, sandbox, err);
	if (status == NO_MEMORY) {
		err_set(err, ERR_SYS, "there was not enough memory");
		return take_remains(w, sandbox, err);
	}
	return status == EXIT_DONE || failed(w, err);
}

static bool take(const struct snap_options *options, const struct dying *dying,
		 const struct opened *opened, uint64_t max_bytes, int file,
		 struct err *err)
{
	struct sandbox sandbox = {
		.programs = true,
		.cache = true,
		.threads = 1,
		.max_file_bytes = max_bytes,
		.max_files = 1, /* for what it would like in the cache */
	};
	AUTO(output_close) struct output *out = output_open_file(file, true);
	struct work w = { options, out, NULL };
	struct err late;

	output_keep_remains(out);
	keep(&sandbox, dying->head);
	keep(&sandbox, dying->memory);
	keep(&sandbox, file);
	keep(&sandbox, opened->executable);
	keep(&sandbox, opened->folder);
	if (opened->folder >= 0)
		sandbox.subject = (struct sandbox_subject){ .pid = dying->pid,
							    .folder = opened->folder };
	w.err = xshared(sizeof(*w.err));
	bool taken = take_in_sandbox(&w, &sandbox, err);
	munmap(w.err, sizeof(*w.err));
	if (!taken || output_commit(out, &late))
		return taken;
	*err = late;
	return false;
}

bool handler_snapshot(void *arg, const struct settings *settings,
		      const struct dying *given, uint64_t max_bytes, int file,
		      struct err *err)
{
	const struct crash *crash = arg;
	struct dying dying = *given;
	struct snap_arguments arguments = snap_arguments_default(NULL);
	struct snap_options *options = &arguments.snap;
	AUTO(xfree) char *name = xasprintf("the core of process %d", (int)dying.pid);
	struct opened opened;

	options->capture.core.path = name;
	options->capture.core.dying = &dying;
	options->capture.go_only = true;
	options->trigger = trigger_of(crash);
	options->progress = PROGRESS_NEVER;
	options->jobs = 1; /* so that the sandbox can start no process */
	take_settings(settings, &arguments);
	AUTO(named_rules_free)
	struct named_rules *rules =
		named_rules_read(&arguments.redaction, &arguments.printers, err);
	if (!rules)
		return false;
	options->redaction = rules->secrets;
	options->rules = rules->printers;
	open_facts(crash, &dying, &opened);
	options->capture.subject = &opened.subject;
	if (opened.executable >= 0)
		options->capture.core.search.running = &opened.executable;
	const bool taken = take(options, &dying, &opened, max_bytes, file, err);
	close_facts(&opened);
	return taken;
}
