/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/corefile/target_core.h"
#include "printers/printers.h"
#include "redaction/redaction.h"
#include "src/capture/sandboxed.h"
#include "src/operands/operands.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/options/redact_options.h"
#include "src/profile/pprof.h"
#include "src/profile/profile.h"
#include "src/snapshot/output.h"

#define COPY_AGE_NS (UINT64_C(30) * 1000 * 1000 * 1000)

struct profile_arguments {
	unsigned kind; /* enum profile_kind */
	const char *output;
	struct output *file; /* that, open */
	struct capture_options capture;
	struct redaction_options redaction;
	struct redaction *secrets;
	bool no_sandbox;
};

/* What the sandbox returns: an exit status, and whether the file is complete. */
enum { STATUS = 7, COMPLETE = 8 };

static const struct option_info profile_options[] = {
	{ 0, "kind", PROFILE_KINDS, "of what the runtime keeps (default: heap)",
	  OPTION_CHOICE(struct profile_arguments, kind) },
	{ 'o', "output", "FILE", "write to FILE",
	  OPTION_STRING(struct profile_arguments, output) },
	{ 0, "capture", CAPTURE_WORDS, "read a copy, or the process stopped or running",
	  OPTION_CHOICE(struct profile_arguments, capture.way) },
	{ 0, "max-pause", "TIME", "stop the process for at most TIME, like 50ms",
	  OPTION_TIME(struct profile_arguments, capture.max_pause_ns) },
	{ 0, "assume-go", "1.N", "read the runtime as that of Go 1.N",
	  OPTION_STRING(struct profile_arguments, capture.assume_go) },
	{ .name = NULL }
};

const struct command command_profile_export = {
	.name = "gosnap profile-export",
	.run = cmd_profile_export,
	.arguments = "PID|CORE [EXE] -o FILE",
	.summary = "write a profile",
	.options = {
		{ .rows = profile_options },
		{ core_options, offsetof(struct profile_arguments, capture.core) },
		{ redact_options, offsetof(struct profile_arguments, redaction) },
		{ sandbox_options, offsetof(struct profile_arguments, no_sandbox) },
	},
};

static int write_file(const struct profile *p, struct output *file)
{
	struct err err;
	size_t len;
	AUTO(pprof_free) struct pprof *encoded = profile_encode(p);
	AUTO(xfree) void *bytes = pprof_finish(encoded, &len);

	output_write(file, bytes, len);
	if (output_finish(file, &err))
		return EXIT_DONE | COMPLETE;
	return output_pipe_closed(file) ? EXIT_IO : cmd_failed(&err);
}

static int write_profile(struct capture *c, const struct profile_arguments *arguments)
{
	struct profile p;
	struct err err;
	int status;

	process_remember_secrets(c->process, arguments->secrets);
	const bool ok = profile_read(&p, c, arguments->kind, arguments->secrets, &err);
	capture_finish(c);
	if (ok) {
		status = write_file(&p, arguments->file);
		if (p.why_nothing)
			cmd_say(p.why_nothing);
	} else {
		status = cmd_failed(&err);
	}
	profile_done(&p);
	return status;
}

static int capture_and_write(void *arg)
{
	const struct profile_arguments *arguments = arg;
	struct capture c;
	struct err err;
	int status;

	if (capture_open(&c, &arguments->capture, &err) && capture_take(&c, &err))
		status = write_profile(&c, arguments);
	else
		status = cmd_failed(&err);
	capture_finish(&c);
	capture_settle(&c);
	cmd_say_warnings(c.warnings, 0);
	if (status & COMPLETE && c.partial) {
		AUTO(xfree)
		char *text = xasprintf("the profile is incomplete: %s", c.partial);
		cmd_say(text);
		status |= EXIT_GONE;
	}
	capture_done(&c);
	return status;
}

static int write_in_sandbox(struct profile_arguments *arguments)
{
	struct sandbox sandbox = { .keep_count = 0 };
	struct err err;
	AUTO(output_close) struct output *file = output_open(arguments->output, &err);

	if (!file)
		return cmd_failed(&err);
	arguments->file = file;
	sandbox.keep[sandbox.keep_count++] = output_fd(file);
	sandbox.max_ns = sandbox_time_for(output_fd(file));
	AUTO(capture_host_free)
	struct capture_host *host = capture_host_new(
		&arguments->capture, arguments->no_sandbox, &sandbox, &err);
	if (!host)
		return cmd_failed(&err);
	const int all = run_in_sandbox(arguments->no_sandbox, &sandbox, capture_and_write,
				       arguments);
	if (all & COMPLETE && !output_commit(file, &err))
		return cmd_failed(&err);
	return all & STATUS;
}

static const struct operand_form form = {
	.command = &command_profile_export,
	.kinds = OPERAND_PROCESS | OPERAND_CORE,
	.missing = "missing PID or core",
	.too_many = "too many arguments: give a PID, or a core and its executable",
};

static int write_named(int argc, char **argv, struct profile_arguments *arguments)
{
	struct operand operand;
	int status;

	if (operand_read(&form, argc, argv, arguments->no_sandbox,
			 &arguments->capture.core, &operand, &status)) {
		arguments->capture.pid = operand.pid;
		status = write_in_sandbox(arguments);
	}
	operand_done(&operand);
	return status;
}

static int misuse_of_output(const char *output)
{
	if (!output)
		return cmd_misused(&command_profile_export,
				   "missing -o FILE (or - for standard output)");
	if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
		return cmd_misused(&command_profile_export,
				   "a profile is not for terminals: redirect standard "
				   "output");
	return EXIT_DONE;
}

int cmd_profile_export(int argc, char **argv)
{
	struct profile_arguments arguments = {
		.capture = { .max_copy_age_ns = COPY_AGE_NS },
		.redaction.mode = REDACT_SECRETS,
	};
	struct err err;
	int status;

	if (!options_read(&command_profile_export, argc, argv, &arguments, &status))
		return status;
	status = optind < argc ? misuse_of_output(arguments.output) : EXIT_DONE;
	if (status != EXIT_DONE)
		return status;
	/* What is recorded is read when everything else has been. */
	if (arguments.kind != PROFILE_GOROUTINE)
		arguments.capture.values = VALUES_ALWAYS;
	AUTO(redaction_free)
	struct redaction *secrets = redaction_new(&arguments.redaction, &err);
	if (!secrets)
		return cmd_failed(&err);
	arguments.secrets = secrets;
	return write_named(argc, argv, &arguments);
}
