/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/snap.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sandbox/sandbox.h"
#include "printers/printers.h"
#include "redaction/redaction.h"
#include "src/analysis/groups.h"
#include "src/capture/capture.h"
#include "src/capture/capture_core.h"
#include "src/findings/analysis/analysis.h"
#include "src/findings/fingerprints.h"
#include "src/snapshot/circumstances.h"
#include "src/snapshot/export.h"
#include "src/snapshot/gather.h"
#include "src/snapshot/goroutines.h"
#include "src/snapshot/graph.h"

struct snap {
	const struct snap_options *options;
	struct trigger trigger; /* once goroutines are known */
	struct capture capture;
	struct groups groups;
	struct analysis analysis;
	const struct fault *fault; /* NULL: none */
	struct sink *out;
	uint64_t started_ns;
	bool pause_to_come; /* the process stays stopped until everything is written */
	uint64_t frames;
	struct goroutines_printed printed;
	progress_count written;
	struct verification verification; /* on request */
	struct objects *objects;
};

static struct fault_printing fault_printing_of(const struct snap *s)
{
	size_t n;

	return (struct fault_printing){
		.fault = s->fault,
		.runtimes = s->capture.runtimes,
		.threads = target_threads(s->capture.frozen, &n),
		.redaction = s->options->redaction,
		.arch = target_arch(s->capture.frozen),
		.pid = s->capture.process->pid,
	};
}

static void print_fault_of(struct snap *s)
{
	if (!s->fault)
		return;
	AUTO(xfree) char *cause = cause_of_fault(s->fault);
	char fingerprint[FINGERPRINT_TEXT];
	struct fault_printing printing = fault_printing_of(s);
	fingerprint_of_fault(s->capture.runtimes, s->fault, s->capture.process,
			     fingerprint);
	printing.cause = cause;
	printing.fingerprint = fingerprint;
	sink_name(s->out, "fault");
	print_fault(s->out, &printing);
}

static void print_runtime_of(struct snap *s)
{
	const struct snapshot_time moment = { s->capture.monotonic_ns,
					      s->capture.realtime_ns,
					      s->capture.sockets };
	const bool heap = s->options->heap, core = s->options->capture.core.path != NULL;
	size_t n;

	if (!runtimes_count(s->capture.runtimes) || !s->capture.frozen)
		return;
	sink_name(s->out, "runtime");
	print_runtime_state(s->out,
			    &(struct runtime_printing){
				    .runtimes = s->capture.runtimes,
				    .heap = !heap  ? NULL
					    : core ? s->capture.frozen
						   : s->capture.copy,
				    .no_heap = heap ? "the heap can only be read of a "
						      "copy, and there is none"
						    : NULL,
				    .threads = target_threads(s->capture.frozen, &n),
				    .moment = &moment,
			    });
}

static void print_head(struct snap *s)
{
	struct sink *out = s->out;

	sink_named_string(out, "format", "gosnap");
	sink_named_uint(out, "version", 1);
	s->pause_to_come = s->capture.held && !s->options->capture.stands;
	circumstances_print(out, s->options, &s->capture);
	trigger_print(out, &s->trigger, s->options->redaction,
		      s->options->capture.core.path != NULL);
	sink_name(out, "process");
	print_process(out, &(struct process_printing){
				   .process = s->capture.process,
				   .target = s->capture.frozen ? s->capture.frozen
							       : s->capture.live,
				   .images = s->capture.images,
				   .redaction = s->options->redaction,
				   .environment = s->options->environment,
			   });
	if (runtimes_count(s->capture.runtimes)) {
		sink_name(out, "go");
		print_go(out, s->capture.runtimes, s->options->redaction);
	}
	print_fault_of(s);
	print_runtime_of(s);
	analysis_print(s->out, &s->analysis);
}

static void print_group(struct snap *s, size_t i)
{
	struct sink *out = s->out;
	struct runtimes *all = s->capture.runtimes;
	const struct group *group = &s->groups.list[i];

	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "id", i);
	print_whose(out, all, runtimes_get(all, group->runtime));
	sink_named_uint(out, "count", group->count);
	print_group_fingerprint(out, all, group->stack);
	sink_named_begin(out, "goroutines", SINK_ARRAY);
	for (uint32_t m = 0; m < group->count; m++)
		sink_uint(out,
			  runtimes_goroutine(all, s->groups.members[group->first + m])
				  .goroutine->id);
	sink_end(out);
	sink_name(out, "frames");
	s->frames += group->count * print_frames(out, all, group->stack);
	sink_end(out);
}

static void print_groups(struct snap *s)
{
	sink_named_begin(s->out, "groups", SINK_ARRAY);
	for (size_t i = 0; i < s->groups.count; i++)
		print_group(s, i);
	sink_end(s->out);
}

/* For tests: hidden frames have variables too, all within the usual bounds of one. */
static void show_hidden(struct value_bounds *bounds)
{
#ifdef GOSNAP_FAULTS
	if (getenv("GOSNAP_HIDDEN")) {
		bounds->hidden = true;
		bounds->goroutine_bytes = value_bounds_full.goroutine_bytes;
	}
#else
	(void)bounds;
#endif
}

static struct value_bounds bounds_of(const struct snap_options *o)
{
	struct value_bounds bounds = o->full ? value_bounds_full : value_bounds_default;

	bounds.compiler = o->compiler;
	bounds.rules = o->rules;
	if (o->max_size)
		bounds.document_bytes = o->max_size;
	show_hidden(&bounds);
	return bounds;
}

static bool prints_values(const struct snap *s)
{
	return capture_has_values(&s->capture) && !s->options->no_values;
}

static struct goroutine_printing printing_of(struct snap *s,
					     const struct value_bounds *bounds)
{
	size_t n;

	return (struct goroutine_printing){
		.runtimes = s->capture.runtimes,
		.threads =
			s->capture.frozen ? target_threads(s->capture.frozen, &n) : NULL,
		.moment = { s->capture.monotonic_ns, s->capture.realtime_ns,
			    s->capture.sockets },
		.full_frames = s->options->full_frames,
		.values = prints_values(s) ? bounds : NULL,
		.objects = s->objects,
		.memory = s->capture.frozen,
		.redaction = s->options->redaction,
	};
}

static void count_printed(struct snap *s, const struct goroutine_printing *printing)
{
	s->printed.variables += printing->variables;
	s->printed.redacted += printing->redacted;
}

static struct thread_printing thread_printing_of(struct snap *s,
						 struct goroutine_printing *values)
{
	return (struct thread_printing){
		s->capture.runtimes,	     s->capture.frozen,
		s->capture.images,	     values->values ? values : NULL,
		s->options->redaction,	     s->capture.monotonic_ns,
		s->options->vector_registers
	};
}

static void print_threads(struct snap *s)
{
	struct value_bounds bounds = bounds_of(s->options);
	struct goroutine_printing values = printing_of(s, &bounds);
	const struct thread_printing printing = thread_printing_of(s, &values);
	size_t n = 0;

	sink_named_begin(s->out, "threads", SINK_ARRAY);
	if (s->capture.frozen)
		target_threads(s->capture.frozen, &n);
	for (size_t i = 0; i < n; i++)
		print_thread(s->out, &printing, i);
	count_printed(s, &values);
	sink_end(s->out);
}

static void print_goroutines(struct snap *s)
{
	struct value_bounds bounds = bounds_of(s->options);
	struct goroutine_printing how = printing_of(s, &bounds);

	sink_named_begin(s->out, "goroutines", SINK_ARRAY);
	goroutines_print(s->out, &s->capture, s->options, &s->groups, &how, &s->written,
			 &s->printed);
	sink_end(s->out);
}

static void print_package_variables(struct snap *s)
{
	struct value_bounds bounds = bounds_of(s->options);
	struct goroutine_printing printing = printing_of(s, &bounds);

	if (!s->options->capture.globals || !s->capture.frozen)
		return;
	printing.values = &bounds;
	sink_name(s->out, "globals");
	print_globals(s->out, &printing, s->options->capture.globals,
		      s->options->globals_if_any ? NULL : s->capture.warnings);
	count_printed(s, &printing);
}

static void print_end(struct snap *s)
{
	struct sink *out = s->out;

	sink_named_begin(out, "end", SINK_OBJECT);
	sink_named_uint(out, "goroutines", s->printed.goroutines);
	sink_named_uint(out, "frames", s->frames);
	sink_named_uint(out, "variables", s->printed.variables);
	sink_named_uint(out, "redacted_values", s->printed.redacted);
	if (s->options->capture.values != VALUES_NONE && !s->options->no_values)
		sink_named_uint(out, "goroutines_without_values",
				s->printed.omitted + s->printed.lost);
	sink_named_uint(out, "document_bytes", sink_bytes(out));
	sink_named_uint(out, "elapsed_ns", monotonic_ns() - s->started_ns);
	if (s->pause_to_come)
		sink_named_uint(out, "pause_ns", s->capture.pause.pause_ns);
	sink_named_string(out, "incomplete_reason", s->capture.partial);
	sink_end(out);
}

static void note_stacks(struct snap *s)
{
	struct runtimes *all = s->capture.runtimes;
	size_t lost = 0, truncated = 0, n = runtimes_goroutine_count(all);

	for (size_t i = 0; i < n; i++) {
		uint8_t state = runtimes_goroutine(all, i).goroutine->state;
		lost += state == STACK_LOST;
		truncated += state == STACK_TRUNCATED;
	}
	if (lost)
		warnings_add(s->capture.warnings, "goroutines",
			     "the stacks of %zu are incomplete; each says why", lost);
	if (truncated)
		warnings_add(s->capture.warnings, "goroutines",
			     "the stacks of %zu are truncated; each says where",
			     truncated);
}

/* What readers must know before they trust the rest. */
static void note_doubts(struct snap *s)
{
	struct capture *c = &s->capture;

	if (!capture_has_memory(c))
		return;
	if (runtimes_unusable(c->runtimes))
		warnings_add(c->warnings, "go", "no goroutines: %s",
			     runtimes_unusable(c->runtimes));
	for (size_t i = 0; i < runtimes_count(c->runtimes); i++) {
		const struct runtime *rt = runtimes_get(c->runtimes, i);
		struct runtime_image own = runtime_image(rt, 0);
		if (runtime_unusable(rt))
			warnings_add(c->warnings, "layout", "no goroutines%s%s: %s",
				     own.executable ? "" : " of ",
				     own.executable ? "" : own.path,
				     runtime_unusable(rt));
	}
	note_stacks(s);
	if (s->analysis.waits.is_partial)
		warnings_add(c->warnings, "waits",
			     "not all goroutines were asked for what they will do: there "
			     "may be more holders and partners");
	if (s->options->values_failed)
		warnings_add(c->warnings, "values",
			     "there are none, because reading them failed: %s",
			     s->options->values_failed);
	if (prints_values(s))
		runtimes_check_debug(c->runtimes);
}

/* All that is neither a goroutine nor an object, to nowhere. */
static void print_others(void *arg, struct sink *nowhere)
{
	struct snap *s = arg;
	struct sink *out = s->out;

	s->out = nowhere;
	sink_begin(nowhere, SINK_OBJECT);
	print_head(s);
	print_groups(s);
	print_threads(s);
	print_package_variables(s);
	sink_end(nowhere);
	s->out = out;
	s->frames = 0;
}

static bool has_values(const struct snap *s)
{
	return prints_values(s) || s->options->capture.globals;
}

static struct graph graph_of(struct snap *s, const struct value_bounds *bounds)
{
	struct graph graph = { .capture = &s->capture,
			       .options = s->options,
			       .groups = &s->groups,
			       .how = printing_of(s, bounds),
			       .frames = prints_values(s),
			       .every = s->options->core != NULL,
			       .print_others = has_values(s) ? print_others : NULL,
			       .arg = s };

	graph.how.values = bounds;
	return graph;
}

/* Before anything is written: the command line may contain what only a goroutine
 * identifies as a password. */
static void find_objects(struct snap *s, struct graph *graph)
{
	if (!graph->frames || s->options->only_findings)
		redaction_learns_nothing(s->options->redaction);
	else
		sandbox_trespass("values");
	if (!s->options->only_findings)
		graph_find(graph);
	s->printed = (struct goroutines_printed){ 0 };
	graph->how.redacted = 0;
}

static void print_objects(struct snap *s, struct graph *graph)
{
	if (!has_values(s))
		return;
	sink_named_begin(s->out, "objects", SINK_ARRAY);
	graph_print_objects(graph, s->out);
	sink_end(s->out);
	s->printed.redacted += graph->how.redacted;
}

/* While what was captured can be read. */
static void write_core(struct snap *s, struct snap_result *ret)
{
	const struct export export = {
		.capture = &s->capture,
		.redaction = s->options->redaction,
		.environment = s->options->environment,
		.first_thread =
			s->fault && s->fault->thread >= 0 ? (size_t)s->fault->thread : 0,
	};

	if (!s->options->core)
		return;
	ret->no_core = !export_core(&export, s->options->core, &ret->why);
	ret->has_core = !ret->no_core;
	if (ret->no_core)
		warnings_add(s->capture.warnings, "core", "%s", ret->why.text);
}

static void print_captured(struct snap *s, struct graph *graph)
{
	sandbox_trespass("document");
	if (s->options->only_core)
		return;
	sink_begin(s->out, SINK_OBJECT);
	print_head(s);
	if (s->options->only_findings)
		return;
	print_groups(s);
	print_threads(s);
	print_goroutines(s);
	sandbox_trespass("objects");
	print_objects(s, graph);
	print_package_variables(s);
}

static void print_rest(struct snap *s)
{
	if (s->options->only_core)
		return;
	if (s->options->capture.verify) {
		sink_name(s->out, "verification");
		print_verification(s->out, &s->verification);
	}
	sink_name(s->out, "warnings");
	print_warnings(s->out, s->capture.warnings);
	print_end(s);
	sink_end(s->out);
}

static void tell_warnings(const struct snap *s)
{
	const struct warnings *all = s->capture.warnings;

	for (size_t i = 0; s->options->warn && i < warnings_count(all); i++)
		s->options->warn(warnings_where(all, i), warnings_what(all, i));
}

static void print_document(struct snap *s, struct snap_result *ret)
{
	AUTO(objects_free) struct objects *objects = objects_new();
	const struct value_bounds bounds = bounds_of(s->options);

	s->objects = objects;
	struct graph graph = graph_of(s, &bounds);
	find_objects(s, &graph);
	print_captured(s, &graph);
	if (s->fault) {
		const struct fault_printing printing = fault_printing_of(s);
		ret->verdict = fault_verdict(&printing);
	}
	write_core(s, ret);
	capture_finish(&s->capture);
	capture_settle(&s->capture);
	print_rest(s);
	tell_warnings(s);
	s->objects = NULL;
}

static void analyse(struct snap *s, bool rehearsal)
{
	const struct snap_options *o = s->options;
	const struct analysis_of of = {
		.capture = &s->capture,
		.groups = &s->groups,
		.fault = s->fault,
		.rehearsal = rehearsal,
		.no_sockets = redaction_mode(o->redaction) == REDACT_STRICT,
		.thoroughly = o->only_findings,
		.look_again_ns = rehearsal ? 0 : o->look_again_ns,
		.earlier = rehearsal ? NULL : o->earlier,
	};
	struct err err;

	if (o->no_analysis || !runtimes_goroutine_count(s->capture.runtimes))
		return;
	analysis_make(&s->analysis, &of, &err);
	if (o->only_findings && !err_is(&err, ERR_NONE))
		warnings_add(s->capture.warnings, "findings",
			     "not known what has leaked: %s", err.text);
}

/* Makes what reads memory, from the process as it runs, and throws it away. */
static void rehearse(struct snap *s)
{
	const struct value_bounds bounds = bounds_of(s->options);
	AUTO(objects_free) struct objects *objects = objects_new();

	if (!capture_rehearse(&s->capture))
		return;
	s->objects = objects;
	runtimes_decode(s->capture.runtimes);
	groups_init(&s->groups, s->capture.runtimes, goroutines_wanted,
		    (void *)s->options);
	analyse(s, true);
	struct graph graph = graph_of(s, &bounds);
	gather_rehearse(&graph);
	analysis_done(&s->analysis);
	groups_done(&s->groups);
	capture_rehearsed(&s->capture);
	s->printed = (struct goroutines_printed){ 0 };
	s->objects = NULL;
}

/* What the rehearsal did not read: threads had no registers then, so no stacks. */
static void gather(struct snap *s)
{
	const struct value_bounds bounds = bounds_of(s->options);
	AUTO(objects_free) struct objects *objects = objects_new();
	AUTO(sink_free) struct sink *nowhere = sink_part_new();
	size_t n, i = 0;

	s->objects = objects;
	struct graph graph = graph_of(s, &bounds);
	struct goroutine_printing values = printing_of(s, &bounds);
	const struct thread_printing threads = thread_printing_of(s, &values);
	target_threads(s->capture.frozen, &n);
	for (; i < n && capture_has_time(&s->capture); i++) {
		print_thread(nowhere, &threads, i);
		sink_part_cut(nowhere, 0);
	}
	bool whole = i == n && gather_changed(&graph);
	capture_resume(&s->capture, whole);
	s->objects = NULL;
}

static void tell_panic(const struct noted_panic *panic,
		       uint64_t ret[static SNAP_PANIC_WORDS])
{
	_Static_assert(sizeof(*panic) == SNAP_PANIC_WORDS * sizeof(*ret), "as words");
	memcpy(ret, panic, sizeof(*panic));
}

/* A probe knows the thread only. A process that ended before it was captured has none. */
static void complete_trigger(struct snap *s)
{
	const struct target_thread *threads;
	size_t n;

	s->trigger = s->options->trigger;
	if (!s->capture.frozen || !trigger_lacks_goroutine(&s->trigger))
		return;
	threads = target_threads(s->capture.frozen, &n);
	for (size_t i = 0; i < n; i++)
		if ((uint64_t)threads[i].tid == s->trigger.thread)
			s->trigger.goroutine =
				runtimes_thread(s->capture.runtimes, i)->goroutine;
}

/* What was captured becomes a document. */
static void finish(struct snap *s, struct snap_result *ret)
{
	const struct snap_options *options = s->options;
	struct runtimes *all = s->capture.runtimes;
	AUTO(progress_end)
	struct progress *progress = progress_begin(options->progress);
	const uint64_t n = runtimes_goroutine_count(all);

	progress_phase(progress, "unwound", "goroutines", runtimes_decoded(all), n);
	runtimes_decode(all);
	complete_trigger(s);
	s->fault = runtimes_fault(
		all,
		&(struct fault_question){ .ended = options->capture.core.path ||
						   options->capture.ended,
					  .panicking = trigger_panicking(&s->trigger),
					  .recovered = s->trigger.recovered });
	ret->no_fault = options->only_of_fault && !s->fault;
	ret->noted = s->fault && s->fault->noted;
	if (options->panic && s->fault)
		tell_panic(&s->fault->identity, options->panic);
	if (ret->no_fault || ret->noted)
		return;
	if (s->trigger.goroutine)
		runtimes_make_first(all, s->trigger.goroutine);
	capture_date(&s->capture);
	if (options->capture.verify)
		runtimes_verify(all, &s->verification);
	groups_init(&s->groups, all, goroutines_wanted, (void *)options);
	analyse(s, false);
	note_doubts(s);
	progress_phase(progress, "wrote", "goroutines", &s->written, n);
	print_document(s, ret);
	ret->warnings = warnings_count(s->capture.warnings);
	snprintf(ret->partial, sizeof(ret->partial), "%s",
		 s->capture.partial ? s->capture.partial : "");
	analysis_done(&s->analysis);
	groups_done(&s->groups);
}

static bool take(struct snap *s, struct snap_result *ret, struct err *err)
{
	process_remember_secrets(s->capture.process, s->options->redaction);
	graph_forgive_literals(&s->capture, s->options->redaction);
	if (capture_wants_rehearsal(&s->capture))
		rehearse(s);
	if (!capture_take(&s->capture, err))
		return false;
	if (capture_is_gathering(&s->capture))
		gather(s);
	finish(s, ret);
	return true;
}

bool snap_take(const struct snap_options *options, struct sink *out,
	       struct snap_result *ret, struct err *err)
{
	struct snap s = { .options = options, .started_ns = monotonic_ns(), .out = out };
	bool ok = capture_open(&s.capture, &options->capture, err) && take(&s, ret, err);

	capture_done(&s.capture);
	return ok;
}

bool snap_take_opened(const struct capture *opened, const struct snap_options *options,
		      struct sink *out, struct snap_result *ret, struct err *err)
{
	struct snap s = { .options = options,
			  .started_ns = monotonic_ns(),
			  .out = out,
			  .capture = *opened };
	bool ok = take(&s, ret, err);

	capture_done(&s.capture);
	return ok;
}
