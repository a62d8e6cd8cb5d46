/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/document/sink.h"
#include "lib/sandbox/sandbox.h"
#include "src/capture/doctor.h"
#include "src/capture/sandboxed.h"
#include "src/options/options.h"
#include "src/install/readiness.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

enum { INDENT = 2, INDENT_MORE = 4 };

struct doctor_arguments {
	bool clear, json, strict, no_sandbox;
};

static const struct option_info doctor_options[] = {
	{ 0, "clear", NULL, "remove zombies that a killed gosnap left in PID",
	  OPTION_FLAG(struct doctor_arguments, clear) },
	{ 0, "json", NULL, "write JSON", OPTION_FLAG(struct doctor_arguments, json) },
	{ 0, "strict", NULL, "exit with status 1 if something is doubtful",
	  OPTION_FLAG(struct doctor_arguments, strict) },
	{ .name = NULL }
};

const struct command command_doctor = {
	.name = "gosnap doctor",
	.run = cmd_doctor,
	.arguments = "[PID]",
	.summary = "check whether and how a snapshot can be taken",
	.options = {
		{ doctor_options, 0 },
		{ sandbox_options, offsetof(struct doctor_arguments, no_sandbox) },
	},
};

static const char *const level_names[] = {
	[DOCTOR_FINE] = "fine",
	[DOCTOR_DOUBTFUL] = "doubtful",
	[DOCTOR_BLOCKED] = "blocked",
};

static void say_verdict(const struct doctor *d, struct text *text)
{
	const struct plan *plan = &d->plan;
	char pause[16];

	if (d->pid)
		text_add(text,
			 "%s (pid %d): ", *d->conditions.name ? d->conditions.name : "?",
			 d->pid);
	if (d->refused) {
		text_add(text, d->pid ? "no snapshot can be taken"
				      : "no snapshots can be taken here");
		return;
	}
	text_add(text,
		 d->pid ? "a snapshot can be taken" : "snapshots can be taken here");
	if (!d->pid)
		return;
	plan_duration(plan->estimate_ns, pause, sizeof(pause));
	if (plan->stands_still)
		text_add(text, "; it is already stopped");
	else
		text_add(text, "; it would be stopped for about %s", pause);
}

static void print_heading(const struct page *page, const struct doctor *d)
{
	static const enum doctor_level order[] = { DOCTOR_BLOCKED, DOCTOR_DOUBTFUL,
						   DOCTOR_FINE };
	static const char *const words[] = {
		[DOCTOR_FINE] = "fine",
		[DOCTOR_DOUBTFUL] = "doubtful",
		[DOCTOR_BLOCKED] = "blocking",
	};
	struct text text = { 0 };
	const char *between = ": ";

	say_verdict(d, &text);
	page_say(page, d->refused ? COLOR_ALARM : COLOR_HEADING, 0, INDENT, &text);
	text_add_counted(&text, d->finding_count, "check");
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		size_t n = doctor_count(d, order[i]);
		if (!n)
			continue;
		text_add(&text, "%s%zu %s", between, n, words[order[i]]);
		between = ", ";
	}
	page_say(page, COLOR_PLAIN, INDENT, INDENT_MORE, &text);
}

static void print_way(const struct page *page, const struct plan *plan,
		      enum capture_way way)
{
	const struct plan_way *w = &plan->of[way];
	struct text text = { 0 };
	char pause[16], values[16];

	text_add(&text, "%s%s", capture_way_name(way),
		 way == plan->way ? " (gosnap's choice)" : "");
	plan_duration(w->stacks_ns, pause, sizeof(pause));
	plan_duration(w->values_ns, values, sizeof(values));
	if (!w->possible)
		text_add(&text, ": not possible: %s", w->why);
	else if (way == CAPTURE_LIVE)
		text_add(&text, ", not stopped%s%s", *w->why ? ": " : "", w->why);
	else if (w->values_ns == w->stacks_ns)
		text_add(&text, ", stopped for about %s%s%s", pause, *w->why ? ": " : "",
			 w->why);
	else
		text_add(&text, ", stopped for about %s, with values %s%s%s", pause,
			 values, *w->why ? ": " : "", w->why);
	page_say(page, COLOR_PLAIN, INDENT, INDENT_MORE, &text);
}

static void print_ways(const struct page *page, const struct doctor *d)
{
	if (!d->pid || d->refused)
		return;
	printf("\nMethods to take a snapshot:\n");
	for (enum capture_way way = CAPTURE_COPY; way <= CAPTURE_LIVE; way++)
		print_way(page, &d->plan, way);
}

static void print_findings(const struct page *page, const struct doctor *d,
			   enum doctor_level level, const char *heading)
{
	enum color color = level == DOCTOR_FINE ? COLOR_PLAIN : COLOR_ALARM;

	if (!doctor_count(d, level))
		return;
	printf("\n%s:\n", heading);
	for (size_t i = 0; i < d->finding_count; i++) {
		const struct doctor_finding *f = &d->findings[i];
		struct text text = { 0 };
		if (f->level != level)
			continue;
		text_add(&text, "%s: %s", f->check, f->text);
		page_say(page, color, INDENT, INDENT_MORE, &text);
		if (!f->remedy)
			continue;
		text_add(&text, "-> %s", f->remedy);
		page_say(page, COLOR_PLAIN, INDENT_MORE, INDENT_MORE + 3, &text);
	}
}

static void print_text(const struct doctor *d)
{
	const struct page page = {
		.out = stdout,
		.columns = page_columns(STDOUT_FILENO),
		.color = page_is_terminal(STDOUT_FILENO),
	};

	print_heading(&page, d);
	print_ways(&page, d);
	print_findings(&page, d, DOCTOR_BLOCKED, "Blocking");
	print_findings(&page, d, DOCTOR_DOUBTFUL, "Doubtful");
	print_findings(&page, d, DOCTOR_FINE, "Fine");
}

static void sink_ways(struct sink *out, const struct plan *plan)
{
	sink_named_begin(out, "capture", SINK_OBJECT);
	sink_named_string(out, "method", capture_way_name(plan->way));
	sink_named_string(out, "why", plan->why);
	sink_named_uint(out, "estimate_ns", plan->estimate_ns);
	sink_end(out);
	sink_named_begin(out, "methods", SINK_ARRAY);
	for (enum capture_way way = CAPTURE_COPY; way <= CAPTURE_LIVE; way++) {
		const struct plan_way *w = &plan->of[way];
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "method", capture_way_name(way));
		sink_named_bool(out, "possible", w->possible);
		sink_named_uint(out, "estimate_ns", w->estimate_ns);
		sink_named_uint(out, "estimate_stacks_ns", w->stacks_ns);
		sink_named_uint(out, "estimate_values_ns", w->values_ns);
		sink_named_string(out, "why", *w->why ? w->why : NULL);
		sink_named_string(out, "remedy", *w->remedy ? w->remedy : NULL);
		sink_end(out);
	}
	sink_end(out);
}

static void sink_kernel(struct sink *out, const struct conditions *c)
{
	const struct kernel_features *k = &c->kernel;

	sink_named_begin(out, "kernel", SINK_OBJECT);
	sink_named_string(out, "release", k->release);
	sink_named_bool(out, "close_range", k->close_range);
	sink_named_bool(out, "process_vm_readv", k->process_vm_readv);
	sink_named_bool(out, "pagemap", k->pagemap);
	sink_named_bool(out, "pagemap_scan", k->pagemap_scan);
	sink_named_uint(out, "page_ns", c->machine.page_ns);
	sink_end(out);
	sink_named_begin(out, "gosnap", SINK_OBJECT);
	sink_named_uint(out, "uid", c->ours.uid);
	sink_named_bool(out, "cap_sys_ptrace", c->ours.ptrace);
	sink_named_bool(out, "cap_sys_admin", c->ours.admin);
	sink_named_bool(out, "sched_fifo", c->ours.realtime);
	sink_named_bool(out, "seccomp", c->ours.seccomp);
	sink_end(out);
}

static void sink_limit(struct sink *out, const char *name,
		       const struct cgroup_limit *limit)
{
	if (!limit->set)
		return;
	sink_named_begin(out, name, SINK_OBJECT);
	sink_named_uint(out, "used", limit->used);
	sink_named_uint(out, "max", limit->max);
	sink_named_string(out, "group", *limit->group ? limit->group : NULL);
	sink_end(out);
}

static void sink_process(struct sink *out, const struct doctor *d)
{
	const struct conditions *c = &d->conditions;

	sink_named_uint(out, "pid", (uint64_t)d->pid);
	sink_named_string(out, "name", c->name);
	sink_named_string(out, "go", d->go);
	sink_named_string(out, "layout", d->layout);
	if (d->go)
		sink_named_uint(out, "goroutines", d->goroutines);
	sink_named_begin(out, "conditions", SINK_OBJECT);
	sink_named_uint(out, "threads", c->threads);
	sink_named_uint(out, "mappings", c->mappings);
	sink_named_uint(out, "anonymous_bytes", c->anonymous);
	sink_named_uint(out, "huge_bytes", c->huge);
	sink_named_uint(out, "locked_bytes", c->locked);
	sink_named_uint(out, "seccomp", (uint64_t)c->seccomp);
	sink_named_bool(out, "already_stopped", conditions_stand_still(c));
	sink_limit(out, "cgroup_tasks", &c->cgroup.pids);
	sink_limit(out, "cgroup_memory", &c->cgroup.memory);
	sink_limit(out, "user_tasks", &c->processes);
	sink_end(out);
	if (!d->refused)
		sink_ways(out, &d->plan);
	sink_named_begin(out, "leftovers", SINK_ARRAY);
	for (size_t i = 0; i < d->leftover_count; i++)
		sink_uint(out, (uint64_t)d->leftovers[i]);
	sink_end(out);
}

static bool print_json(const struct doctor *d, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap-doctor");
	sink_named_uint(out, "version", 1);
	sink_named_bool(out, "possible", !d->refused);
	if (d->pid)
		sink_process(out, d);
	sink_named_begin(out, "findings", SINK_ARRAY);
	for (size_t i = 0; i < d->finding_count; i++) {
		const struct doctor_finding *f = &d->findings[i];
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "check", f->check);
		sink_named_string(out, "level", level_names[f->level]);
		sink_named_string(out, "text", f->text);
		sink_named_string(out, "remedy", f->remedy);
		sink_end(out);
	}
	sink_end(out);
	sink_kernel(out, &d->conditions);
	sink_end(out);
	return sink_finish(out, NULL, err);
}

static int print(const struct doctor *d, bool json, bool strict)
{
	struct err err;

	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	if (!json)
		print_text(d);
	if (json ? !print_json(d, &err) : fflush(stdout) != 0 || ferror(stdout)) {
		if (!json)
			err_sys(&err, "cannot write the report");
		return cmd_failed(&err);
	}
	if (d->refused)
		return cmd_status(d->refused);
	return strict && doctor_count(d, DOCTOR_DOUBTFUL) ? EXIT_NO : EXIT_DONE;
}

struct report {
	struct doctor *doctor;
	const struct doctor_arguments *options;
};

static int examine(void *arg)
{
	const struct report *r = arg;

	doctor_examine(r->doctor);
	return print(r->doctor, r->options->json, r->options->strict);
}

static int examine_in_sandbox(struct doctor *d, const struct doctor_arguments *options)
{
	struct sandbox sandbox = { .programs = true };
	struct report report = { d, options };

	if (d->target && !options->no_sandbox && !sandbox_missing())
		capture_permit(d->target, &sandbox);
	return run_in_sandbox(options->no_sandbox, &sandbox, examine, &report);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_arguments options = { .clear = false };
	struct err err;
	int status;
	pid_t pid = 0;

	if (!options_read(&command_doctor, argc, argv, &options, &status))
		return status;
	if (argc - optind > 1)
		return cmd_misused(&command_doctor,
				   "too many arguments: give a single PID");
	if (argc > optind && !cmd_parse_pid(argv[optind], &pid))
		return cmd_misused(&command_doctor, "%.100s is not a PID", argv[optind]);
	if (options.clear && !pid)
		return cmd_misused(&command_doctor, "--clear requires a PID");
	AUTO(doctor_free) struct doctor *d = doctor_begin(pid, &err);
	if (d && options.clear && d->leftover_count) {
		if (!doctor_clear(d, &err))
			return cmd_failed(&err);
		doctor_free(d);
		d = doctor_begin(pid, &err);
	}
	if (d)
		readiness_examine(d);
	return d ? examine_in_sandbox(d, &options) : cmd_failed(&err);
}
