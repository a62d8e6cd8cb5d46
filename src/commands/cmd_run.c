/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <string.h>

#include "src/options/redact_options.h"
#include "src/options/snap_options.h"
#include "src/run/file_name.h"
#include "src/run/run.h"

struct run_arguments {
	struct run_options run;
	struct printer_files printers;
	struct redaction_options redaction;
};

static const struct option_info run_options[] = {
	{ 'o', "output", "FILE", "name of the snapshot, with %e, %p, %t and %n",
	  OPTION_STRING(struct run_options, output) },
	{ 0, "signals", RUN_SIGNALS_WORDS, "deaths by which signals are worth a snapshot",
	  OPTION_CHOICE(struct run_options, signals) },
	{ 0, "on-quit", RUN_QUIT_WORDS, "what SIGQUIT does; snapshot: it runs on",
	  OPTION_CHOICE(struct run_options, on_quit) },
	{ 0, "timeout", "TIME", "after TIME, take a snapshot and end the program",
	  OPTION_TIME(struct run_options, timeout_ns) },
	{ 0, "kill-after", "TIME", "kill it if it has not ended TIME after that",
	  OPTION_TIME(struct run_options, kill_after_ns) },
	{ 'q', "quiet", NULL, "do not say where the snapshot is",
	  OPTION_FLAG(struct run_options, quiet) },
	{ .name = NULL }
};

const struct command command_run = {
	.name = "gosnap run",
	.run = cmd_run,
	.arguments = "PROGRAM [ARG...]",
	.summary = "run a program, and take a snapshot when it crashes",
	.ends_at_operand = true,
	.options = {
		{ run_options, offsetof(struct run_arguments, run) },
		{ content_options, offsetof(struct run_arguments, run.snap) },
		{ read_options,
		  offsetof(struct run_arguments, run.snap.capture.reading) },
		{ printer_options, offsetof(struct run_arguments, printers) },
		{ redact_options, offsetof(struct run_arguments, redaction) },
		{ sandbox_options, offsetof(struct run_arguments, run.snap.no_sandbox) },
	},
};

static int run(struct run_arguments *arguments, char **argv)
{
	struct run_options *options = &arguments->run;
	struct err err;
	AUTO(named_rules_free)
	struct named_rules *rules =
		named_rules_read(&arguments->redaction, &arguments->printers, &err);

	if (!rules) {
		cmd_failed(&err);
		return RUN_FAILED;
	}
	options->snap.redaction = rules->secrets;
	options->snap.rules = rules->printers;
	return run_program(options, argv);
}

static int refuse(int argc, struct run_options *options, struct err *err)
{
	if (!snap_settle_content(&options->snap, err))
		return cmd_misused(&command_run, "%s", err->text);
	if (options->output && !file_name_check("-o", options->output, err))
		return cmd_misused(&command_run, "%s", err->text);
	if (options->kill_after_ns && !options->timeout_ns)
		return cmd_misused(&command_run, "--kill-after requires --timeout");
	if (optind == argc)
		return cmd_misused(&command_run, "missing PROGRAM");
	return EXIT_DONE;
}

int cmd_run(int argc, char **argv)
{
	const struct snap_arguments defaults = snap_arguments_default(NULL);
	struct run_arguments arguments = { .run = { .snap = defaults.snap,
						    .say = cmd_say },
					   .redaction = defaults.redaction };
	struct err err;
	int status;

	if (!options_read(&command_run, argc, argv, &arguments, &status))
		return status == EXIT_DONE ? status : RUN_FAILED;
	if (refuse(argc, &arguments.run, &err) != EXIT_DONE)
		return RUN_FAILED;
	return run(&arguments, argv + optind);
}
