/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "lib/sandbox/sandbox.h"
#include "src/causes/baseline/check.h"
#include "src/options/baseline_store.h"
#include "src/options/documents.h"
#include "src/options/show_options.h"
#include "src/options/snap_options.h"
#include "src/viewer/terminal/page.h"

struct baseline_arguments {
	struct snap_arguments take;
	const char *store, *name;
	struct check_limits limits;
	bool json;
};

static const struct option_info baseline_options[] = {
	{ 0, "store", "DIR", "where the baselines are",
	  OPTION_STRING(struct baseline_arguments, store) },
	{ 0, "name", "NAME", "the program is called so",
	  OPTION_STRING(struct baseline_arguments, name) },
	{ 0, "factor", "N", "check: N times as many are not normal (default: 2)",
	  OPTION_NUMBER(struct baseline_arguments, limits.factor) },
	{ 0, "least", "N", "check: if they are also N more (default: 10)",
	  OPTION_NUMBER(struct baseline_arguments, limits.least) },
	{ 0, "json", NULL, "check: write JSON",
	  OPTION_FLAG(struct baseline_arguments, json) },
	{ .name = NULL }
};

const struct command command_baseline = {
	.name = "gosnap baseline",
	.run = cmd_baseline,
	.arguments = "add|check FILE|PID...",
	.summary = "say what is not normal",
	.options = {
		{ baseline_options, 0 },
		{ way_options, offsetof(struct baseline_arguments, take.snap) },
		{ sandbox_options, offsetof(struct baseline_arguments, take.snap.no_sandbox) },
	},
};

struct comparing {
	const struct baseline_arguments *arguments;
	struct documents documents;
	struct baseline_store store;
};

/* Which baseline a document belongs to. */
static void key_of(const struct comparing *c, const struct measured *m,
		   char ret[static FINGERPRINT_TEXT])
{
	if (c->arguments->name)
		baseline_key(c->arguments->name, NULL, ret);
	else
		baseline_key(m->identity.program, m->executable, ret);
}

static void name_program(const struct comparing *c, struct measured *m)
{
	if (!c->arguments->name)
		return;
	xfree(m->identity.program);
	m->identity.program = xstrdup(c->arguments->name);
}

static bool measure(const struct comparing *c, size_t i, struct measured *ret,
		    struct err *err)
{
	AUTO(reader_close) struct reader *reader = documents_open(&c->documents, i, err);

	if (!reader || !measured_read(reader, ret, err))
		return false;
	name_program(c, ret);
	return ret->goroutines.known ||
	       err_set(err, ERR_BAD_DATA, "%.200s: it has no goroutines",
		       c->documents.paths[i]);
}

static bool learn(struct comparing *c, const struct measured *m, struct err *err)
{
	struct baseline baseline = { .program = NULL };
	char key[FINGERPRINT_TEXT];

	key_of(c, m, key);
	bool ok = baseline_load(&c->store, key, &baseline, err) ||
		  err_is(err, ERR_NOT_FOUND);
	if (ok) {
		baseline_add(&baseline, m);
		ok = baseline_keep(&c->store, key, &baseline, err);
	}
	baseline_done(&baseline);
	return ok;
}

static int add_one(struct comparing *c, size_t i)
{
	struct measured measured = { .fault = NULL };
	struct err err;
	int status = EXIT_DONE;

	if (!measure(c, i, &measured, &err)) {
		status = cmd_failed(&err);
	} else if (measured.fault) {
		err_set(&err, ERR_BAD_DATA, "%.200s: it crashed, which is not normal",
			c->documents.paths[i]);
		status = cmd_failed(&err);
	} else if (!learn(c, &measured, &err)) {
		status = cmd_failed(&err);
	}
	measured_done(&measured);
	return status;
}

static bool write_json(const struct deviations *all, const struct baseline *normal,
		       struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);

	check_write(out, all, normal);
	return sink_finish(out, NULL, err);
}

static int compare(const struct comparing *c, const struct measured *m,
		   const struct baseline *normal)
{
	const struct page page = {
		.out = stdout,
		.columns = page_columns(STDOUT_FILENO),
		.color = page_is_terminal(STDOUT_FILENO),
	};
	struct deviations all;
	struct err err;
	int status;

	check(&all, normal, m, &c->arguments->limits);
	status = all.count ? EXIT_NO : EXIT_DONE;
	if (!c->arguments->json)
		check_print(&page, &all, normal);
	else if (!write_json(&all, normal, &err))
		status = cmd_failed(&err);
	deviations_done(&all);
	return status;
}

static int check_one(struct comparing *c)
{
	struct measured measured = { .fault = NULL };
	struct baseline normal = { .program = NULL };
	char key[FINGERPRINT_TEXT];
	struct err err;
	int status;

	if (!measure(c, 0, &measured, &err)) {
		status = cmd_failed(&err);
	} else {
		key_of(c, &measured, key);
		if (baseline_load(&c->store, key, &normal, &err)) {
			status = compare(c, &measured, &normal);
		} else {
			if (err_is(&err, ERR_NOT_FOUND))
				err_set(&err, ERR_CANNOT,
					"there is no baseline of %.200s (%.100s): see "
					"gosnap baseline add",
					measured.identity.program
						? measured.identity.program
						: "it",
					measured.executable ? measured.executable : "?");
			status = cmd_failed(&err);
		}
	}
	baseline_done(&normal);
	measured_done(&measured);
	return status;
}

/* In the sandbox. */
static int work(void *arg)
{
	struct comparing *c = arg;
	struct err err;
	int status = EXIT_DONE;

	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	if (!c->store.writable)
		status = check_one(c);
	else
		for (size_t i = 0; i < c->documents.count; i++) {
			const int one = add_one(c, i);
			status = one == EXIT_DONE ? status : one;
		}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		err_sys(&err, "cannot write the text");
		return cmd_failed(&err);
	}
	return status;
}

static int compare_all(struct comparing *c)
{
	struct sandbox sandbox = { .keep_count = 0 };

	sandbox_add_services(&sandbox, documents_service(&c->documents));
	sandbox_add_services(&sandbox, baseline_store_services(&c->store));
	return run_in_sandbox(c->arguments->take.snap.no_sandbox, &sandbox, work, c);
}

/* A snapshot of a process is a document like any other, without a name that could be left behind. */
static int take(struct baseline_arguments *arguments, const char *path)
{
	struct snap_options *snap = &arguments->take.snap;

	snap->output = path;
	snap->no_values = true;
	return snap_run(&command_baseline, &arguments->take);
}

static int compare_process(struct comparing *c, struct baseline_arguments *arguments)
{
	struct err err;
	const int fd = spool_open(&err);
	int status;

	if (fd < 0)
		return cmd_failed(&err);
	AUTO(xfree) char *path = xasprintf("/proc/self/fd/%d", fd);
	status = take(arguments, path);
	if (status == EXIT_DONE)
		status = documents_add(&c->documents, path, &err) ? compare_all(c)
								  : cmd_failed(&err);
	close(fd);
	return status;
}

static int compare_files(struct comparing *c, char **names, size_t n)
{
	struct err err;
	int missing = EXIT_DONE, status;

	for (size_t i = 0; i < n; i++)
		if (!documents_add(&c->documents, names[i], &err))
			missing = cmd_failed(&err);
	if (!c->documents.count)
		return missing;
	if (!c->store.writable && c->documents.count > 1)
		return cmd_misused(&command_baseline,
				   "check compares one document or process");
	status = compare_all(c);
	return status != EXIT_DONE ? status : missing;
}

static int run(struct baseline_arguments *arguments, bool writable, char **names,
	       size_t n)
{
	struct comparing c = { .arguments = arguments, .documents = { .paths = NULL } };
	struct err err;
	int status;

	if (!baseline_store_open(&c.store, arguments->store, writable, &err))
		status = cmd_failed(&err);
	else if (n == 1 && cmd_parse_pid(names[0], &arguments->take.snap.capture.pid))
		status = compare_process(&c, arguments);
	else
		status = compare_files(&c, names, n);
	baseline_store_close(&c.store);
	documents_done(&c.documents);
	return status;
}

int cmd_baseline(int argc, char **argv)
{
	AUTO(view_free) struct view *view = view_new();
	struct baseline_arguments arguments = { .take = snap_arguments_default(view),
						.limits = { .factor = 2, .least = 10 } };
	int status;

	if (!options_read(&command_baseline, argc, argv, &arguments, &status))
		return status;
	if (optind == argc ||
	    (strcmp(argv[optind], "add") != 0 && strcmp(argv[optind], "check") != 0))
		return cmd_misused(&command_baseline, "say add or check first");
	if (optind + 1 == argc)
		return cmd_misused(&command_baseline, "missing PID or file name");
	if (!arguments.limits.factor || !arguments.limits.least)
		return cmd_misused(&command_baseline,
				   "--factor and --least are at least 1");
	return run(&arguments, strcmp(argv[optind], "add") == 0, argv + optind + 1,
		   (size_t)(argc - optind - 1));
}
