/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/snap_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/document/reader_inline.h"
#include "lib/sandbox/sandbox.h"
#include "src/capture/sandboxed.h"
#include "src/options/command.h"
#include "src/options/redact_options.h"
#include "src/options/show_options.h"
#include "src/snapshot/goroutines.h"
#include "src/snapshot/output.h"
#include "src/snapshot/workers.h"

#define MAX_COPY_AGE_NS (UINT64_C(30) * 1000 * 1000 * 1000)

bool snap_set_stacks(const struct option_info *option, const char *argument, void *field,
		     struct err *err)
{
	struct snap_options *options = field;
	(void)option, (void)argument, (void)err;
	options->capture.values = VALUES_NONE;
	options->full = false;
	return true;
}

bool snap_set_full(const struct option_info *option, const char *argument, void *field,
		   struct err *err)
{
	struct snap_options *options = field;
	(void)option, (void)argument, (void)err;
	options->capture.values = VALUES_ALWAYS;
	options->full = true;
	return true;
}

bool snap_set_size(const struct option_info *option, const char *argument, void *field,
		   struct err *err)
{
	static const char units[] = "KMGT";
	char *end;
	errno = 0;
	unsigned long long n = strtoull(argument, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (!isdigit((unsigned char)argument[0]) || errno || n == 0 ||
	    n > UINT64_MAX >> shift || end[unit ? 1 : 0])
		return err_set(err, ERR_USAGE,
			       "--%s requires a size like 64M or 2G, not %.40s",
			       option->name, argument);
	*(uint64_t *)field = (uint64_t)n << shift;
	return true;
}

static bool set_jobs(const struct option_info *option, const char *argument, void *field,
		     struct err *err)
{
	if (argument[0] < '1' || argument[0] > '4' || argument[1])
		return err_set(err, ERR_USAGE,
			       "--%s requires a number from 1 to 4, not %.40s",
			       option->name, argument);
	*(unsigned *)field = (unsigned)(argument[0] - '0');
	return true;
}

static bool read_trigger(const struct option_info *option, const char *argument,
			 void *field, struct err *err)
{
	(void)option;
	return trigger_read(argument, field, err);
}

static bool read_attribute(const struct option_info *option, const char *argument,
			   void *field, struct err *err)
{
	(void)option;
	return trigger_add_attribute(argument, field, err);
}

const struct option_info content_options[] = {
	{ 0, "no-system", NULL, "omit the runtime's own goroutines",
	  OPTION_FLAG(struct snap_options, no_system) },
	{ 0, "dead", NULL, "include goroutines that have exited",
	  OPTION_FLAG(struct snap_options, dead) },
	{ 0, "full-frames", NULL, "repeat the frames in every goroutine",
	  OPTION_FLAG(struct snap_options, full_frames) },
	{ 0, "values", NULL, "read variables, even if the process stays stopped",
	  OPTION_CONSTANT(struct snap_options, capture.values, VALUES_ALWAYS) },
	{ 0, "full", NULL, "larger limits, and variables of hidden frames",
	  .read = snap_set_full },
	{ 0, "stacks", NULL, "omit variables", .read = snap_set_stacks },
	{ 0, "max-size", "SIZE", "omit values beyond this size (default: 512M)",
	  .read = snap_set_size,
	  .offset = OPTION_OFFSET(uint64_t, struct snap_options, max_size) },
	{ 0, "jobs", "N", "read values with N processes, 1 to 4", .read = set_jobs,
	  .offset = OPTION_OFFSET(unsigned, struct snap_options, jobs) },
	{ 0, "compiler", NULL, "include variables that only the compiler declares",
	  OPTION_FLAG(struct snap_options, compiler) },
	{ 0, "globals", "[PACKAGES]", "include package variables, main's or PACKAGES'",
	  OPTION_STRING(struct snap_options, capture.globals) },
	{ 0, "environment", NULL, "include the values of environment variables",
	  OPTION_FLAG(struct snap_options, environment) },
	{ 0, "vector-registers", NULL, "include the vector registers of threads",
	  OPTION_FLAG(struct snap_options, vector_registers) },
	{ 0, "raw-stacks", NULL, "include the stacks of goroutines, word by word",
	  OPTION_FLAG(struct snap_options, raw_stacks) },
	{ 0, "no-analysis", NULL, "leave out findings and who waits for whom",
	  OPTION_FLAG(struct snap_options, no_analysis) },
	{ 0, "go-only", NULL, "fail if the process is not a Go program",
	  OPTION_FLAG(struct snap_options, capture.go_only) },
	{ 0, "assume-go", "1.N", "read the runtime as that of Go 1.N",
	  OPTION_STRING(struct snap_options, capture.assume_go) },
	{ .name = NULL }
};

const struct option_info snap_options[] = {
	{ 'o', "output", "FILE", "write to FILE, compressed if it ends in .zst",
	  OPTION_STRING(struct snap_options, output) },
	{ 0, "inline", "[DEPTH]", "write objects where values refer to them",
	  .read = option_number_if_any, .value = INLINE_DEPTH,
	  .offset = OPTION_OFFSET(uint32_t, struct snap_options, inline_depth) },
	{ 0, "verify", NULL, "check every stack against its frame pointers",
	  OPTION_FLAG(struct snap_options, capture.verify) },
	{ 0, "strict", NULL, "exit with status 1 if there are warnings",
	  OPTION_FLAG(struct snap_options, strict) },
	{ 0, "trigger", "CAUSE", "say why: like panic,goroutine=41", .read = read_trigger,
	  .offset = OPTION_OFFSET(struct trigger, struct snap_options, trigger) },
	{ 0, "attribute", "KEY=VALUE", "say more of why, as often as wanted",
	  .read = read_attribute,
	  .offset = OPTION_OFFSET(struct trigger, struct snap_options, trigger) },
	{ 0, "no-sandbox", NULL, "read hostile data without a sandbox, to debug gosnap",
	  OPTION_FLAG(struct snap_options, no_sandbox) },
	{ 0, "progress", CHOICE_WHEN, "report progress; auto: on a terminal",
	  OPTION_CHOICE(struct snap_options, progress) },
	{ 'q', "quiet", NULL, "the same as --progress=never",
	  OPTION_CONSTANT(struct snap_options, progress, PROGRESS_NEVER) },
	{ .name = NULL }
};

const struct option_info heap_options[] = { { 0, "heap", NULL,
					      "include what is in the heap, by type",
					      OPTION_FLAG(struct snap_options, heap) },
					    { .name = NULL } };

const struct option_info look_options[] = {
	{ 0, "for", "TIME", "look again for TIME whether goroutines run",
	  OPTION_TIME(struct snap_options, look_again_ns) },
	{ .name = NULL }
};

const struct option_info way_options[] = {
	{ 0, "capture", CAPTURE_WORDS, "read a copy, or the process stopped or running",
	  OPTION_CHOICE(struct snap_options, capture.way) },
	{ 0, "max-pause", "TIME", "stop the process for at most TIME, like 50ms",
	  OPTION_TIME(struct snap_options, capture.max_pause_ns) },
	{ 0, "max-copy-age", "TIME", "discard the copy at this age (default: 30s)",
	  OPTION_TIME(struct snap_options, capture.max_copy_age_ns) },
	{ .name = NULL }
};

const struct option_info process_options[] = {
	{ 0, "core", "FILE", "write a core file of the same instant, too",
	  OPTION_STRING(struct snap_options, core_output) },
	{ 0, "version", NULL, "print the versions of gosnap and its libraries",
	  .print = cmd_version },
	{ .name = NULL }
};

static int status_of(const struct snap_options *options, const struct snap_result *result)
{
	if (*result->partial)
		return EXIT_GONE;
	return options->strict && result->warnings > 0 ? EXIT_NO : EXIT_DONE;
}

/* The sandbox returns an exit status. It adds DOCUMENT and CORE for what is complete. MEMORY: memory ran out. */
enum { STATUS = 7, DOCUMENT = 8, CORE = 16, MEMORY = 32 };

/* Unless something worse was said. */
static int say_incomplete(const struct snap_result *result, int status)
{
	if ((status & STATUS) != EXIT_GONE || !*result->partial)
		return status;
	AUTO(xfree)
	char *text = xasprintf("the document is incomplete: %s", result->partial);
	cmd_say(text);
	return status;
}

/* What is written, opened before anything is read. */
struct taking {
	struct snap_arguments *arguments;
	bool as_text;
	struct output *document; /* NULL: none that lasts */
	struct output *core;	 /* NULL: none */
	unsigned workers;	 /* that the sandbox may start */
};

static int show(const struct view *view, struct output *out, int status)
{
	struct err err;
	int shown;
	struct reader *reader = reader_open_fd(output_take_fd(out), "the snapshot", &err);
	if (!reader || !view_print(view, reader, &shown, &err))
		return cmd_failed(&err);
	return status == EXIT_DONE ? shown : status;
}

static int finish(struct output *out, int status)
{
	struct err err;

	if (output_finish(out, &err))
		return status | DOCUMENT;
	return output_pipe_closed(out) ? EXIT_IO : cmd_failed(&err);
}

/* Writes the document again, with its objects in place. */
static int write_inline(const struct taking *t, int document, int status)
{
	struct err err;
	struct reader *reader = reader_open_fd(document, "the snapshot", &err);

	if (!reader || !inline_write(reader, t->arguments->snap.inline_depth,
				     output_sink(t->document), &err))
		return cmd_failed(&err);
	return finish(t->document, status);
}

struct snap_arguments snap_arguments_default(struct view *view)
{
	return (struct snap_arguments){
		.snap.capture = { .can_rehearse = true,
				  .values = VALUES_UNLESS_HELD,
				  .max_copy_age_ns = MAX_COPY_AGE_NS },
		.redaction.mode = REDACT_SECRETS,
		.view = view,
	};
}

static bool is_go_version(const char *text)
{
	size_t digits = strncmp(text, "1.", 2) == 0 ? strspn(text + 2, "0123456789") : 0;
	return digits > 0 && digits < 4 && !text[2 + digits];
}

bool snap_settle_content(struct snap_options *options, struct err *err)
{
	const char *release = options->capture.assume_go;

	/* Where variables are depends on types, which are in memory. */
	if (options->raw_stacks && options->capture.values == VALUES_NONE) {
		options->capture.values = VALUES_UNLESS_HELD;
		options->no_values = true;
	}
	return !release || is_go_version(release) ||
	       err_set(err, ERR_USAGE,
		       "--assume-go requires a release like 1.26, not %.40s", release);
}

/* Into a temporary file, which is read again. */
static int write_in_two_steps(const struct taking *t, struct snap_result *result)
{
	struct err err;
	AUTO(output_close) struct output *spool = output_open_spool(&err);

	if (!spool || !snap_take(&t->arguments->snap, output_sink(spool), result, &err) ||
	    !output_finish(spool, &err))
		return cmd_failed(&err);
	if (result->noted)
		return EXIT_DONE;
	int status = status_of(&t->arguments->snap, result);
	status = t->as_text ? show(t->arguments->view, spool, status)
			    : write_inline(t, output_take_fd(spool), status);
	return say_incomplete(result, status);
}

static int write_document(const struct taking *t, struct snap_result *result)
{
	struct err err;

	if (t->as_text || t->arguments->snap.inline_depth)
		return write_in_two_steps(t, result);
	if (!snap_take(&t->arguments->snap, output_sink(t->document), result, &err))
		return cmd_failed(&err);
	if (result->noted)
		return EXIT_DONE;
	return say_incomplete(
		result, finish(t->document, status_of(&t->arguments->snap, result)));
}

static int write_core(const struct taking *t, struct snap_result *result)
{
	struct err err;

	if (!snap_take(&t->arguments->snap, NULL, result, &err))
		return cmd_failed(&err);
	return say_incomplete(result, status_of(&t->arguments->snap, result));
}

static void end_without_memory(void)
{
	cmd_say("out of memory");
	_exit(MEMORY);
}

/* The part that may run in the sandbox. */
static int take(void *arg)
{
	const struct taking *t = arg;
	struct snap_result result = { .warnings = 0 };
	struct err err;

	if (t->document && sandbox_is_closed())
		on_out_of_memory(end_without_memory);
	int status = t->arguments->snap.only_core ? write_core(t, &result)
						  : write_document(t, &result);

	xfree(result.verdict);
	if (result.no_core)
		return cmd_failed(&result.why) | (status & DOCUMENT);
	if (!result.has_core)
		return status;
	if (output_finish(t->core, &err))
		return status | CORE;
	return (output_pipe_closed(t->core) ? EXIT_IO : cmd_failed(&err)) |
	       (status & DOCUMENT);
}

static int commit(struct output *out, int status)
{
	struct err err;

	return output_commit(out, &err) ? status : cmd_failed(&err);
}

static bool mended(const struct taking *t, const char *why)
{
	struct err err;

	if (output_mend(t->document, why, &err)) {
		cmd_say("the document has what was read until then; "
			"end.incomplete_reason "
			"says so");
		return true;
	}
	err_prefix(&err, "there is no document");
	cmd_say(err.text);
	return false;
}

static int take_or_mend(const struct taking *t);

/* Values are looked at before anything is written. A process is another one by now, but who asked wants to
 * know where it is; of standard input there is nothing left. */
static bool can_do_without_values(const struct taking *t)
{
	const struct capture_options *capture = &t->arguments->snap.capture;

	return (!capture->core.path || strcmp(capture->core.path, "-") != 0) &&
	       !t->core && (capture->values != VALUES_NONE || capture->globals) &&
	       output_begin_again(t->document);
}

static int take_without_values(const struct taking *t, const char *why)
{
	struct snap_options *options = &t->arguments->snap;

	cmd_say(options->capture.core.path ? "reading the core again, without values"
					   : "reading the process again, without values");
	options->values_failed = why;
	options->capture.values = VALUES_NONE;
	options->capture.globals = NULL;
	return EXIT_IO | (take_or_mend(t) & DOCUMENT);
}

static unsigned threads_of(const struct taking *t)
{
	return 1 + (t->core != NULL) + progress_is_wanted(t->arguments->snap.progress);
}

/* Two looks again wait for so long each, and a quarter at most. */
static uint64_t stillness_for(const struct snap_options *options)
{
	return LIMIT_SANDBOX_STILL_NS +
	       2 * (options->look_again_ns + options->look_again_ns / 4);
}

/* NULL: err. */
static struct capture_host *open_subject(const struct taking *t, struct sandbox *ret,
					 struct err *err)
{
	struct snap_options *options = &t->arguments->snap;

	*ret = (struct sandbox){ .workers = t->workers,
				 .threads = threads_of(t),
				 .max_still_ns = stillness_for(options) };
	if (t->document) {
		ret->keep[ret->keep_count++] = output_fd(t->document);
		ret->max_ns = sandbox_time_for(output_fd(t->document));
	}
	if (t->core)
		ret->keep[ret->keep_count++] = output_fd(t->core);
	return capture_host_new(&options->capture, options->no_sandbox, ret, err);
}

/* True: it has ended, with *ret, or there is nothing to be mended. False: it died, and err says of what. */
static bool take_once(const struct taking *t, int *ret, struct err *err)
{
	const bool no_sandbox = t->arguments->snap.no_sandbox;
	struct sandbox sandbox;
	AUTO(capture_host_free)
	struct capture_host *host = open_subject(t, &sandbox, err);

	if (!host) {
		*ret = cmd_failed(err);
		return true;
	}
	if (ended_in_sandbox(no_sandbox, &sandbox, take, (void *)t, ret, err)) {
		if (!(*ret & MEMORY))
			return true;
		err_set(err, ERR_SYS, "there was not enough memory");
		return false;
	}
	cmd_failed(err);
	const bool begun = *ret != SANDBOX_NONE;
	*ret = EXIT_IO;
	return !begun;
}

/* If it dies, what it has written becomes a document. */
static int take_or_mend(const struct taking *t)
{
	const struct snap_options *options = &t->arguments->snap;
	struct err err;
	int all;

	if (!options->no_sandbox && !options->values_failed)
		output_keep_remains(t->document);
	if (take_once(t, &all, &err))
		return all;
	if (can_do_without_values(t))
		return take_without_values(t, err.text);
	return EXIT_IO | (mended(t, err.text) ? DOCUMENT : 0);
}

static int take_to_view(const struct taking *t)
{
	struct sandbox sandbox;
	struct err err;
	AUTO(capture_host_free)
	struct capture_host *host = open_subject(t, &sandbox, &err);

	return host ? view_in_sandbox(t->arguments->view, t->arguments->snap.no_sandbox,
				      &sandbox, take, (void *)t)
		    : cmd_failed(&err);
}

static int take_in_sandbox(struct taking *t)
{
	struct snap_options *options = &t->arguments->snap;

	/* Where nobody counts them, only if they are asked for. */
	if (!options->jobs && !options->no_sandbox && !sandbox_bounds_workers())
		options->jobs = 1;
	t->workers = goroutines_workers(options);
	if (t->workers && !options->no_sandbox)
		workers_reserve(t->workers);
	int all = t->document ? take_or_mend(t) : take_to_view(t);
	int status = all & STATUS;
	t->arguments->is_complete = all & DOCUMENT;
	if (all & DOCUMENT && t->document)
		status = commit(t->document, status);
	if (all & CORE && t->core)
		status = commit(t->core, status);
	return status;
}

static bool is_standard_output(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Both, or one of them. */
static int write_all(struct snap_arguments *arguments, bool as_text)
{
	struct snap_options *options = &arguments->snap;
	const bool lasts = !as_text && !options->only_core;
	struct err err;
	AUTO(output_close)
	struct output *core =
		options->core_output ? output_open(options->core_output, &err) : NULL;

	if (options->core_output && !core)
		return cmd_failed(&err);
	AUTO(output_close)
	struct output *document = lasts ? output_open(options->output, &err) : NULL;
	if (lasts && !document)
		return cmd_failed(&err);
	options->core = core;
	options->capture.core_file = core != NULL;
	return take_in_sandbox(&(struct taking){ .arguments = arguments,
						 .as_text = as_text,
						 .document = document,
						 .core = core });
}

static const char *misuse(const struct snap_options *options, const struct view *view)
{
	if (options->output && view_is_asked_for(view))
		return "--output writes a complete document: use filters and colours "
		       "with "
		       "gosnap show";
	if (!options->only_core && is_standard_output(options->core_output))
		return "--core requires the name of a file";
	if (options->core_output && options->output &&
	    strcmp(options->core_output, options->output) == 0)
		return "the document and the core file cannot be the same file";
	if (options->core_output && options->capture.way == CAPTURE_LIVE)
		return "a core file requires registers, which --capture=live does not "
		       "read";
	return NULL;
}

int snap_run(const struct command *command, struct snap_arguments *arguments)
{
	struct snap_options *options = &arguments->snap;
	const struct view *view = arguments->view;
	struct err err;
	bool as_text;

	if (!snap_settle_content(options, &err))
		return cmd_misused(command, "%s", err.text);
	if (!view_finish(arguments->view, &err))
		return cmd_misused(command, "%s", err.text);
	if (misuse(options, view))
		return cmd_misused(command, "%s", misuse(options, view));
	AUTO(named_rules_free)
	struct named_rules *rules =
		named_rules_read(&arguments->redaction, &arguments->printers, &err);
	if (!rules)
		return cmd_failed(&err);
	/* The copy is read to the end of the second look. */
	options->capture.max_copy_age_ns += options->look_again_ns;
	options->redaction = rules->secrets;
	options->rules = rules->printers;
	if (options->core_output && !options->capture.globals &&
	    options->capture.values != VALUES_NONE) {
		options->capture.globals = "";
		options->globals_if_any = true;
	}
	/* Text if standard output is a terminal, or if text options are given. */
	as_text = arguments->as_text || view_is_asked_for(view) ||
		  (!options->output && isatty(STDOUT_FILENO));
	if (as_text && options->capture.values == VALUES_UNLESS_HELD &&
	    !view_shows_values(view) && !options->core_output)
		options->no_values = true;
	return write_all(arguments, as_text);
}

int snap_run_unnamed(const struct command *command, struct snap_arguments *arguments,
		     int *ret_status)
{
	struct err err;
	const int fd = spool_open(&err);

	if (fd < 0) {
		*ret_status = cmd_failed(&err);
		return -1;
	}
	AUTO(xfree) char *path = xasprintf("/dev/fd/%d", fd);
	arguments->snap.output = path;
	*ret_status = snap_run(command, arguments);
	arguments->snap.output = NULL;
	if (arguments->is_complete && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -1;
}
