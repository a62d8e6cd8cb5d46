/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <getopt.h>

#include "lib/document/reader_inline.h"
#include "lib/document/sink.h"
#include "lib/sandbox/sandbox.h"
#include "src/options/options.h"
#include "src/snapshot/output.h"

struct json_arguments {
	const char *output;
	uint32_t depth; /* 0: as it is */
	bool no_sandbox;
};

static const struct option_info json_options[] = {
	{ 'o', "output", "FILE", "write to FILE, compressed if it ends in .zst",
	  OPTION_STRING(struct json_arguments, output) },
	{ 0, "inline", "[DEPTH]", "write objects where values refer to them",
	  .read = option_number_if_any, .value = INLINE_DEPTH,
	  .offset = OPTION_OFFSET(uint32_t, struct json_arguments, depth) },
	{ .name = NULL }
};

const struct command command_json = {
	.name = "gosnap json",
	.run = cmd_json,
	.arguments = "FILE",
	.summary = "write a snapshot as JSON",
	.options = {
		{ json_options, 0 },
		{ sandbox_options, offsetof(struct json_arguments, no_sandbox) },
	},
};

struct rewriting {
	int fd;
	const char *name;
	uint32_t depth;
	struct output *out;
};

static int rewrite(void *arg)
{
	const struct rewriting *w = arg;
	struct err err;
	AUTO(reader_close) struct reader *reader = reader_open_fd(w->fd, w->name, &err);

	if (!reader || !inline_write(reader, w->depth, output_sink(w->out), &err))
		return cmd_failed(&err);
	if (output_finish(w->out, &err))
		return EXIT_DONE;
	return output_pipe_closed(w->out) ? EXIT_IO : cmd_failed(&err);
}

int cmd_json(int argc, char **argv)
{
	struct json_arguments arguments = { 0 };
	struct err err;
	int status;

	if (!options_read(&command_json, argc, argv, &arguments, &status))
		return status;
	if (optind == argc)
		return cmd_misused(&command_json,
				   "missing file name (or - for standard input)");
	if (argc - optind > 1)
		return cmd_misused(&command_json,
				   "too many arguments: give a single file");
	struct rewriting rewriting = { .depth = arguments.depth };
	rewriting.fd = reader_find(argv[optind], &rewriting.name, &err);
	if (rewriting.fd < 0)
		return cmd_failed(&err);
	AUTO(output_close) struct output *out = output_open(arguments.output, &err);
	if (!out)
		return cmd_failed(&err);
	rewriting.out = out;
	const struct sandbox sandbox = { .keep = { rewriting.fd, output_fd(out) },
					 .keep_count = 2,
					 .threads = 1,
					 .max_ns = sandbox_time_for(output_fd(out)) };
	status = run_in_sandbox(arguments.no_sandbox, &sandbox, rewrite, &rewriting);
	return status != EXIT_DONE || output_commit(out, &err) ? status
							       : cmd_failed(&err);
}
