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
#include "printers/printers.h"
#include "src/capture/capture.h"
#include "src/commands/redact_options.h"
#include "src/commands/value_path.h"

enum {
	PRINT_DEPTH,
	PRINT_ELEMENTS,
	PRINT_CAPTURE,
	PRINT_ASSUME_GO,
	PRINT_READ, /* the first of these */
	PRINT_REDACT = PRINT_READ + READ_OPTIONS,
};

/* One value, in full: the limits only guard against endless ones. */
enum { STRING_MAX = 1 << 20, ELEMENTS_MAX = 1 << 16, DEPTH = 20, POINTERS = 5 };
#define VALUE_BYTES (UINT64_C(64) << 20)
#define COPY_AGE_NS (UINT64_C(30) * 1000 * 1000 * 1000)

static const struct option_info print_options[] = {
	[PRINT_DEPTH] = { 0, "depth", "N",
			  "follow up to N pointers in a row (default: 5)" },
	[PRINT_ELEMENTS] = { 0, "elements", "N",
			     "elements of each slice, map, ... (default: 65536)" },
	[PRINT_CAPTURE] = { 0, "capture", CAPTURE_WORDS,
			    "read a copy, or the process stopped or running" },
	[PRINT_ASSUME_GO] = { 0, "assume-go", "1.N",
			      "read the runtime as that of Go 1.N" },
	READ_ROWS(PRINT_READ),
	REDACT_ROWS(PRINT_REDACT),
};

const struct command command_print = {
	.name = "gosnap print",
	.run = cmd_print,
	.arguments = "PID NAME|ADDRESS [TYPE]",
	.summary = "print one value in full",
	.options = print_options,
	.option_count = ARRAY_SIZE(print_options),
};

struct wanted {
	struct redaction *redaction;
	const char *what, *type; /* type NULL: the value's own */
	struct value_bounds bounds;
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
			       (int)c->options->pid);
	struct runtime *rt = runtimes_get(c->runtimes, 0);
	bool found = find_value(rt, w, &v, &path, err);
	bool ok = found && print_found(c, w, rt, &v, &path, err);
	xfree(path.steps);
	if (!found && err_is(err, ERR_NOT_FOUND)) /* the process is there */
		err->code = ERR_CANNOT;
	return ok;
}

static bool parse_number(const struct option_info *option, const char *argument,
			 uint32_t *ret, int *ret_status)
{
	char *end;
	unsigned long n = strtoul(argument, &end, 10);

	if (!isdigit((unsigned char)argument[0]) || *end || n > UINT32_MAX) {
		*ret_status =
			cmd_misused(&command_print, "--%s requires a number, not %.40s",
				    option->name, argument);
		return false;
	}
	*ret = (uint32_t)n;
	return true;
}

/* False: exit with *ret_status. */
static bool parse_options(int argc, char **argv, struct capture_options *options,
			  struct wanted *ret, struct redaction_options *ret_redaction,
			  int *ret_status)
{
	const char *argument;
	struct err err;
	int option, way;

	while ((option = cmd_option(&command_print, argc, argv, &argument, ret_status)) !=
	       OPTION_END) {
		switch (option) {
		case OPTION_STOP:
			return false;
		case PRINT_DEPTH:
			if (!parse_number(&print_options[option], argument,
					  &ret->bounds.pointers, ret_status))
				return false;
			break;
		case PRINT_ELEMENTS:
			if (!parse_number(&print_options[option], argument,
					  &ret->bounds.elements, ret_status))
				return false;
			ret->bounds.entries = ret->bounds.elements;
			break;
		case PRINT_CAPTURE:
			way = cmd_choice(&print_options[option], argument, &err);
			if (way < 0) {
				*ret_status = cmd_misused(&command_print, "%s", err.text);
				return false;
			}
			options->way = (enum capture_way)way;
			break;
		case PRINT_ASSUME_GO:
			options->assume_go = argument;
			break;
		default:
			if (read_option(&options->reading, option - PRINT_READ, argument))
				break;
			if (redact_option(ret_redaction,
					  (enum redact_option)(option - PRINT_REDACT),
					  argument, &err))
				break;
			*ret_status = cmd_misused(&command_print, "%s", err.text);
			return false;
		}
	}
	return true;
}

int cmd_print(int argc, char **argv)
{
	struct capture_options options = { .values = VALUES_ALWAYS,
					   .max_copy_age_ns = COPY_AGE_NS };
	struct wanted wanted = { .bounds = { .string = STRING_MAX,
					     .elements = ELEMENTS_MAX,
					     .entries = ELEMENTS_MAX,
					     .depth = DEPTH,
					     .pointers = POINTERS,
					     .bytes = VALUE_BYTES,
					     .goroutine_bytes = VALUE_BYTES } };
	struct redaction_options redaction = { .mode = REDACT_SECRETS };
	struct capture c;
	struct err err;
	int status;

	if (!parse_options(argc, argv, &options, &wanted, &redaction, &status))
		return status;
	if (argc - optind < 2 || argc - optind > 3 ||
	    !cmd_parse_pid(argv[optind], &options.pid))
		return cmd_misused(&command_print,
				   "expected a PID and either a name (main.config) or an "
				   "address and a type");
	AUTO(redaction_free) struct redaction *secrets = redaction_new(&redaction, &err);
	AUTO(value_rules_free)
	struct value_rules *rules =
		secrets ? read_option_rules(&options.reading, &err) : NULL;
	if (!rules)
		return cmd_failed(&err);
	wanted.redaction = secrets;
	wanted.bounds.rules = rules;
	wanted.what = argv[optind + 1];
	wanted.type = argc - optind == 3 ? argv[optind + 2] : NULL;
	bool ok = capture_take(&c, &options, &err) && print(&c, &wanted, &err);
	capture_finish(&c);
	capture_done(&c);
	return ok ? EXIT_DONE : cmd_failed(&err);
}
