/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/procfs/cgroup_find.h"
#include "src/bpf/fault.h"
#include "src/options/condition_option.h"
#include "src/options/options_file.h"
#include "src/options/redact_options.h"
#include "src/options/snap_options.h"
#include "src/options/spool_options.h"
#include "src/watch/desk.h"
#include "src/watch/service.h"

#define HOLD_NS (UINT64_C(50) * 1000 * 1000)
#define MAX_PAUSE_NS (UINT64_C(30) * 1000 * 1000 * 1000)
#define AGAIN_NS (UINT64_C(10) * 1000 * 1000 * 1000)
#define THRESHOLD_NS (UINT64_C(600) * 1000 * 1000 * 1000)
#define HOLD_MAX_NS (UINT64_C(1000) * 1000 * 1000)

struct watch_arguments {
	struct watch_service_options service;
	const char *spool, *unit, *container, *config;
	bool status;
	struct condition condition;
	struct printer_files printers;
	struct redaction_options redaction;
};

static bool add_file(const struct option_info *option, const char *argument, void *field,
		     struct err *err)
{
	struct watch_subjects *s = field;

	(void)option, (void)err;
	s->files = xreallocarray(s->files, s->file_count + 1, sizeof(*s->files));
	s->files[s->file_count++] = argument;
	return true;
}

static bool add_pid(const struct option_info *option, const char *argument, void *field,
		    struct err *err)
{
	struct watch_subjects *s = field;
	pid_t pid;

	if (!cmd_parse_pid(argument, &pid))
		return err_set(err, ERR_USAGE, "--%s requires a process id, not %.40s",
			       option->name, argument);
	s->pids = xreallocarray(s->pids, s->pid_count + 1, sizeof(*s->pids));
	s->pids[s->pid_count++] = pid;
	return true;
}

/* "3,4", or "!0" for all others. */
static bool read_exits(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	bool *exits = field;
	const bool others = *argument == '!';
	char *at = (char *)argument + others;

	memset(exits, others, FAULT_STATUSES);
	do {
		char *end;
		const unsigned long status = strtoul(at, &end, 10);
		if (end == at || *at == '-' || status >= FAULT_STATUSES ||
		    (*end && *end != ','))
			return err_set(
				err, ERR_USAGE,
				"--%s requires statuses such as 3,4 or !0, not %.40s",
				option->name, argument);
		exits[status] = !others;
		at = *end ? end + 1 : end;
	} while (*at);
	return true;
}

static bool add_function(const struct option_info *option, const char *argument,
			 void *field, struct err *err)
{
	struct watch_service_options *o = field;

	if (!*argument || o->function_count == WATCH_FUNCTIONS)
		return err_set(err, ERR_USAGE, "--%s requires a name, %d times at most",
			       option->name, WATCH_FUNCTIONS);
	o->functions =
		xreallocarray(o->functions, o->function_count + 1, sizeof(*o->functions));
	o->functions[o->function_count++] = argument;
	return true;
}

/* "1/100"; all of them without an argument. */
static bool read_share(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	uint32_t *one_of = field;
	char *end;

	*one_of = 1;
	if (!argument)
		return true;
	const bool begun = strncmp(argument, "1/", 2) == 0 && isdigit(argument[2]);
	const unsigned long n = begun ? strtoul(argument + 2, &end, 10) : 0;
	if (n == 0 || n > UINT32_MAX || *end)
		return err_set(err, ERR_USAGE,
			       "--%s requires a share such as 1/100, not %.40s",
			       option->name, argument);
	*one_of = (uint32_t)n;
	return true;
}

static const struct option_info watch_options[] = {
	{ 0, "all", NULL, "every Go process, also those that start later",
	  OPTION_FLAG(struct watch_service_options, subjects.all) },
	{ 0, "exe", "FILE", "all processes of this program, as often as wanted",
	  .read = add_file,
	  .offset = OPTION_OFFSET(struct watch_subjects, struct watch_service_options,
				  subjects) },
	{ 0, "pid", "PID", "this process, as often as wanted", .read = add_pid,
	  .offset = OPTION_OFFSET(struct watch_subjects, struct watch_service_options,
				  subjects) },
	{ 0, "cgroup", "DIR", "every Go process in this control group, and below",
	  OPTION_STRING(struct watch_service_options, subjects.cgroup) },
	{ 0, "count", "N", "end after N snapshots",
	  OPTION_NUMBER(struct watch_service_options, count) },
	{ 0, "interval", "TIME", "one snapshot of each program in TIME, at most",
	  OPTION_TIME(struct watch_service_options, interval_ns) },
	{ 0, "hold", "TIME", "keep a thread for TIME, at most (default: 50ms)",
	  OPTION_TIME(struct watch_service_options, hold_ns) },
	{ 0, "hold-by", "able|spin|stop",
	  "in the kernel, or by SIGSTOP (default: as able)",
	  OPTION_CHOICE(struct watch_service_options, hold_by) },
	{ 0, "max-pause", "TIME", "let a process go after TIME (default: 30s)",
	  OPTION_TIME(struct watch_service_options, max_pause_ns) },
	{ 0, "on-exit", "STATUS", "also of exits with STATUS; !0: other than 0",
	  .read = read_exits, .offset = offsetof(struct watch_service_options, exits) },
	{ 0, "on", "FUNCTION", "also when FUNCTION is called, again and again",
	  .read = add_function },
	{ 0, "recovered", "[1/N]", "also of panics that are recovered; 1/N: of some",
	  .read = read_share,
	  .offset = OPTION_OFFSET(uint32_t, struct watch_service_options,
				  one_recovered_of) },
	{ 0, "on-kill", NULL, "also of any SIGKILL, not only for want of memory",
	  OPTION_FLAG(struct watch_service_options, on_kill) },
	{ 0, "for", "TIME", "only if CONDITION is met for TIME",
	  OPTION_TIME(struct watch_service_options, thresholds.for_ns) },
	{ 0, "strict", NULL, "hold programs that start until they have probes",
	  OPTION_FLAG(struct watch_service_options, strict) },
	{ 0, "terminals", NULL, "also processes that have a terminal",
	  OPTION_FLAG(struct watch_service_options, terminals) },
	{ 0, "perf-events", NULL, "use the probes of kernels before 6.6",
	  OPTION_FLAG(struct watch_service_options, perf_events) },
	{ 0, "log", "text|json", "say what happens as JSON, a line for each event",
	  OPTION_CHOICE(struct watch_service_options, log) },
	{ 0, "socket", "PATH", "answer there, for --status and Prometheus",
	  OPTION_STRING(struct watch_service_options, socket) },
	{ 0, "metrics", "FILE", "write metrics for Prometheus to FILE, every 15 s",
	  OPTION_STRING(struct watch_service_options, metrics) },
	{ 'q', "quiet", NULL, "do not say what is caught",
	  OPTION_FLAG(struct watch_service_options, quiet) },
	{ .name = NULL }
};

static const struct option_info watch_other_options[] = {
	{ 0, "unit", "NAME", "every Go process of this systemd unit",
	  OPTION_STRING(struct watch_arguments, unit) },
	{ 0, "container", "ID", "every Go process of this container",
	  OPTION_STRING(struct watch_arguments, container) },
	{ 0, "when", "CONDITION", "also when it is met: rss>2G, goroutines>1000 ...",
	  .read = option_condition,
	  .offset = OPTION_OFFSET(struct condition, struct watch_arguments, condition) },
	{ 0, "status", NULL, "say what the gosnap watch that runs has done so far",
	  OPTION_FLAG(struct watch_arguments, status) },
	{ 0, "config", "FILE", "read options from FILE, again at SIGHUP",
	  OPTION_STRING(struct watch_arguments, config) },
	{ 0, "spool", "DIR", "write snapshots to DIR",
	  OPTION_STRING(struct watch_arguments, spool) },
	{ .name = NULL }
};

const struct command command_watch = {
	.name = "gosnap watch",
	.run = cmd_watch,
	.arguments = "--all|--exe FILE",
	.summary = "take snapshots of processes as they crash",
	.options = {
		{ watch_options, offsetof(struct watch_arguments, service) },
		{ watch_other_options, 0 },
		{ content_options, offsetof(struct watch_arguments, service.snap) },
		{ read_options,
		  offsetof(struct watch_arguments, service.snap.capture.reading) },
		{ printer_options, offsetof(struct watch_arguments, printers) },
		{ redact_options, offsetof(struct watch_arguments, redaction) },
		{ sandbox_options,
		  offsetof(struct watch_arguments, service.snap.no_sandbox) },
	},
};

static struct spool *open_spool(const char *path, struct spool_quota *ret_quota,
				struct err *err)
{
	struct settings settings;
	struct err ignored; /* what is not understood has its default */
	const char *named = getenv("GOSNAP_SPOOL");

	settings_read(SETTINGS_FOLDER, &settings, &ignored);
	if (!path)
		path = named && *named ? named : settings.spool;
	*ret_quota = (struct spool_quota){ .bytes = settings_quota_bytes(&settings),
					   .files = settings.quota_files };
	return spool_open_folder(path, true, err);
}

/* Of a unit or a container: allocated, its group. NULL: err. */
static char *group_of(const struct watch_arguments *arguments, struct err *err)
{
	AUTO(xfree) char *top = cgroup_top();

	if (!top) {
		err_set(err, ERR_UNSUPPORTED,
			"control groups of version 2 are not mounted here");
		return NULL;
	}
	return arguments->unit ? cgroup_of_unit(top, arguments->unit, err)
			       : cgroup_of_container(top, arguments->container, err);
}

/* All that a command line and its --config say, and what comes of it. */
struct setup {
	struct watch_arguments arguments;
	char *text; /* of the file */
	char *group;
	struct named_rules *rules;
	struct spool *spool;
};

static struct setup *setup_new(void)
{
	const struct snap_arguments defaults = snap_arguments_default(NULL);
	struct setup *s = xcalloc(1, sizeof(*s));

	s->arguments = (struct watch_arguments){
		.service = { .snap = defaults.snap,
			     .hold_ns = HOLD_NS,
			     .max_pause_ns = MAX_PAUSE_NS },
		.redaction = defaults.redaction,
	};
	return s;
}

static void setup_free(struct setup *s)
{
	if (!s)
		return;
	spool_close(s->spool);
	named_rules_free(s->rules);
	xfree(s->arguments.service.subjects.files);
	xfree(s->arguments.service.subjects.pids);
	xfree(s->arguments.service.functions);
	xfree(s->group);
	xfree(s->text);
	xfree(s);
}
DEFINE_AUTO(struct setup, setup_free)

static bool check(struct watch_arguments *arguments, struct err *err)
{
	struct watch_service_options *options = &arguments->service;
	const struct watch_subjects *s = &options->subjects;
	const int kinds = s->all + (s->file_count > 0) + (s->pid_count > 0) +
			  (s->cgroup != NULL) + (arguments->unit != NULL) +
			  (arguments->container != NULL) + arguments->status;

	if (!snap_settle_content(&options->snap, err))
		return false;
	if (kinds != 1)
		return err_set(err, ERR_USAGE,
			       "give one of --all, --exe, --pid, --unit, --container, "
			       "--cgroup and --status");
	if (options->strict && s->pid_count)
		return err_set(err, ERR_USAGE,
			       "--strict is for programs that start, not for --pid");
	return (options->hold_ns > 0 && options->hold_ns <= HOLD_MAX_NS) ||
	       err_set(err, ERR_USAGE, "--hold is at most 1s");
}

/* The file first, so that the command line has the last word. */
static bool read_config(const char *path, struct setup *s, struct err *err)
{
	s->text = options_read_file(&command_watch, path, &s->arguments, err);
	if (!s->text)
		return false;
	return (!s->arguments.config && !s->arguments.status) ||
	       err_set(err, ERR_USAGE,
		       "%.200s: --config and --status are for the command line", path);
}

static bool read_words(int argc, char **argv, struct setup *s, int *ret_status,
		       struct err *err)
{
	optind = 0; /* getopt begins anew */
	if (!options_read(&command_watch, argc, argv, &s->arguments, ret_status))
		return false;
	return optind == argc ||
	       err_set(err, ERR_USAGE, "%.40s is no option: use --pid or --exe",
		       argv[optind]);
}

/* NULL: err, or if that is ERR_NONE, *ret_status, and something was printed. */
static struct setup *setup_read(int argc, char **argv, int *ret_status, struct err *err)
{
	AUTO(setup_free) struct setup *s = setup_new();

	err->code = ERR_NONE;
	if (!read_words(argc, argv, s, ret_status, err))
		return NULL;
	const char *config = s->arguments.config;
	if (config) {
		setup_free(s);
		s = setup_new();
		if (!read_config(config, s, err) ||
		    !read_words(argc, argv, s, ret_status, err))
			return NULL;
	}
	if (check(&s->arguments, err))
		return TAKE(s);
	if (config)
		err_prefix(err, "%.200s", config);
	return NULL;
}

/* What has to be opened or read for it. */
static bool setup_prepare(struct setup *s, struct err *err)
{
	struct watch_arguments *arguments = &s->arguments;
	struct watch_service_options *options = &arguments->service;
	const bool grouped = arguments->unit || arguments->container;

	s->rules = named_rules_read(&arguments->redaction, &arguments->printers, err);
	s->group = s->rules && grouped ? group_of(arguments, err) : NULL;
	if (!s->rules || (grouped && !s->group))
		return false;
	options->snap.redaction = s->rules->secrets;
	options->snap.rules = s->rules->printers;
	if (s->group)
		options->subjects.cgroup = s->group;
	s->spool = open_spool(arguments->spool, &options->quota, err);
	if (!s->spool)
		return false;
	for (size_t i = 0; i < FAULT_STATUSES; i++)
		options->on_exit |= options->exits[i];
	options->spool = s->spool;
	if (arguments->condition.count)
		options->thresholds.condition = &arguments->condition;
	options->thresholds.again_ns =
		options->interval_ns ? options->interval_ns : THRESHOLD_NS;
	options->again_ns = options->interval_ns ? options->interval_ns : AGAIN_NS;
	return true;
}

static int print_status(const struct watch_service_options *options)
{
	struct err err;
	AUTO(xfree)
	char *text = desk_ask(options->socket ? options->socket : WATCH_SOCKET, &err);

	if (!text)
		return cmd_failed(&err);
	fputs(text, stdout);
	return EXIT_DONE;
}

/* Where it answers if nobody says where: only root may make that folder. */
static void choose_socket(struct watch_service_options *options)
{
	if (!options->socket && (mkdir(WATCH_FOLDER, 0755) == 0 || errno == EEXIST))
		options->socket = WATCH_SOCKET;
}

struct rereading {
	int argc;
	char **argv;
	struct setup *now, *next;
};

static const struct watch_service_options *reread(void *arg, struct err *err)
{
	struct rereading *r = arg;
	int status;

	r->next = setup_read(r->argc, r->argv, &status, err);
	if (!r->next && err->code == ERR_NONE)
		err_set(err, ERR_USAGE, "%.200s contradicts the command line",
			r->now->arguments.config);
	if (!r->next || !setup_prepare(r->next, err))
		return NULL;
	choose_socket(&r->next->arguments.service);
	return &r->next->arguments.service;
}

static void use(void *arg, bool in_force)
{
	struct rereading *r = arg;

	setup_free(in_force ? r->now : r->next);
	if (in_force)
		r->now = r->next;
	r->next = NULL;
}

static int run(int argc, char **argv, struct setup *s)
{
	struct rereading r = { argc, argv, s, NULL };
	const struct watch_reread how = { reread, use, &r };
	struct err err;
	bool ok = setup_prepare(s, &err);

	if (ok) {
		choose_socket(&s->arguments.service);
		ok = watch_service(&s->arguments.service,
				   s->arguments.config ? &how : NULL, &err);
	}
	setup_free(r.now);
	return ok ? EXIT_DONE : cmd_failed(&err);
}

int cmd_watch(int argc, char **argv)
{
	struct err err;
	int status;
	struct setup *s = setup_read(argc, argv, &status, &err);

	if (!s && err.code != ERR_NONE)
		return err_is(&err, ERR_USAGE)
			       ? cmd_misused(&command_watch, "%s", err.text)
			       : cmd_failed(&err);
	if (!s)
		return status;
	if (!s->arguments.status)
		return run(argc, argv, s);
	status = print_status(&s->arguments.service);
	setup_free(s);
	return status;
}
