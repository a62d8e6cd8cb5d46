/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "src/options/snap_options.h"
#include "src/options/spool_options.h"

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

static void say(void *arg, const struct spool_entry *entry)
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
	if (!spool_prune(spool, &quota, arguments.dry_run, say, &arguments.dry_run, &err))
		return cmd_failed(&err);
	return EXIT_DONE;
}
