/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/document/reader.h"
#include "lib/sandbox/sandbox.h"
#include "src/operands/operands.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/operands/show_file.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"
#include "src/viewer/model/model.h"
#include "src/viewer/lookup/source_files.h"
#include "src/viewer/lookup/source_paths.h"
#include "src/viewer/screen/screen.h"
#include "src/viewer/screen/screen_host.h"
#include "src/viewer/screen/tty.h"
#include "src/viewer/tui/tui.h"

struct view_arguments {
	struct snap_arguments take; /* of a process or a core */
	struct source_places source;
};

static bool add_map(const struct option_info *option, const char *argument, void *field,
		    struct err *err)
{
	(void)option;
	return source_places_map(field, argument, err);
}

static const struct option_info source_options[] = {
	{ 0, "source", "DIR", "where the source files of the program are",
	  OPTION_STRING(struct source_places, folder) },
	{ 0, "source-map", "FROM=TO", "what the document has in FROM is in TO here",
	  .read = add_map },
	{ .name = NULL }
};

const struct command command_view = {
	.name = "gosnap view",
	.run = cmd_view,
	.arguments = "FILE|PID|CORE|ID [EXE]",
	.summary = "look around in a snapshot, in a terminal",
	.options = {
		{ source_options, offsetof(struct view_arguments, source) },
		{ core_options,
		  offsetof(struct view_arguments, take.snap.capture.core) },
		{ read_options,
		  offsetof(struct view_arguments, take.snap.capture.reading) },
		{ way_options, offsetof(struct view_arguments, take.snap) },
		{ sandbox_options, offsetof(struct view_arguments, take.snap.no_sandbox) },
	},
};

enum { LARGE_BYTES = 16 << 20 };

struct viewing {
	int fd;
	const char *name;
	struct screen_host *host;
	struct source_files *sources;
};

/* It has no standard error: the terminal is shown a screen. */
static int fail(struct screen *screen, const struct err *err)
{
	screen_say(screen, err->text);
	return cmd_status(err->code);
}

/* It takes a second or two. */
static void say_reading(struct screen *screen, const struct viewing *v)
{
	struct line line;
	struct stat st;
	struct key key;

	if (fstat(v->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LARGE_BYTES)
		return;
	if (!screen_key(screen, 0, &key))
		return;
	line_begin(&line, key.columns);
	line_format(&line, STYLE_PLAIN, "reading %.200s ...", v->name);
	screen_row(screen, 0, &line);
	line_done(&line);
	screen_update(screen);
}

static int look_around(void *arg)
{
	const struct viewing *v = arg;
	struct err err;
	AUTO(screen_free) struct screen *screen = screen_new(v->host);
	say_reading(screen, v);
	struct reader *reader = reader_open_fd(v->fd, v->name, &err);
	AUTO(model_free) struct model *model = reader ? model_load(reader, &err) : NULL;

	return model && tui_run(model, screen, v->sources, &err) ? EXIT_DONE
								 : fail(screen, &err);
}

/* In the terminal, which is given back before anything is said. */
static int view_open(int fd, const char *name, const struct view_arguments *arguments)
{
	struct viewing v = { .fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
			     .name = name };
	struct sandbox sandbox = { .keep = { v.fd },
				   .keep_count = 1,
				   .max_still_ns = SANDBOX_RESTS };
	struct err err;
	int status;
	struct tty *tty = tty_open(&err);

	if (!tty)
		return cmd_failed(&err);
	AUTO(screen_host_free) struct screen_host *host = screen_host_new(tty);
	AUTO(source_files_free)
	struct source_files *sources = source_files_new(&arguments->source);
	v.host = host;
	v.sources = sources;
	sandbox_add_services(&sandbox, screen_host_services(host));
	sandbox_add_services(&sandbox, source_files_services(sources));
	const bool ended = ended_in_sandbox(arguments->take.snap.no_sandbox, &sandbox,
					    look_around, &v, &status, &err);
	tty_close(tty);
	if (screen_host_said(host))
		cmd_say(screen_host_said(host));
	return ended ? status : cmd_failed(&err);
}

static int view_taken(struct view_arguments *arguments, pid_t pid)
{
	int status;

	arguments->take.snap.capture.pid = pid;
	const int fd = snap_run_unnamed(&command_view, &arguments->take, &status);
	return fd < 0 ? status : view_open(fd, "the snapshot", arguments);
}

static int view_named(const char *name, const struct view_arguments *arguments)
{
	AUTO(xfree) char *said = NULL;
	struct err err;
	const int fd = show_find(name, &said, &err);

	return fd < 0 ? cmd_failed(&err) : view_open(fd, said, arguments);
}

static const struct operand_form form = {
	.command = &command_view,
	.kinds = OPERAND_PROCESS | OPERAND_CORE | OPERAND_FILE,
	.missing = "missing file name, PID or core",
	.too_many = "too many arguments: give a single file or PID, or a core and its "
		    "executable",
};

static int look_at(int argc, char **argv, struct view_arguments *arguments)
{
	struct snap_options *options = &arguments->take.snap;
	struct operand operand;
	int status;

	if (operand_read(&form, argc, argv, options->no_sandbox, &options->capture.core,
			 &operand, &status))
		status = operand.kind == OPERAND_FILE
				 ? view_named(operand.name, arguments)
				 : view_taken(arguments, operand.pid);
	operand_done(&operand);
	return status;
}

static int read_and_look(int argc, char **argv, struct view_arguments *arguments)
{
	struct err err;
	int status;

	if (!options_read(&command_view, argc, argv, arguments, &status))
		return status;
	if (optind < argc && !tty_can_open(&err))
		return cmd_failed(&err);
	return look_at(argc, argv, arguments);
}

int cmd_view(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct view_arguments arguments = { .take = snap_arguments_default(view) };
	const int status = read_and_look(argc, argv, &arguments);

	source_places_done(&arguments.source);
	return status;
}
