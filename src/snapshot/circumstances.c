/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/circumstances.h"

#include <sys/utsname.h>

#include "config.h"
#include "lib/sandbox/sandbox.h"
#include "printers/printers.h"
#include "redaction/redaction.h"

static void print_pause(struct sink *out, const struct live_pause *pause)
{
	sink_named_uint(out, "pause_ns", pause->pause_ns);
	sink_named_begin(out, "pause", SINK_OBJECT);
	if (pause->borrowed_ns)
		sink_named_uint(out, "borrowed_ns", pause->borrowed_ns);
	sink_named_uint(out, "stopping_ns", pause->stopping_ns);
	sink_named_uint(out, "copying_ns", pause->copying_ns);
	sink_named_uint(out, "busy_thread_ns", pause->busy_thread_ns);
	sink_end(out);
}

static void print_capture(struct sink *out, const struct snap_options *o,
			  const struct capture *c)
{
	static const char *const consistency[CAPTURE_WAYS] = {
		[CAPTURE_COPY] = "copy",
		[CAPTURE_STOP] = "stopped",
		[CAPTURE_GATHER] = "stopped",
		[CAPTURE_LIVE] = "running",
	};

	if (c->options->core.path) {
		const struct dying *dying = c->options->core.dying;
		sink_named_string(out, "consistency",
				  dying && dying->stacks_only ? "stacks" : "core");
		return;
	}
	sink_named_string(out, "consistency", consistency[c->plan.way]);
	const bool stands = c->options->stands && c->plan.way != CAPTURE_COPY;
	if (!c->held && !stands && (c->plan.way != CAPTURE_LIVE || c->pause.pause_ns))
		print_pause(out, &c->pause);
	sink_named_begin(out, "capture", SINK_OBJECT);
	sink_named_string(out, "method", capture_way_name(c->plan.way));
	sink_named_string(out, "why", c->plan.why);
	sink_named_uint(out, "estimate_ns", c->plan.estimate_ns);
	if (c->options->values == VALUES_UNLESS_HELD && !o->no_values &&
	    !capture_has_values(c))
		sink_named_string(out, "no_values_reason",
				  "this method of capture reads them only with --values");
	sink_end(out);
}

static void print_rule_files(struct sink *out, const struct value_rules *rules)
{
	size_t count = value_rules_files(rules);

	if (count == 0)
		return;
	sink_named_begin(out, "printers", SINK_ARRAY);
	for (size_t i = 0; i < count; i++)
		sink_string(out, value_rules_file(rules, i));
	sink_end(out);
}

static void print_options(struct sink *out, const struct snap_options *o)
{
	sink_named_begin(out, "options", SINK_OBJECT);
	sink_named_bool(out, "no_system_goroutines", o->no_system);
	sink_named_bool(out, "dead_goroutines", o->dead);
	sink_named_bool(out, "full_frames", o->full_frames);
	sink_named_bool(out, "values", o->capture.values != VALUES_NONE && !o->no_values);
	sink_named_bool(out, "analysis", !o->no_analysis);
	sink_named_bool(out, "compiler_variables", o->compiler);
	if (o->capture.values)
		sink_named_bool(out, "full_values", o->full);
	sink_named_string(out, "globals", o->capture.globals);
	if (o->max_size)
		sink_named_uint(out, "max_size_bytes", o->max_size);
	sink_named_bool(out, "environment", o->environment);
	sink_named_bool(out, "vector_registers", o->vector_registers);
	sink_named_bool(out, "raw_stacks", o->raw_stacks);
	print_rule_files(out, o->rules);
	sink_named_string(out, "redact", redaction_mode_name(o->redaction));
	sink_named_string(out, "redact_rules", redaction_rules_file(o->redaction));
	sink_named_bool(out, "sandbox", sandbox_is_closed());
	sink_named_bool(out, "verify", o->capture.verify);
	sink_named_string(out, "assume_go", o->capture.assume_go);
	sink_end(out);
}

static void print_machine(struct sink *out)
{
	struct utsname system;

	if (uname(&system) != 0)
		return;
	sink_named_string(out, "host", system.nodename);
	sink_named_string(out, "kernel", system.release);
}

static const char *source_of(const struct snap_options *o)
{
	const struct core_options *core = &o->capture.core;

	return core->dying ? core->dying->source : core->path ? "core" : "live";
}

static void print_series(struct sink *out, const struct series *series)
{
	if (!series->id)
		return;
	sink_named_begin(out, "series", SINK_OBJECT);
	sink_named_string(out, "id", series->id);
	sink_named_uint(out, "index", series->index);
	if (series->of)
		sink_named_uint(out, "of", series->of);
	sink_named_uint(out, "every_ns", series->every_ns);
	sink_end(out);
}

static void print_tool(struct sink *out)
{
	sink_named_begin(out, "tool", SINK_OBJECT);
	sink_named_string(out, "name", PACKAGE_NAME);
	sink_named_string(out, "version", PACKAGE_VERSION);
	sink_end(out);
}

void circumstances_print(struct sink *out, const struct snap_options *options,
			 const struct capture *c)
{
	char id[UUID_TEXT];

	sink_named_begin(out, "snapshot", SINK_OBJECT);
	if (new_uuid(id))
		sink_named_string(out, "id", id);
	sink_name(out, "taken_at");
	sink_time(out, c->realtime_ns);
	if (!options->capture.core.path || options->capture.core.dying)
		print_machine(out);
	sink_named_string(out, "arch", target_arch(c->live)->name);
	print_tool(out);
	sink_named_string(out, "source", source_of(options));
	if (c->frozen)
		print_capture(out, options, c);
	if (runtimes_count(c->runtimes))
		sink_named_string(out, "layout",
				  runtime_layout_source(runtimes_get(c->runtimes, 0)));
	print_series(out, &options->series);
	print_options(out, options);
	sink_end(out);
}
