/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/sandbox/sandbox.h"
#include "src/operands/operands.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"
#include "src/snapshot/output.h"
#include "src/viewer/html/html.h"
#include "src/viewer/html/page_out.h"

struct html_arguments {
	const char *output;
	uint64_t size_max;
	struct snap_arguments take; /* of a core */
};

/* What the sandbox returns: an exit status, and whether the page is complete. */
enum { STATUS = 7, COMPLETE = 8 };

static const struct option_info html_options[] = {
	{ 'o', "output", "FILE", "write to FILE",
	  OPTION_STRING(struct html_arguments, output) },
	{ 0, "max-size", "SIZE", "a part of what does not fit (256M)",
	  .read = snap_set_size,
	  .offset = OPTION_OFFSET(uint64_t, struct html_arguments, size_max) },
	{ .name = NULL }
};

const struct command command_html = {
	.name = "gosnap html",
	.run = cmd_html,
	.arguments = "FILE|CORE [EXE]",
	.summary = "write a snapshot as a page for a browser",
	.options = {
		{ html_options, 0 },
		{ core_options,
		  offsetof(struct html_arguments, take.snap.capture.core) },
		{ read_options,
		  offsetof(struct html_arguments, take.snap.capture.reading) },
		{ sandbox_options,
		  offsetof(struct html_arguments, take.snap.no_sandbox) },
	},
};

struct writing {
	int fd;
	const char *name;
	uint64_t size_max;
	struct output *out;
};

static void write_bytes(void *arg, const void *bytes, size_t len)
{
	output_write(arg, bytes, len);
}

/* What a person calls it. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int write_page(void *arg)
{
	const struct writing *w = arg;
	const struct page_out out = { write_bytes, w->out };
	const struct html_options options = { last_part(w->name), w->size_max };
	struct err err, damage;
	struct html_summary summary = { .nothing = true };
	struct reader *reader = reader_open_fd(w->fd, w->name, &damage);
	const bool ok = reader && html_write(reader, &options, &out, &summary, &damage);
	AUTO(xfree) char *left_out = html_left_out(&summary);

	if (summary.nothing)
		return cmd_failed(&damage);
	if (left_out)
		fprintf(stderr, "gosnap: %s: %s\n", options.name, left_out);
	if (!output_finish(w->out, &err))
		return output_pipe_closed(w->out) ? EXIT_IO : cmd_failed(&err);
	return COMPLETE | (ok ? EXIT_DONE : cmd_failed(&damage));
}

static int write_in_sandbox(struct writing *w, bool no_sandbox)
{
	struct err err;
	const struct sandbox sandbox = { .keep = { w->fd, output_fd(w->out) },
					 .keep_count = 2,
					 .threads = 1,
					 .max_ns = sandbox_time_for(output_fd(w->out)) };
	const int all = run_in_sandbox(no_sandbox, &sandbox, write_page, w);

	if (all & COMPLETE && !output_commit(w->out, &err))
		return cmd_failed(&err);
	return all & STATUS;
}

static int write_to(struct writing *w, const struct html_arguments *arguments)
{
	struct err err;
	AUTO(output_close) struct output *out = output_open(arguments->output, &err);

	if (!out)
		return cmd_failed(&err);
	w->out = out;
	return write_in_sandbox(w, arguments->take.snap.no_sandbox);
}

static int write_document_page(const char *name, const struct html_arguments *arguments)
{
	struct writing w = { .size_max = arguments->size_max };
	struct err err;

	w.fd = reader_find(name, &w.name, &err);
	return w.fd < 0 ? cmd_failed(&err) : write_to(&w, arguments);
}

static int write_core_page(const char *name, struct html_arguments *arguments)
{
	struct writing w = { .size_max = arguments->size_max, .name = name };
	int taken;

	w.fd = snap_run_unnamed(&command_html, &arguments->take, &taken);
	if (w.fd < 0)
		return taken;
	const int status = write_to(&w, arguments);
	return status == EXIT_DONE ? taken : status;
}

static const struct operand_form form = {
	.command = &command_html,
	.kinds = OPERAND_CORE | OPERAND_FILE,
	.missing = "missing file name (or - for standard input)",
	.too_many = "too many arguments: give a single file, or a core and its "
		    "executable",
};

static int write_named(int argc, char **argv, struct html_arguments *arguments)
{
	struct snap_options *options = &arguments->take.snap;
	struct operand operand;
	int status;

	if (operand_read(&form, argc, argv, options->no_sandbox, &options->capture.core,
			 &operand, &status))
		status = operand.kind == OPERAND_CORE
				 ? write_core_page(operand.name, arguments)
				 : write_document_page(operand.name, arguments);
	operand_done(&operand);
	return status;
}

int cmd_html(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct html_arguments arguments = { .size_max = (uint64_t)HTML_SIZE_MB << 20,
					    .take = snap_arguments_default(view) };
	int status;

	if (!options_read(&command_html, argc, argv, &arguments, &status))
		return status;
	if (optind < argc && !arguments.output && isatty(STDOUT_FILENO))
		return cmd_misused(&command_html,
				   "a page is not for terminals: give -o FILE, or "
				   "redirect standard output");
	return write_named(argc, argv, &arguments);
}
