/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/documents/documents.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "lib/sandbox/sandbox.h"
#include "src/causes/clusters.h"
#include "src/causes/explain.h"
#include "src/options/documents.h"
#include "src/options/spool_options.h"
#include "src/viewer/terminal/page.h"

struct group_arguments {
	struct spool_arguments spool;
	bool json, explain, no_sandbox;
};

static const struct option_info group_options[] = {
	{ 0, "json", NULL, "write JSON", OPTION_FLAG(struct group_arguments, json) },
	{ 0, "explain", NULL, "print what the fingerprints are made of",
	  OPTION_FLAG(struct group_arguments, explain) },
	{ .name = NULL }
};

const struct command command_group = {
	.name = "gosnap group",
	.run = cmd_group,
	.arguments = "FILE|DIR...",
	.summary = "group snapshots by their probable cause",
	.options = {
		{ group_options, 0 },
		{ spool_options, offsetof(struct group_arguments, spool) },
		{ sandbox_options, offsetof(struct group_arguments, no_sandbox) },
	},
};

struct grouping {
	const struct group_arguments *arguments;
	struct documents documents;
};

static bool add(const struct grouping *g, size_t i, struct clusters *to, struct err *err)
{
	struct cause cause = { .kind = CAUSE_NONE };
	AUTO(reader_close) struct reader *reader = documents_open(&g->documents, i, err);
	const bool ok = reader && cause_read(reader, &cause, err);

	if (ok)
		clusters_add(to, &cause, g->documents.paths[i]);
	cause_done(&cause);
	return ok;
}

static bool write_json(const struct clusters *all, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);

	clusters_write(out, all);
	return sink_finish(out, NULL, err);
}

static int print_causes(const struct grouping *g)
{
	const struct page page = {
		.out = stdout,
		.columns = page_columns(STDOUT_FILENO),
		.color = page_is_terminal(STDOUT_FILENO),
	};
	struct clusters all = { .list = NULL };
	struct err err;
	bool ok = true;

	for (size_t i = 0; i < g->documents.count; i++)
		if (!add(g, i, &all, &err)) {
			all.unreadable++;
			cmd_say(err.text);
		}
	clusters_sort(&all);
	if (g->arguments->json)
		ok = write_json(&all, &err);
	else
		clusters_print(&page, &all);
	const bool whole = all.unreadable == 0;
	clusters_done(&all);
	if (!ok)
		return cmd_failed(&err);
	return whole ? EXIT_DONE : EXIT_IO;
}

static int explain_all(const struct grouping *g)
{
	struct err err;
	int status = EXIT_DONE;

	for (size_t i = 0; i < g->documents.count; i++) {
		AUTO(reader_close)
		struct reader *reader = documents_open(&g->documents, i, &err);
		if (!reader || !explain(reader, stdout, &err))
			status = cmd_failed(&err);
	}
	return status;
}

/* In the sandbox, as documents have what programs that crashed put there. */
static int work(void *arg)
{
	const struct grouping *g = arg;
	struct err err;

	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	const int status = g->arguments->explain ? explain_all(g) : print_causes(g);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		err_sys(&err, "cannot write the text");
		return cmd_failed(&err);
	}
	return status;
}

static bool is_gone(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

/* Without names, all that crash handlers took. */
static bool add_spool(struct documents *to, struct spool_arguments *arguments,
		      struct err *err)
{
	AUTO(spool_close) struct spool *spool = spool_of(arguments, err);
	struct spool_entries all = { .list = NULL };
	bool ok = spool && spool_list(spool, &all, err);

	/* One may be pruned meanwhile. */
	for (size_t i = 0; ok && i < all.count; i++)
		if (all.list[i].kind == SPOOL_DOCUMENT)
			ok = documents_add(to, all.list[i].path, err) ||
			     is_gone(all.list[i].path);
	spool_entries_done(&all);
	return ok;
}

int cmd_group(int argc, char **argv)
{
	struct group_arguments arguments = { .json = false };
	struct grouping g = { .arguments = &arguments, .documents = { .paths = NULL } };
	struct sandbox sandbox = { .keep_count = 0 };
	struct err err;
	int status, missing = EXIT_DONE;

	if (!options_read(&command_group, argc, argv, &arguments, &status))
		return status;
	if (optind == argc && !add_spool(&g.documents, &arguments.spool, &err))
		return cmd_failed(&err);
	for (; optind < argc; optind++)
		if (!documents_add(&g.documents, argv[optind], &err))
			missing = cmd_failed(&err);
	sandbox_add_services(&sandbox, documents_service(&g.documents));
	status = run_in_sandbox(arguments.no_sandbox, &sandbox, work, &g);
	documents_done(&g.documents);
	return status != EXIT_DONE ? status : missing;
}
