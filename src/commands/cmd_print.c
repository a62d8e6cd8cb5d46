/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/corefile/target_core.h"
#include "printers/printers.h"
#include "redaction/redaction.h"
#include "src/capture/capture.h"
#include "src/capture/sandboxed.h"
#include "src/operands/operands.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/options/redact_options.h"

/* One value, in full: the limits only guard against endless ones. */
enum { STRING_MAX = 1 << 20, ELEMENTS_MAX = 1 << 16, DEPTH = 20, POINTERS = 5 };
#define VALUE_BYTES (UINT64_C(64) << 20)
#define COPY_AGE_NS (UINT64_C(30) * 1000 * 1000 * 1000)

struct wanted {
	struct redaction *redaction;
	const char *what, *type; /* type NULL: the value's own */
	struct value_bounds bounds;
};

struct print_arguments {
	struct wanted wanted;
	struct capture_options capture;
	struct printer_files printers;
	struct redaction_options redaction;
	bool no_sandbox;
};

static const struct option_info print_options[] = {
	{ 0, "depth", "N", "follow up to N pointers in a row (default: 5)",
	  OPTION_NUMBER(struct print_arguments, wanted.bounds.pointers) },
	{ 0, "elements", "N", "elements of each slice, map, ... (default: 65536)",
	  OPTION_NUMBER(struct print_arguments, wanted.bounds.elements) },
	{ 0, "capture", CAPTURE_WORDS, "read a copy, or the process stopped or running",
	  OPTION_CHOICE(struct print_arguments, capture.way) },
	{ 0, "assume-go", "1.N", "read the runtime as that of Go 1.N",
	  OPTION_STRING(struct print_arguments, capture.assume_go) },
	{ .name = NULL }
};

const struct command command_print = {
	.name = "gosnap print",
	.run = cmd_print,
	.arguments = "PID|CORE NAME|ADDRESS [TYPE]",
	.summary = "print one value in full",
	.options = {
		{ .rows = print_options },
		{ core_options, offsetof(struct print_arguments, capture.core) },
		{ read_options, offsetof(struct print_arguments, capture.reading) },
		{ printer_options, offsetof(struct print_arguments, printers) },
		{ redact_options, offsetof(struct print_arguments, redaction) },
		{ sandbox_options, offsetof(struct print_arguments, no_sandbox) },
	},
};

static bool find_value(struct runtime *rt, const struct wanted *w, struct value *ret,
		       struct value_path *ret_path, struct err *err)
{
	char *end;
	const struct type *type = NULL;

	if (w->type && !(type = runtime_type_named(rt, w->type, err)))
		return false;
	errno = 0;
	unsigned long long addr = strtoull(w->what, &end, 0);
	if (isdigit((unsigned char)w->what[0])) {
		if (*end || errno)
			return err_set(err, ERR_USAGE, "invalid address: %.100s",
				       w->what);
		if (!type)
			return err_set(
				err, ERR_USAGE,
				"an address requires a type: gosnap print PID %s TYPE",
				w->what);
		*ret = (struct value){ type, addr };
		ret_path->name_len = strlen(w->what);
		return true;
	}
	if (!value_by_path(rt, w->what, ret, ret_path, err))
		return false;
	if (type)
		ret->type = type;
	return true;
}

static bool print_found(const struct capture *c, const struct wanted *w,
			struct runtime *rt, const struct value *v,
			const struct value_path *path, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);
	const struct snapshot_time moment = { c->monotonic_ns, c->realtime_ns,
					      c->sockets };
	process_remember_secrets(c->process, w->redaction);
	print_one_value(&(struct one_value){ .out = out,
					     .rt = rt,
					     .bounds = &w->bounds,
					     .moment = &moment,
					     .redaction = w->redaction,
					     .name = w->what,
					     .path = path,
					     .value = *v });
	return sink_finish(out, NULL, err);
}

static bool print(const struct capture *c, const struct wanted *w, struct err *err)
{
	struct value_path path = { .name_len = 0 };
	struct value v;

	if (runtimes_count(c->runtimes) == 0)
		return err_set(err, ERR_CANNOT, "process %d is not a Go program",
			       (int)target_pid(c->live));
	struct runtime *rt = runtimes_get(c->runtimes, 0);
	bool found = find_value(rt, w, &v, &path, err);
	bool ok = found && print_found(c, w, rt, &v, &path, err);
	xfree(path.steps);
	if (!found && err_is(err, ERR_NOT_FOUND)) /* the process is there */
		err->code = ERR_CANNOT;
	return ok;
}

static int capture_and_print(void *arg)
{
	const struct print_arguments *arguments = arg;
	struct capture c;
	struct err err;
	bool ok = capture_open(&c, &arguments->capture, &err) && capture_take(&c, &err) &&
		  print(&c, &arguments->wanted, &err);

	cmd_finish_capture(&c);
	capture_done(&c);
	return ok ? EXIT_DONE : cmd_failed(&err);
}

static const struct operand_form form = {
	.command = &command_print,
	.kinds = OPERAND_PROCESS | OPERAND_CORE,
	.others_follow = true,
	.missing = "missing PID or core",
};

/* Where other commands take the executable of a core, this one takes the name of a value. */
static int misuse_of_operands(char **operands, int count)
{
	if (count >= 2 && operand_is_program(operands[1]))
		return cmd_misused(&command_print,
				   "%.200s is a program, not a value: give the "
				   "executable of a core with --exe=%.200s",
				   operands[1], operands[1]);
	if (count < 2 || count > 3)
		return cmd_misused(
			&command_print,
			"expected a PID or core and either a name (main.config) "
			"or an address and a type");
	return EXIT_DONE;
}

static int print_in_sandbox(struct print_arguments *arguments)
{
	struct sandbox sandbox = { .keep_count = 0 };
	struct err err;
	AUTO(capture_host_free)
	struct capture_host *host = capture_host_new(
		&arguments->capture, arguments->no_sandbox, &sandbox, &err);

	return host ? run_in_sandbox(arguments->no_sandbox, &sandbox, capture_and_print,
				     arguments)
		    : cmd_failed(&err);
}

static int print_named(char **operands, int count, struct print_arguments *arguments)
{
	struct wanted *wanted = &arguments->wanted;
	struct err err;
	AUTO(named_rules_free)
	struct named_rules *rules =
		named_rules_read(&arguments->redaction, &arguments->printers, &err);

	if (!rules)
		return cmd_failed(&err);
	wanted->redaction = rules->secrets;
	wanted->bounds.rules = rules->printers;
	wanted->bounds.entries = wanted->bounds.elements;
	wanted->what = operands[1];
	wanted->type = count == 3 ? operands[2] : NULL;
	return print_in_sandbox(arguments);
}

int cmd_print(int argc, char **argv)
{
	struct print_arguments arguments = {
		.wanted.bounds = { .string = STRING_MAX,
				   .elements = ELEMENTS_MAX,
				   .depth = DEPTH,
				   .pointers = POINTERS,
				   .bytes = VALUE_BYTES,
				   .goroutine_bytes = VALUE_BYTES },
		.capture = { .values = VALUES_ALWAYS, .max_copy_age_ns = COPY_AGE_NS },
		.redaction.mode = REDACT_SECRETS,
	};
	struct capture_options *options = &arguments.capture;
	struct operand operand;
	int status;

	if (!options_read(&command_print, argc, argv, &arguments, &status))
		return status;
	status = misuse_of_operands(argv + optind, argc - optind);
	if (status != EXIT_DONE)
		return status;
	if (operand_read(&form, argc, argv, arguments.no_sandbox, &options->core,
			 &operand, &status)) {
		options->pid = operand.pid;
		status = print_named(argv + optind, argc - optind, &arguments);
	}
	operand_done(&operand);
	return status;
}
