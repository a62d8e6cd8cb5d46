/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/sink.h"
#include "src/options/snap_options.h"
#include "src/options/spool_options.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

enum { INDENT = 4 };

struct list_arguments {
	struct spool_arguments spool;
	const char *program;
	bool json, no_sandbox;
};

static const struct option_info list_options[] = {
	{ 0, "program", "NAME", "only those of the program NAME",
	  OPTION_STRING(struct list_arguments, program) },
	{ 0, "json", NULL, "write JSON", OPTION_FLAG(struct list_arguments, json) },
	{ .name = NULL }
};

const struct command command_list = {
	.name = "gosnap list",
	.run = cmd_list,
	.arguments = "",
	.summary = "list the snapshots of crashes in the spool",
	.options = {
		{ list_options, 0 },
		{ spool_options, offsetof(struct list_arguments, spool) },
		{ sandbox_options, offsetof(struct list_arguments, no_sandbox) },
	},
};

static const char *verdict_of(const struct spool_entry *e, const struct spool_head *head)
{
	if (e->kind == SPOOL_NOTES)
		return "no snapshot; threads and registers are in the file";
	return head->verdict ? head->verdict : "no verdict";
}

static void print_entry(const struct page *page, const struct spool_entries *all,
			size_t i)
{
	const struct spool_entry *e = &all->list[i];
	struct spool_head head;
	struct text text = { 0 };
	struct err err;
	const bool readable =
		e->kind == SPOOL_DOCUMENT && spool_entry_head(all, i, &head, &err);

	if (!readable)
		head = (struct spool_head){ 0 };
	text_add(&text, "%s  ", e->id);
	if (head.taken_at)
		text_add_time(&text, head.taken_at);
	text_add(&text, "%s", head.taken_at ? ", " : "");
	text_add_size(&text, e->bytes);
	page_say(page, COLOR_HEADING, 0, INDENT, &text);
	if (!readable && e->kind == SPOOL_DOCUMENT)
		text_add(&text, "cannot be read: %s", err.text);
	else
		text_add(&text, "%s", verdict_of(e, &head));
	page_say(page, COLOR_PLAIN, INDENT, INDENT, &text);
	spool_head_done(&head);
}

static void sink_entry(struct sink *out, const struct spool_entries *all, size_t i)
{
	const struct spool_entry *e = &all->list[i];
	struct spool_head head = { 0 };
	struct err err;
	const bool readable =
		e->kind != SPOOL_DOCUMENT || spool_entry_head(all, i, &head, &err);

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "id", e->id);
	sink_named_string(out, "path", e->path);
	sink_named_string(out, "kind", e->kind == SPOOL_NOTES ? "notes" : "document");
	sink_name(out, "crashed_at");
	sink_time(out, e->realtime_ns);
	sink_named_string(out, "program", e->program);
	sink_named_uint(out, "pid", (uint64_t)e->pid);
	sink_named_uint(out, "uid", e->owner);
	sink_named_uint(out, "bytes", e->bytes);
	sink_named_string(out, "source", head.source);
	sink_named_string(out, "executable", head.executable);
	sink_named_string(out, "go", head.go);
	sink_named_string(out, "signal", head.signal);
	sink_named_string(out, "verdict", head.verdict);
	sink_named_string(out, "unreadable_reason", readable ? NULL : err.text);
	sink_end(out);
	spool_head_done(&head);
}

static bool is_wanted(const struct list_arguments *arguments, const struct spool_entry *e)
{
	return !arguments->program || strcmp(arguments->program, e->program) == 0;
}

/* The newest comes first. */
static void print_text(const struct list_arguments *arguments,
		       const struct spool_entries *all)
{
	const struct page page = {
		.out = stdout,
		.columns = page_columns(STDOUT_FILENO),
		.color = page_is_terminal(STDOUT_FILENO),
	};

	for (size_t i = all->count; i-- > 0;)
		if (is_wanted(arguments, &all->list[i]))
			print_entry(&page, all, i);
}

static bool print_json(const struct list_arguments *arguments,
		       const struct spool_entries *all, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap-list");
	sink_named_uint(out, "version", 1);
	sink_named_begin(out, "snapshots", SINK_ARRAY);
	for (size_t i = all->count; i-- > 0;)
		if (is_wanted(arguments, &all->list[i]))
			sink_entry(out, all, i);
	sink_end(out);
	sink_end(out);
	return sink_finish(out, NULL, err);
}

struct listing {
	const struct list_arguments *arguments;
	struct spool_entries all;
};

/* In the sandbox, as documents have what programs that crashed put there. */
static int print_list(void *arg)
{
	const struct listing *listing = arg;
	struct err err;
	bool ok = true;

	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	if (listing->arguments->json)
		ok = print_json(listing->arguments, &listing->all, &err);
	else
		print_text(listing->arguments, &listing->all);
	if (ok && (fflush(stdout) != 0 || ferror(stdout)))
		ok = err_sys(&err, "cannot write the list");
	return ok ? EXIT_DONE : cmd_failed(&err);
}

int cmd_list(int argc, char **argv)
{
	struct list_arguments arguments = { .json = false };
	struct listing listing = { .arguments = &arguments, .all = { .list = NULL } };
	struct err err;
	int status;

	if (!options_read(&command_list, argc, argv, &arguments, &status))
		return status;
	if (optind < argc)
		return cmd_misused(&command_list, "too many arguments");
	AUTO(spool_close) struct spool *spool = spool_of(&arguments.spool, &err);
	if (!spool || !spool_list(spool, &listing.all, &err))
		return cmd_failed(&err);
	const struct spool_service service = spool_service_of(&listing.all);
	const struct sandbox sandbox = { .services = { service.list } };
	status = run_in_sandbox(arguments.no_sandbox, &sandbox, print_list, &listing);
	spool_entries_done(&listing.all);
	return status;
}

enum { MEGABYTE_SHIFT = 20 };

struct prune_arguments {
	struct spool_arguments spool;
	uint64_t max_size, older_ns;
	uint32_t keep;
	bool dry_run, all;
};

static const struct option_info prune_options[] = {
	{ 0, "keep", "N", "keep the newest N",
	  OPTION_NUMBER(struct prune_arguments, keep) },
	{ 0, "max-size", "SIZE", "keep what fits into this, like 500M",
	  .read = snap_set_size,
	  .offset = OPTION_OFFSET(uint64_t, struct prune_arguments, max_size) },
	{ 0, "older", "TIME", "remove what is older: 36h",
	  OPTION_TIME(struct prune_arguments, older_ns) },
	{ 0, "all", NULL, "remove all of them",
	  OPTION_FLAG(struct prune_arguments, all) },
	{ 0, "dry-run", NULL, "only say what would be removed",
	  OPTION_FLAG(struct prune_arguments, dry_run) },
	{ .name = NULL }
};

const struct command command_prune = {
	.name = "gosnap prune",
	.run = cmd_prune,
	.arguments = "",
	.summary = "remove the oldest snapshots from the spool",
	.options = {
		{ prune_options, 0 },
		{ spool_options, offsetof(struct prune_arguments, spool) },
	},
};

static void say_removed(void *arg, const struct spool_entry *entry)
{
	const bool *dry = arg;

	printf("%s%s\n", *dry ? "would remove " : "removed ", entry->id);
}

/* What was not asked for is as for the handler. */
static struct spool_quota quota_of(const struct prune_arguments *arguments)
{
	const struct settings *settings = &arguments->spool.settings;
	const bool asked = arguments->keep || arguments->max_size || arguments->older_ns;

	if (arguments->all)
		return (struct spool_quota){ .age_ns = 1 };
	if (asked)
		return (struct spool_quota){ .bytes = arguments->max_size,
					     .files = arguments->keep,
					     .age_ns = arguments->older_ns };
	return (struct spool_quota){ .bytes = settings->quota_megabytes << MEGABYTE_SHIFT,
				     .files = settings->quota_files };
}

int cmd_prune(int argc, char **argv)
{
	struct prune_arguments arguments = { .all = false };
	struct err err;
	int status;

	if (!options_read(&command_prune, argc, argv, &arguments, &status))
		return status;
	if (optind < argc)
		return cmd_misused(&command_prune, "too many arguments");
	AUTO(spool_close) struct spool *spool = spool_of(&arguments.spool, &err);
	if (!spool)
		return cmd_failed(&err);
	const struct spool_quota quota = quota_of(&arguments);
	if (!spool_prune(spool, &quota, arguments.dry_run, say_removed,
			 &arguments.dry_run, &err))
		return cmd_failed(&err);
	return EXIT_DONE;
}
