/* SPDX-License-Identifier: Apache-2.0 */
/* gosnap monitor: the program's own child, which takes the snapshot of it. Started by the Go package
 * in go/. */
#include "src/commands/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/options/redact_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"
#include "src/monitor/monitor.h"

#define TIMEOUT_NS (UINT64_C(120) * 1000 * 1000 * 1000)

enum {
	ATTEMPTS = 8, /* two minutes in all */
	ARGUMENTS_BYTES_MAX = 2 << 20,
	PACKET_MAX = 4096,
};

struct monitor_arguments {
	struct snap_arguments snap;
	struct monitor monitor;
	bool read_arguments;
};

static bool read_start_time(const struct option_info *option, const char *argument,
			    void *field, struct err *err)
{
	char *end;

	errno = 0;
	unsigned long long n = strtoull(argument, &end, 10);
	if (errno || *end || n == 0 || argument[0] == '-')
		return err_set(err, ERR_USAGE, "--%s requires a number, not %.40s",
			       option->name, argument);
	*(uint64_t *)field = n;
	return true;
}

static bool read_noted(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	char *end;

	errno = 0;
	unsigned long long n = strtoull(argument, &end, 0);
	if (errno || *end || n == 0 || argument[0] == '-')
		return err_set(err, ERR_USAGE, "--%s requires an address, not %.40s",
			       option->name, argument);
	*(uint64_t *)field = n;
	return true;
}

static bool read_relay(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	uint32_t number;

	if (!option_number(option, argument, &number, err))
		return false;
	if (number <= STDERR_FILENO || number > INT16_MAX)
		return err_set(err, ERR_USAGE,
			       "--%s requires a descriptor that is none of the standard "
			       "ones, not %.40s",
			       option->name, argument);
	*(int *)field = (int)number;
	return true;
}

static bool add_header(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	struct delivery *d = field;

	if (!strchr(argument, ':') || strpbrk(argument, "\r\n"))
		return err_set(err, ERR_USAGE, "--%s requires NAME: VALUE, not %.40s",
			       option->name, argument);
	d->headers = xreallocarray(d->headers, d->header_count + 1, sizeof(*d->headers));
	d->headers[d->header_count++] = argument;
	return true;
}

static const struct option_info monitor_options[] = {
	{ 0, "start-time", "TICKS", "PID began then: field 22 of /proc/PID/stat",
	  .read = read_start_time,
	  .offset = OPTION_OFFSET(uint64_t, struct monitor, start_time) },
	{ 0, "timeout", "TIME", "give up after TIME (default: 2m)",
	  OPTION_TIME(struct monitor, timeout_ns) },
	{ 0, "relay", "FD", "pass on what the process writes to FD", .read = read_relay,
	  .offset = OPTION_OFFSET(int, struct monitor, relay) },
	{ 0, "put", "URL", "send the document there by HTTP PUT, then remove it",
	  OPTION_STRING(struct monitor, delivery.put) },
	{ 0, "post", "URL", "the same by HTTP POST",
	  OPTION_STRING(struct monitor, delivery.post) },
	{ 0, "header", "LINE", "send this header, too, as often as wanted",
	  .read = add_header,
	  .offset = OPTION_OFFSET(struct delivery, struct monitor, delivery) },
	{ 0, "attempts", "N", "try to send it N times (default: 8)",
	  OPTION_NUMBER(struct monitor, delivery.attempts) },
	{ .name = NULL }
};

static const struct option_info arguments_options[] = {
	{ 0, "read-arguments", NULL, "read more arguments from standard input first",
	  OPTION_FLAG(struct monitor_arguments, read_arguments) },
	{ 0, "noted", "ADDRESS", "take none of the panics that PID notes there",
	  .read = read_noted,
	  .offset = OPTION_OFFSET(uint64_t, struct monitor_arguments,
				  snap.snap.capture.noted_panics) },
	{ .name = NULL }
};

const struct command command_monitor = {
	.name = "gosnap monitor",
	.run = cmd_monitor,
	.arguments = "PID -o FILE",
	.summary = "wait until a process wants one, or dies",
	.options = {
		{ monitor_options, offsetof(struct monitor_arguments, monitor) },
		{ arguments_options, 0 },
		{ content_options, offsetof(struct monitor_arguments, snap.snap) },
		     { snap_options, offsetof(struct monitor_arguments, snap.snap) },
		{ way_options, offsetof(struct monitor_arguments, snap.snap) },
		{ process_options, offsetof(struct monitor_arguments, snap.snap) },
		{ read_options, offsetof(struct monitor_arguments, snap.snap.capture.reading) },
		{ printer_options, offsetof(struct monitor_arguments, snap.printers) },
		{ redact_options, offsetof(struct monitor_arguments, snap.redaction) },
	},
};

/* Each ends with a NUL byte; an empty one is the last. Owned. NULL: there is no end. */
static char *read_words(void)
{
	char *text = xcalloc(1, ARGUMENTS_BYTES_MAX + PACKET_MAX);
	size_t len = 0;

	while (len < ARGUMENTS_BYTES_MAX) {
		/* Of a packet, what one read() does not take is lost. */
		const ssize_t n = read(STDIN_FILENO, text + len, PACKET_MAX);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (text[len - 1] == '\0' && (len == 1 || text[len - 2] == '\0'))
			return text;
	}
	xfree(text);
	return NULL;
}

/* The words that follow argv, all of which live as long as the program. */
static bool add_words(int *argc, char ***argv)
{
	char *text = read_words();
	char **all;
	size_t n = (size_t)*argc;

	if (!text)
		return false;
	all = xreallocarray(NULL, n + 1, sizeof(*all));
	memcpy(all, *argv, n * sizeof(*all));
	for (char *word = text; *word; word += strlen(word) + 1) {
		all = xreallocarray(all, n + 2, sizeof(*all));
		all[n++] = word;
	}
	all[n] = NULL;
	*argc = (int)n;
	*argv = all;
	return true;
}

static bool wants_words(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--read-arguments") == 0)
			return true;
	return false;
}

static int take(void *arg)
{
	struct monitor_arguments *arguments = arg;

	return snap_run(&command_monitor, &arguments->snap);
}

static int parse_operands(int argc, char **argv, struct monitor_arguments *ret)
{
	struct snap_options *snap = &ret->snap.snap;

	if (argc - optind != 1 || !cmd_parse_pid(argv[optind], &snap->capture.pid))
		return cmd_misused(&command_monitor, "give a single PID");
	if (!snap->output || strcmp(snap->output, "-") == 0)
		return cmd_misused(&command_monitor, "missing -o FILE");
	ret->monitor.pid = snap->capture.pid;
	ret->monitor.output = snap->output;
	return EXIT_DONE;
}

/* It is found in a child, or in a child of that in the sandbox. */
static uint64_t *shared_panic(void)
{
	_Static_assert((int)MONITOR_PANIC_WORDS == (int)SNAP_PANIC_WORDS, "passed on");
	return xshared(MONITOR_PANIC_WORDS * sizeof(uint64_t));
}

int cmd_monitor(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct monitor_arguments arguments = {
		.snap = snap_arguments_default(view),
		.monitor = { .timeout_ns = TIMEOUT_NS,
			     .relay = -1,
			     .delivery.attempts = ATTEMPTS,
			     .take = take,
			     .arg = &arguments },
	};
	struct err err;
	int status;

	arguments.snap.snap.progress = PROGRESS_NEVER;
	arguments.snap.snap.panic = shared_panic();
	arguments.monitor.panic = arguments.snap.snap.panic;
	if (wants_words(argc, argv) && !add_words(&argc, &argv))
		return cmd_misused(&command_monitor,
				   "no arguments on standard input, or no end of them");
	if (!options_read(&command_monitor, argc, argv, &arguments, &status))
		return status;
	status = parse_operands(argc, argv, &arguments);
	if (status != EXIT_DONE)
		return status;
	return monitor_run(&arguments.monitor, &err) ? EXIT_DONE : cmd_failed(&err);
}
