/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/procfs/process.h"
#include "printers/printers.h"
#include "src/commands/redact_options.h"
#include "src/commands/show_options.h"
#include "src/snapshot/output.h"
#include "src/snapshot/snap.h"
#include "src/viewer/terminal/text.h"

enum {
	SNAP_OUTPUT,
	SNAP_NO_SYSTEM,
	SNAP_DEAD,
	SNAP_FULL_FRAMES,
	SNAP_VALUES,
	SNAP_FULL,
	SNAP_STACKS,
	SNAP_MAX_SIZE,
	SNAP_JOBS,
	SNAP_COMPILER,
	SNAP_GLOBALS,
	SNAP_ENVIRONMENT,
	SNAP_VECTOR_REGISTERS,
	SNAP_GO_ONLY,
	SNAP_VERIFY,
	SNAP_STRICT,
	SNAP_ASSUME_GO,
	SNAP_CAPTURE,
	SNAP_MAX_PAUSE,
	SNAP_MAX_COPY_AGE,
	SNAP_PROGRESS,
	SNAP_QUIET,
	SNAP_VERSION,
	SNAP_READ, /* the first of these */
	SNAP_REDACT = SNAP_READ + READ_OPTIONS,
	SNAP_VIEW = SNAP_REDACT + REDACT_OPTIONS,
};

#define MAX_COPY_AGE_NS (UINT64_C(30) * 1000 * 1000 * 1000)

static const struct option_info snap_options[] = {
	[SNAP_OUTPUT] = { 'o', "output", "FILE",
			  "write to FILE, compressed if it ends in .zst" },
	[SNAP_NO_SYSTEM] = { 0, "no-system", NULL, "omit the runtime's own goroutines" },
	[SNAP_DEAD] = { 0, "dead", NULL, "include goroutines that have exited" },
	[SNAP_FULL_FRAMES] = { 0, "full-frames", NULL,
			       "repeat the frames in every goroutine" },
	[SNAP_VALUES] = { 0, "values", NULL,
			  "read variables, even if the process stays stopped" },
	[SNAP_FULL] = { 0, "full", NULL,
			"larger limits, and variables of hidden frames" },
	[SNAP_MAX_SIZE] = { 0, "max-size", "SIZE",
			    "omit values beyond this size (default: 512M)" },
	[SNAP_JOBS] = { 0, "jobs", "N", "read values with N processes, 1 to 4" },
	[SNAP_STACKS] = { 0, "stacks", NULL, "omit variables" },
	[SNAP_COMPILER] = { 0, "compiler", NULL,
			    "include variables that only the compiler declares" },
	[SNAP_GLOBALS] = { 0, "globals", "[PACKAGES]",
			   "include package variables, main's or PACKAGES'" },
	[SNAP_ENVIRONMENT] = { 0, "environment", NULL,
			       "include the values of environment variables" },
	[SNAP_VECTOR_REGISTERS] = { 0, "vector-registers", NULL,
				    "include the vector registers of threads" },
	[SNAP_GO_ONLY] = { 0, "go-only", NULL,
			   "fail if the process is not a Go program" },
	[SNAP_VERIFY] = { 0, "verify", NULL,
			  "check every stack against its frame pointers" },
	[SNAP_STRICT] = { 0, "strict", NULL, "exit with status 1 if there are warnings" },
	[SNAP_ASSUME_GO] = { 0, "assume-go", "1.N",
			     "read the runtime as that of Go 1.N" },
	[SNAP_CAPTURE] = { 0, "capture", CAPTURE_WORDS,
			   "read a copy, or the process stopped or running" },
	[SNAP_MAX_PAUSE] = { 0, "max-pause", "TIME",
			     "stop the process for at most TIME, like 50ms" },
	[SNAP_MAX_COPY_AGE] = { 0, "max-copy-age", "TIME",
				"discard the copy at this age (default: 30s)" },
	[SNAP_PROGRESS] = { 0, "progress", CHOICE_WHEN,
			    "report progress; auto: on a terminal" },
	[SNAP_QUIET] = { 'q', "quiet", NULL, "the same as --progress=never" },
	[SNAP_VERSION] = { 0, "version", NULL,
			   "print the versions of gosnap and its libraries" },
	READ_ROWS(SNAP_READ),
	REDACT_ROWS(SNAP_REDACT),
	VIEW_ROWS(SNAP_VIEW),
};

const struct command command_snap = {
	.name = "gosnap",
	.run = cmd_snap,
	.arguments = "PID",
	.summary =
		"snapshot a live Go process: goroutines and threads, with their stacks",
	.options = snap_options,
	.option_count = ARRAY_SIZE(snap_options),
};

static bool is_go_version(const char *text)
{
	size_t digits = strncmp(text, "1.", 2) == 0 ? strspn(text + 2, "0123456789") : 0;
	return digits > 0 && digits < 4 && !text[2 + digits];
}

static int refuse_word(const char *before, const char *word, const char *after)
{
	const char *nearest = cmd_nearest(word);
	if (!nearest)
		return cmd_misused(&command_snap, "%s%.100s%s", before, word, after);
	return cmd_misused(&command_snap, "%s%.100s%s: did you mean gosnap %s?", before,
			   word, after, nearest);
}

/* A name instead of a pid: the error lists the pids that may be meant. */
static int refuse_name(const char *name)
{
	struct process_candidate found[8];
	size_t n = process_find(name, found, ARRAY_SIZE(found));
	char list[400] = "";
	if (n == 0 && access(name, R_OK) == 0)
		return cmd_misused(&command_snap,
				   "%.100s is a file, not a PID: use \"gosnap show\" to "
				   "print a saved snapshot",
				   name);
	if (n == 0)
		return refuse_word("", name,
				   " is neither a PID nor the name of a process");
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list);
		snprintf(list + len, sizeof(list) - len, "%s%d (%s)", i ? ", " : "",
			 (int)found[i].pid, found[i].name);
	}
	return cmd_misused(&command_snap, "%.100s is a name, not a PID: choose one of %s",
			   name, list);
}

static bool parse_progress(const char *argument, struct snap_options *ret,
			   int *ret_status)
{
	static const enum progress_when whens[] = { PROGRESS_AUTO, PROGRESS_ALWAYS,
						    PROGRESS_NEVER };
	struct err err;
	int choice = cmd_choice(&snap_options[SNAP_PROGRESS], argument, &err);
	if (choice < 0) {
		*ret_status = cmd_misused(&command_snap, "%s", err.text);
		return false;
	}
	ret->progress = whens[choice];
	return true;
}

static bool parse_capture(const char *argument, enum capture_way *ret, int *ret_status)
{
	struct err err;
	int choice = cmd_choice(&snap_options[SNAP_CAPTURE], argument, &err);
	if (choice < 0) {
		*ret_status = cmd_misused(&command_snap, "%s", err.text);
		return false;
	}
	*ret = (enum capture_way)choice;
	return true;
}

static bool parse_size(const char *argument, uint64_t *ret, int *ret_status)
{
	static const char units[] = "KMGT";
	char *end;
	errno = 0;
	unsigned long long n = strtoull(argument, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	bool ok = isdigit((unsigned char)argument[0]) && !errno && n > 0 &&
		  n <= UINT64_MAX >> shift && !end[unit ? 1 : 0];
	if (ok)
		*ret = (uint64_t)n << shift;
	else
		*ret_status = cmd_misused(
			&command_snap,
			"--max-size requires a size like 64M or 2G, not %.40s", argument);
	return ok;
}

static bool parse_jobs(const char *argument, unsigned *ret, int *ret_status)
{
	if (argument[0] >= '1' && argument[0] <= '4' && !argument[1]) {
		*ret = (unsigned)(argument[0] - '0');
		return true;
	}
	*ret_status =
		cmd_misused(&command_snap,
			    "--jobs requires a number from 1 to 4, not %.40s", argument);
	return false;
}

static bool parse_time(int option, const char *argument, uint64_t *ret_ns,
		       int *ret_status)
{
	int64_t ns;
	if (text_parse_duration(argument, &ns) && ns > 0) {
		*ret_ns = (uint64_t)ns;
		return true;
	}
	*ret_status = cmd_misused(&command_snap,
				  "--%s requires a time like 50ms or 2s, not %.40s",
				  snap_options[option].name, argument);
	return false;
}

/* False: exit with *ret_status. */
static bool parse_options(int argc, char **argv, struct snap_options *ret,
			  struct redaction_options *ret_redaction, struct view *ret_view,
			  int *ret_status)
{
	const char *argument;
	struct err err;
	int option;
	while ((option = cmd_option(&command_snap, argc, argv, &argument, ret_status)) !=
	       OPTION_END) {
		switch (option) {
		case SNAP_OUTPUT:
			ret->output = argument;
			break;
		case SNAP_NO_SYSTEM:
			ret->no_system = true;
			break;
		case SNAP_DEAD:
			ret->dead = true;
			break;
		case SNAP_FULL_FRAMES:
			ret->full_frames = true;
			break;
		case SNAP_GO_ONLY:
			ret->capture.go_only = true;
			break;
		case SNAP_VERIFY:
			ret->capture.verify = true;
			break;
		case SNAP_VALUES:
			ret->capture.values = VALUES_ALWAYS;
			break;
		case SNAP_COMPILER:
			ret->compiler = true;
			break;
		case SNAP_STACKS:
			ret->capture.values = VALUES_NONE;
			ret->full = false;
			break;
		case SNAP_FULL:
			ret->capture.values = VALUES_ALWAYS;
			ret->full = true;
			break;
		case SNAP_MAX_SIZE:
			if (!parse_size(argument, &ret->max_size, ret_status))
				return false;
			break;
		case SNAP_JOBS:
			if (!parse_jobs(argument, &ret->jobs, ret_status))
				return false;
			break;
		case SNAP_GLOBALS:
			ret->capture.globals = argument ? argument : "";
			break;
		case SNAP_ENVIRONMENT:
			ret->environment = true;
			break;
		case SNAP_VECTOR_REGISTERS:
			ret->vector_registers = true;
			break;
		case SNAP_STRICT:
			ret->strict = true;
			break;
		case SNAP_ASSUME_GO:
			ret->capture.assume_go = argument;
			break;
		case SNAP_CAPTURE:
			if (!parse_capture(argument, &ret->capture.way, ret_status))
				return false;
			break;
		case SNAP_MAX_PAUSE:
			if (!parse_time(option, argument, &ret->capture.max_pause_ns,
					ret_status))
				return false;
			break;
		case SNAP_MAX_COPY_AGE:
			if (!parse_time(option, argument, &ret->capture.max_copy_age_ns,
					ret_status))
				return false;
			break;
		case SNAP_PROGRESS:
			if (!parse_progress(argument, ret, ret_status))
				return false;
			break;
		case SNAP_QUIET:
			ret->progress = PROGRESS_NEVER;
			break;
		case SNAP_VERSION:
			*ret_status = cmd_version();
			return false;
		case OPTION_STOP:
			return false;
		case SNAP_REDACT ... SNAP_REDACT + REDACT_OPTIONS - 1:
			if (redact_option(ret_redaction,
					  (enum redact_option)(option - SNAP_REDACT),
					  argument, &err))
				break;
			*ret_status = cmd_misused(&command_snap, "%s", err.text);
			return false;
		default:
			if (read_option(&ret->capture.reading, option - SNAP_READ,
					argument))
				break;
			if (view_option(ret_view, (enum view_option)(option - SNAP_VIEW),
					argument, &err))
				break;
			*ret_status = cmd_misused(&command_snap, "%s", err.text);
			return false;
		}
	}
	if (view_finish(ret_view, &err))
		return true;
	*ret_status = cmd_misused(&command_snap, "%s", err.text);
	return false;
}

static int refuse_itself(pid_t pid)
{
	struct err err;
	err_set(&err, ERR_CANNOT, "process %d is gosnap itself", (int)pid);
	return cmd_failed(&err);
}

static int parse_operands(int argc, char **argv, struct snap_options *ret)
{
	if (ret->capture.assume_go && !is_go_version(ret->capture.assume_go))
		return cmd_misused(&command_snap,
				   "--assume-go requires a release like 1.26, not %.40s",
				   ret->capture.assume_go);
	if (optind == argc)
		return cmd_misused(&command_snap, "missing PID");
	if (!cmd_parse_pid(argv[optind], &ret->capture.pid))
		return argc - optind > 1
			       ? refuse_word("unknown command ", argv[optind], "")
			       : refuse_name(argv[optind]);
	if (argc - optind > 1)
		return cmd_misused(&command_snap,
				   "too many arguments: give a single PID");
	if (ret->capture.pid == getpid())
		return refuse_itself(ret->capture.pid);
	return EXIT_DONE;
}

static int status_of(const struct snap_options *options, const struct snap_result *result)
{
	if (result->partial)
		return EXIT_GONE;
	return options->strict && result->warnings > 0 ? EXIT_NO : EXIT_DONE;
}

static int show(const struct view *view, struct output *out, int status)
{
	struct err err;
	bool nothing;
	AUTO(reader_close)
	struct reader *reader = reader_open_fd(output_take_fd(out), "the snapshot", &err);
	if (!reader || !view_print(view, reader, &nothing, &err))
		return cmd_failed(&err);
	return nothing && status == EXIT_DONE ? EXIT_NO : status;
}

int cmd_snap(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct snap_options options = { .capture = { .values = VALUES_OF_COPY,
						     .max_copy_age_ns =
							     MAX_COPY_AGE_NS } };
	struct redaction_options redaction = { .mode = REDACT_SECRETS };
	struct snap_result result = { .warnings = 0 };
	struct err err;
	bool as_text;
	int status;
	if (!parse_options(argc, argv, &options, &redaction, view, &status))
		return status;
	status = parse_operands(argc, argv, &options);
	if (status != EXIT_DONE)
		return status;
	if (options.output && view_is_asked_for(view))
		return cmd_misused(&command_snap,
				   "--output writes a complete document: use filters and "
				   "colours with gosnap show");
	AUTO(redaction_free) struct redaction *secrets = redaction_new(&redaction, &err);
	AUTO(value_rules_free)
	struct value_rules *rules =
		secrets ? read_option_rules(&options.capture.reading, &err) : NULL;
	if (!rules)
		return cmd_failed(&err);
	options.redaction = secrets;
	options.rules = rules;
	/* Text if standard output is a terminal, or if text options are given. */
	as_text = view_is_asked_for(view) || (!options.output && isatty(STDOUT_FILENO));
	if (as_text && options.capture.values == VALUES_OF_COPY &&
	    !view_shows_values(view))
		options.capture.values = VALUES_NONE;
	AUTO(output_close)
	struct output *out =
		as_text ? output_open_spool(&err) : output_open(options.output, &err);
	if (!out || !snap_take(&options, output_sink(out), &result, &err))
		return cmd_failed(&err);
	if (!output_commit(out, &err))
		return output_pipe_closed(out) ? EXIT_IO : cmd_failed(&err);
	status = status_of(&options, &result);
	return as_text ? show(view, out, status) : status;
}
