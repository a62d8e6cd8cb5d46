/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "lib/corefile/target_core.h"
#include "lib/document/reader.h"
#include "lib/sandbox/sandbox.h"
#include "src/options/options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"
#include "src/options/spool_options.h"

struct show_arguments {
	struct view *view;
	bool no_sandbox;
};

const struct command command_show = {
	.name = "gosnap show",
	.run = cmd_show,
	.arguments = "FILE|CORE|ID",
	.summary = "print a snapshot as text",
	.options = {
		{ view_options, offsetof(struct show_arguments, view) },
		{ sandbox_options, offsetof(struct show_arguments, no_sandbox) },
	},
};

static bool is_pid(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* A file of that name comes first. */
static bool may_be_id(const char *name)
{
	return strcmp(name, "-") != 0 && !strchr(name, '/') && access(name, F_OK) < 0;
}

/* Its path. NULL: err says why there is none. */
static char *find_in_spool(const char *name, struct err *err)
{
	struct spool_arguments arguments = { .spool = NULL };
	AUTO(spool_close) struct spool *spool = spool_of(&arguments, err);
	char *path = spool ? spool_find(spool, name, err) : NULL;

	if (path)
		return path;
	/* Most people who mistype the name of a file have no spool. */
	if (!spool && strcmp(name, "latest") != 0)
		err_set(err, ERR_SYS, "no such file: %.200s", name);
	if (is_pid(name) && !err_is(err, ERR_LIMIT))
		err_set(err, ERR_SYS,
			"no such file: %.20s (for the process with that PID, run gosnap "
			"%.20s)",
			name, name);
	if (err_is(err, ERR_NOT_FOUND) || err_is(err, ERR_LIMIT))
		err->code = ERR_SYS;
	return NULL;
}

struct showing {
	int fd;
	const char *name;
	const struct view *view;
};

static int show_document(void *arg)
{
	const struct showing *showing = arg;
	struct err err;
	bool nothing;
	AUTO(reader_close)
	struct reader *reader = reader_open_fd(showing->fd, showing->name, &err);
	if (!reader || !view_print(showing->view, reader, &nothing, &err))
		return cmd_failed(&err);
	return nothing ? EXIT_NO : EXIT_DONE;
}

static int show(const char *path, const struct show_arguments *arguments)
{
	struct showing showing = { .view = arguments->view };
	struct sandbox sandbox = { .keep_count = 1 };
	struct err err;
	AUTO(xfree)
	char *found = may_be_id(path) ? find_in_spool(path, &err) : xstrdup(path);
	showing.fd = found ? reader_find(found, &showing.name, &err) : -1;
	if (showing.fd < 0)
		return cmd_failed(&err);
	sandbox.keep[0] = showing.fd;
	return view_in_sandbox(arguments->view, arguments->no_sandbox, &sandbox,
			       show_document, &showing);
}

/* As text at once; no document is kept. */
static int show_core(const char *path, const struct show_arguments *shown)
{
	struct snap_arguments arguments = snap_arguments_default(shown->view);

	arguments.snap.capture.core.path = path;
	arguments.snap.no_sandbox = shown->no_sandbox;
	arguments.as_text = true;
	return snap_run(&command_show, &arguments);
}

int cmd_show(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct show_arguments arguments = { .view = view };
	struct err err;
	int status;
	if (!options_read(&command_show, argc, argv, &arguments, &status))
		return status;
	if (optind == argc)
		return cmd_misused(&command_show,
				   "missing file name (or - for standard input)");
	if (argc - optind > 1)
		return cmd_misused(&command_show,
				   "too many arguments: give a single file");
	if (core_is_one(argv[optind]))
		return show_core(argv[optind], &arguments);
	if (!view_finish(view, &err))
		return cmd_misused(&command_show, "%s", err.text);
	return show(argv[optind], &arguments);
}
