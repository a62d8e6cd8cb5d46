/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <string.h>

#include "src/options/redact_options.h"
#include "src/options/snap_options.h"
#include "src/run/file_name.h"
#include "src/trace/service.h"

#define INTERVAL_NS (UINT64_C(10) * 1000 * 1000 * 1000)
#define HOLD_NS (UINT64_C(200) * 1000 * 1000)
#define HOLD_MAX_NS (UINT64_C(1000) * 1000 * 1000)
#define MAX_PAUSE_NS (UINT64_C(30) * 1000 * 1000 * 1000)

struct trace_arguments {
	struct trace_options trace;
	struct printer_files printers;
	struct redaction_options redaction;
};

static const struct option_info trace_options[] = {
	{ 0, "exe", "FILE", "in all processes of this program, also later ones",
	  OPTION_STRING(struct trace_options, exe) },
	{ 0, "count", "N", "end after N calls",
	  OPTION_NUMBER(struct trace_options, count) },
	{ 0, "duration", "TIME", "end after TIME",
	  OPTION_TIME(struct trace_options, duration_ns) },
	{ 0, "rate", "N", "N calls a second, at most; count the rest",
	  OPTION_NUMBER(struct trace_options, rate) },
	{ 0, "when", "CONDITION", "only calls with id == 4711 && len(name) > 3, ...",
	  OPTION_STRING(struct trace_options, when) },
	{ 0, "returns", NULL, "tell of returns, too, with results and times",
	  OPTION_FLAG(struct trace_options, returns) },
	{ 0, "snapshot", "FILE", "take a snapshot at a call; several if FILE has %n",
	  OPTION_STRING(struct trace_options, snapshot) },
	{ 0, "interval", "TIME", "one snapshot in TIME, at most (default: 10s)",
	  OPTION_TIME(struct trace_options, interval_ns) },
	{ 0, "hold", "TIME", "keep a thread for TIME, at most (default: 200ms)",
	  OPTION_TIME(struct trace_options, hold_ns) },
	{ 0, "max-pause", "TIME", "let the process go after TIME (default: 30s)",
	  OPTION_TIME(struct trace_options, max_pause_ns) },
	{ 0, "format", "json|text", "as people read it, or an object a line (default)",
	  OPTION_CHOICE(struct trace_options, format) },
	{ 0, "perf-events", NULL, "use the probes of kernels before 6.6",
	  OPTION_FLAG(struct trace_options, perf_events) },
	{ 'q', "quiet", NULL, "do not say when it begins, and what was lost",
	  OPTION_FLAG(struct trace_options, quiet) },
	{ .name = NULL }
};

const struct command command_trace = {
	.name = "gosnap trace",
	.run = cmd_trace,
	.arguments = "PID|--exe FILE FUNCTION...",
	.summary = "report calls of a function",
	.options = {
		{ trace_options, offsetof(struct trace_arguments, trace) },
		{ content_options, offsetof(struct trace_arguments, trace.snap) },
		{ printer_options, offsetof(struct trace_arguments, printers) },
		{ redact_options, offsetof(struct trace_arguments, redaction) },
		{ sandbox_options, offsetof(struct trace_arguments, trace.no_sandbox) },
	},
};

static bool check(struct trace_options *options, struct err *err)
{
	if (!options->snapshot)
		return true;
	if (options->hold_ns > HOLD_MAX_NS)
		return err_set(err, ERR_USAGE, "--hold is 1s at most");
	if (strcmp(options->snapshot, "-") == 0)
		return err_set(err, ERR_USAGE,
			       "--snapshot requires the name of a file: calls are told "
			       "on standard output");
	return file_name_check("--snapshot", options->snapshot, err) &&
	       snap_settle_content(&options->snap, err);
}

int cmd_trace(int argc, char **argv)
{
	const struct snap_arguments defaults = snap_arguments_default(NULL);
	struct trace_arguments arguments = { .trace = { .snap = defaults.snap,
							.interval_ns = INTERVAL_NS,
							.hold_ns = HOLD_NS,
							.max_pause_ns = MAX_PAUSE_NS },
					     .redaction = defaults.redaction };
	struct trace_options *options = &arguments.trace;
	struct err err;
	int status;

	if (!options_read(&command_trace, argc, argv, &arguments, &status))
		return status;
	if (!options->exe &&
	    (optind == argc || !cmd_parse_pid(argv[optind++], &options->pid)))
		return cmd_misused(&command_trace,
				   "expected a PID or --exe, and names of functions");
	if (optind == argc)
		return cmd_misused(&command_trace, "expected the names of functions");
	if (!check(options, &err))
		return cmd_misused(&command_trace, "%s", err.text);
	AUTO(named_rules_free)
	struct named_rules *rules =
		named_rules_read(&arguments.redaction, &arguments.printers, &err);
	if (!rules)
		return cmd_failed(&err);
	options->redaction = rules->secrets;
	options->rules = rules->printers;
	options->snap.redaction = rules->secrets;
	options->snap.rules = rules->printers;
	options->snap.no_sandbox = options->no_sandbox;
	options->words = argv + optind;
	options->word_count = (size_t)(argc - optind);
	return trace_service(options, &err) ? EXIT_DONE : cmd_failed(&err);
}
