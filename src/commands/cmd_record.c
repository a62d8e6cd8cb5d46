/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "src/options/condition_option.h"
#include "src/options/redact_options.h"
#include "src/options/snap_options.h"
#include "src/record/record.h"

#define EVERY_NS (UINT64_C(10) * 1000 * 1000 * 1000)

struct record_arguments {
	struct record_options record;
	struct condition condition;
	struct printer_files printers;
	struct redaction_options redaction;
	bool quiet;
};

static const struct option_info record_options[] = {
	{ 'o', "output", "DIR", "the folder that the snapshots go to",
	  OPTION_STRING(struct record_arguments, record.folder) },
	{ 0, "every", "TIME", "the time between snapshots (default: 10s)",
	  OPTION_TIME(struct record_arguments, record.every_ns) },
	{ 0, "count", "N", "end after N snapshots",
	  OPTION_NUMBER(struct record_arguments, record.count) },
	{ 0, "when", "CONDITION", "only then: goroutines>1000, rss>2G, cpu>150% ...",
	  .read = option_condition,
	  .offset = OPTION_OFFSET(struct condition, struct record_arguments, condition) },
	{ 0, "keep", "N", "delete the oldest of more than N snapshots in DIR",
	  OPTION_NUMBER(struct record_arguments, record.quota.files) },
	{ 0, "keep-size", "SIZE", "delete the oldest if all have more than SIZE",
	  .read = snap_set_size,
	  .offset =
		  OPTION_OFFSET(uint64_t, struct record_arguments, record.quota.bytes) },
	{ 'q', "quiet", NULL, "do not print the names of the snapshots",
	  OPTION_FLAG(struct record_arguments, quiet) },
	{ .name = NULL }
};

const struct command command_record = {
	.name = "gosnap record",
	.run = cmd_record,
	.arguments = "PID",
	.summary = "take a series of snapshots",
	.options = {
		{ record_options, 0 },
		{ content_options, offsetof(struct record_arguments, record.snap) },
		{ way_options, offsetof(struct record_arguments, record.snap) },
		{ read_options,
		  offsetof(struct record_arguments, record.snap.capture.reading) },
		{ printer_options, offsetof(struct record_arguments, printers) },
		{ redact_options, offsetof(struct record_arguments, redaction) },
		{ sandbox_options, offsetof(struct record_arguments, record.snap.no_sandbox) },
	},
};

static int first_failure;

static void say_failed(const struct err *err)
{
	const int status = cmd_failed(err);

	if (first_failure == EXIT_DONE)
		first_failure = status;
}

static void say_taken(const char *path)
{
	puts(path);
	fflush(stdout);
}

static void say_nothing(const char *path)
{
	(void)path;
}

static int run(struct record_arguments *arguments)
{
	struct record_options *options = &arguments->record;
	struct err err;
	uint64_t count = 0;
	AUTO(named_rules_free)
	struct named_rules *rules =
		named_rules_read(&arguments->redaction, &arguments->printers, &err);

	if (!rules)
		return cmd_failed(&err);
	options->snap.rules = rules->printers;
	options->snap.redaction = rules->secrets;
	options->taken = arguments->quiet ? say_nothing : say_taken;
	options->failed = say_failed;
	if (!record(options, &count, &err))
		return cmd_failed(&err);
	if (count == 0) {
		err_set(&err, ERR_GONE, "process %d ended before there was a snapshot",
			(int)options->snap.capture.pid);
		return cmd_failed(&err);
	}
	return first_failure;
}

static int refuse(int argc, char **argv, struct record_arguments *arguments)
{
	struct record_options *options = &arguments->record;
	struct err err;

	if (optind == argc)
		return cmd_misused(&command_record, "missing PID");
	if (!cmd_parse_pid(argv[optind], &options->snap.capture.pid))
		return cmd_misused(&command_record, "%.100s is not a PID", argv[optind]);
	if (argc - optind > 1)
		return cmd_misused(&command_record,
				   "too many arguments: give a single PID");
	if (!options->folder || !*options->folder)
		return cmd_misused(&command_record, "missing -o DIR");
	if (!snap_settle_content(&options->snap, &err))
		return cmd_misused(&command_record, "%s", err.text);
	return EXIT_DONE;
}

int cmd_record(int argc, char **argv)
{
	const struct snap_arguments defaults = snap_arguments_default(NULL);
	struct record_arguments arguments = { .record = { .snap = defaults.snap,
							  .every_ns = EVERY_NS },
					      .redaction = defaults.redaction };
	int status;

	if (!options_read(&command_record, argc, argv, &arguments, &status))
		return status;
	status = refuse(argc, argv, &arguments);
	if (status != EXIT_DONE)
		return status;
	if (arguments.condition.count)
		arguments.record.condition = &arguments.condition;
	arguments.record.snap.progress = PROGRESS_NEVER;
	return run(&arguments);
}
