/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/goroutines.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ptrace/target_copy.h"
#include "lib/sandbox/sandbox.h"
#include "redaction/redaction.h"
#include "src/snapshot/snap.h"
#include "src/snapshot/values_plan.h"
#include "src/snapshot/workers.h"

enum {
	BATCH = 256,	  /* goroutines with values */
	LAG = 8,	  /* batches in flight */
	SAMPLES = 256,	  /* groups sampled in advance */
	PART = 256 << 10, /* bytes passed on at once, approximately */
	JOBS_MAX = 4,
	WORTH = 1024, /* goroutines that justify starting other processes */
	PLANS = 64,   /* per document at most: each one visits all groups */
};
/* Bytes after the goroutines. */
#define TAIL (UINT64_C(16) << 10)

struct job {
	struct batch batch;
	uint64_t estimated, aside, written; /* bytes; see values_plan.h */
};

struct goroutines {
	struct sink *out;
	const struct snap_options *options;
	struct capture *capture;
	const struct groups *groups;
	progress_count *written;
	struct goroutines_printed *printed;
	struct goroutine_printing printing;
	const struct value_bounds *bounds; /* NULL: without values */
	struct sink *part;
	struct printed list[BATCH_MAX]; /* the contents of part */
	struct values_plan *plan;	/* NULL if bounds is */
	struct workers *workers;	/* NULL: no other processes */
	size_t batches, batch_size;
	struct job jobs[LAG];
	struct job *collecting;
};

bool goroutines_wanted(void *arg, const struct goroutine *g)
{
	const struct snap_options *o = arg;

	if (g->status == GOROUTINE_DEAD || g->status == GOROUTINE_DEAD_EXTRA ||
	    g->status == GOROUTINE_IDLE)
		return o->dead;
	return !(g->system && o->no_system);
}

bool goroutines_valued(const struct snap_options *options, const struct goroutine *g)
{
	return !options->raw_stack_of || options->raw_stack_of == g->id;
}

static bool has_group(const struct snap_options *options, const struct goroutine *g)
{
	return g->stack != NO_STACK && goroutines_wanted((void *)options, g);
}

static bool is_wanted(const struct goroutines *s, const struct goroutine *g)
{
	return has_group(s->options, g);
}

bool goroutines_urgent(struct goroutine_of it)
{
	return runtime_panics(it.runtime, it.goroutine) != NULL;
}

/* Beyond the size limit they are left out like values; without values nothing plans how much
 * there will be. */
static struct raw_stacks raw_stacks_of(const struct goroutines *s, const char *omitted_by)
{
	const struct snap_options *o = s->options;
	const uint64_t most =
		o->max_size ? o->max_size : value_bounds_default.document_bytes;
	const bool full = o->raw_stacks && !s->bounds && sink_bytes(s->out) > most;

	return (struct raw_stacks){ o->raw_stacks, o->raw_stack_of,
				    full ? "max_size" : omitted_by };
}

/* Prints one goroutine to the part. */
static void print_one(struct goroutines *s, struct goroutine_of it, enum values_why why)
{
	struct goroutine_printing *p = &s->printing;

	p->runtime = it.runtime;
	p->values = why == VALUES_WANTED && goroutines_valued(s->options, it.goroutine)
			    ? s->bounds
			    : NULL;
	p->values_omitted_by = why == VALUES_TOO_MUCH ? "max_size"
			       : why == VALUES_LOST   ? "failure"
						      : NULL;
	p->raw_stacks = raw_stacks_of(s, p->values_omitted_by);
	p->variables = p->redacted = 0;
	print_goroutine(s->part, p, it.goroutine, groups_of(s->groups, it));
}

/* Prints values if there turns out to be room for them. Returns the bytes printed. */
static size_t print_in_room(struct goroutines *s, struct goroutine_of it,
			    enum values_why *why, uint64_t *room)
{
	size_t before = sink_part_bytes(s->part);

	print_one(s, it, *why);
	size_t bytes = sink_part_bytes(s->part) - before;
	if (*why != VALUES_WANTED)
		return bytes;
	if (bytes <= *room) {
		*room -= bytes;
		return bytes;
	}
	sink_part_cut(s->part, before);
	*why = VALUES_TOO_MUCH;
	print_one(s, it, *why);
	return sink_part_bytes(s->part) - before;
}

static void hand_on(struct goroutines *s, size_t *n, printed_fn *fn, void *fn_arg)
{
	if (*n)
		fn(fn_arg, s->list, *n, sink_part_text(s->part),
		   sink_part_bytes(s->part));
	sink_part_cut(s->part, 0);
	*n = 0;
}

static void print_batch(void *arg, const struct batch *b, printed_fn *fn, void *fn_arg)
{
	struct goroutines *s = arg;
	struct runtimes *all = s->capture->runtimes;
	uint64_t room = b->room;
	size_t n = 0;

	runtimes_read_ahead(all, b->first, b->end, s->plan != NULL);
	for (uint64_t i = b->first; i < b->end; i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		enum values_why why = (enum values_why)b->values[i - b->first];
		if (!is_wanted(s, it.goroutine))
			continue;
		size_t bytes = print_in_room(s, it, &why, &room);
		s->list[n++] = (struct printed){
			.goroutine = i,
			.variables = (uint32_t)s->printing.variables,
			.redacted = (uint32_t)s->printing.redacted,
			.bytes = (uint32_t)bytes,
			.values = (uint8_t)why,
		};
		if (sink_part_bytes(s->part) > PART)
			hand_on(s, &n, fn, fn_arg);
	}
	hand_on(s, &n, fn, fn_arg);
}

static void write_part(void *arg, const struct printed *list, size_t n, const char *text,
		       size_t bytes)
{
	struct goroutines *s = arg;

	sink_add_part(s->out, text, bytes);
	s->collecting->written += bytes;
	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it =
			runtimes_goroutine(s->capture->runtimes, list[i].goroutine);
		s->printed->goroutines++;
		s->printed->variables += list[i].variables;
		s->printed->redacted += list[i].redacted;
		s->printed->omitted += list[i].values == VALUES_TOO_MUCH;
		s->printed->lost += list[i].values == VALUES_LOST;
		if (s->plan)
			values_plan_measured(s->plan, groups_of(s->groups, it),
					     list[i].values == VALUES_WANTED,
					     list[i].bytes);
	}
	atomic_store_explicit(s->written, list[n - 1].goroutine + 1,
			      memory_order_relaxed);
}

/* Measures one goroutine of the group both ways, for the plan's predictions. */
static void sample(struct goroutines *s, size_t group)
{
	const struct group *g = &s->groups->list[group];
	uint64_t i = s->groups->members[g->first];
	struct goroutine_of it = runtimes_goroutine(s->capture->runtimes, i);

	runtimes_read_ahead(s->capture->runtimes, i, i + 1, true);
	for (int with = 0; with <= 1; with++) {
		print_one(s, it, with ? VALUES_WANTED : VALUES_NOT_ASKED);
		values_plan_measured(s->plan, group, with, sink_part_bytes(s->part));
		sink_part_cut(s->part, 0);
	}
}

/* Samples the largest groups, and some of the others. Workers inherit whatever this looks
 * up. */
static void take_samples(struct goroutines *s)
{
	size_t n = s->groups->count, first = n < SAMPLES / 2 ? n : SAMPLES / 2;
	size_t step = (n - first) / (SAMPLES / 2) + 1;

	for (size_t i = 0; i < n; i += i < first ? 1 : step)
		sample(s, i);
}

/* For goroutines that will be urgent. */
static void keep_room(struct goroutines *s)
{
	struct runtimes *all = s->capture->runtimes;

	for (size_t i = 0; i < runtimes_goroutine_count(all); i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		if (is_wanted(s, it.goroutine) && goroutines_urgent(it))
			values_plan_keep(s->plan, groups_of(s->groups, it));
	}
}

static void begin_plan(struct goroutines *s)
{
	uint64_t most = s->bounds->document_bytes;
	uint64_t begun =
		sink_bytes(s->out) + TAIL + objects_promised(s->printing.objects);

	s->plan = values_plan_new(s->groups->count, most > begun ? most - begun : 0);
	for (size_t i = 0; i < s->groups->count; i++)
		values_plan_set_count(s->plan, i, s->groups->list[i].count);
	take_samples(s);
	keep_room(s);
}

static void plan_batch(struct goroutines *s, struct job *job)
{
	struct runtimes *all = s->capture->runtimes;
	struct batch *b = &job->batch;
	uint64_t bytes;

	for (uint64_t i = b->first; i < b->end; i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		if (!is_wanted(s, it.goroutine))
			continue;
		bool chosen = values_plan_next(s->plan, groups_of(s->groups, it),
					       goroutines_urgent(it), &bytes);
		b->values[i - b->first] = chosen ? VALUES_WANTED : VALUES_TOO_MUCH;
		job->estimated += bytes;
		b->room += chosen ? bytes : 0;
	}
	job->aside = values_plan_set_aside(s->plan, b->room);
	b->room += job->aside;
}

static void submit(struct goroutines *s, size_t number)
{
	struct job *job = &s->jobs[number % LAG];
	size_t count = runtimes_goroutine_count(s->capture->runtimes);

	job->estimated = job->aside = job->written = 0;
	job->batch.first = number * s->batch_size;
	job->batch.end = job->batch.first + s->batch_size;
	if (job->batch.end > count)
		job->batch.end = count;
	job->batch.room = 0;
	memset(job->batch.values, VALUES_NOT_ASKED, sizeof(job->batch.values));
	if (s->plan && number % (s->batches / PLANS + 1) == 0)
		values_plan_make(s->plan);
	if (s->plan)
		plan_batch(s, job);
	if (s->workers)
		workers_submit(s->workers, &job->batch);
}

static void collect(struct goroutines *s, size_t number)
{
	struct job *job = &s->jobs[number % LAG];
	struct batch rest = job->batch;

	s->collecting = job;
	if (s->workers)
		rest.first = workers_collect(s->workers, &job->batch, write_part, s);
	if (s->workers)
		memset(rest.values, VALUES_LOST, sizeof(rest.values));
	if (rest.first < rest.end)
		print_batch(s, &rest, write_part, s);
	if (s->plan)
		values_plan_written(s->plan, job->estimated, job->aside, job->written);
}

/* One fewer than our CPUs, since collecting and compressing keeps one busy: on two CPUs,
 * two workers take longer than one (doc/performance.md). */
/* For tests: GOSNAP_PROCESSORS=N. */
static unsigned processors(void)
{
	cpu_set_t cpus;

#ifdef GOSNAP_FAULTS
	if (getenv("GOSNAP_PROCESSORS"))
		return (unsigned)strtoul(getenv("GOSNAP_PROCESSORS"), NULL, 10);
#endif
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus)
							      : 1;
}

unsigned goroutines_workers(const struct snap_options *options)
{
	unsigned jobs = options->jobs;

	if (options->capture.values == VALUES_NONE || options->no_values)
		return 0;
	if (!jobs)
		jobs = processors() - 1;
	return jobs <= 1 ? 0 : jobs < JOBS_MAX ? jobs : JOBS_MAX;
}

static unsigned workers_wanted(const struct goroutines *s, size_t count)
{
	if (!s->plan || (!s->options->jobs && count < WORTH))
		return 0;
	return sandbox_is_closed() ? workers_reserved() : goroutines_workers(s->options);
}

static void prepare_worker(void *arg)
{
	struct goroutines *s = arg;

	capture_forked(s->capture);
}

void goroutines_print(struct sink *out, struct capture *c,
		      const struct snap_options *options, const struct groups *groups,
		      const struct goroutine_printing *how, progress_count *written,
		      struct goroutines_printed *ret)
{
	size_t count = runtimes_goroutine_count(c->runtimes);
	AUTO(xfree) struct goroutines *s = xcalloc(1, sizeof(*s));
	AUTO(sink_free) struct sink *part = sink_part_new();

	*s = (struct goroutines){
		.out = out,
		.capture = c,
		.options = options,
		.groups = groups,
		.written = written,
		.printed = ret,
		.part = part,
		.printing = *how,
		.bounds = how->values,
		.batch_size = how->values ? BATCH : BATCH_MAX,
	};
	s->batches = (count + s->batch_size - 1) / s->batch_size;
	if (s->bounds)
		begin_plan(s);
	unsigned workers = workers_wanted(s, count);
	if (workers)
		s->workers = workers_start(workers, print_batch, prepare_worker, s);
	for (size_t i = 0; i < s->batches + LAG; i++) {
		if (i >= LAG && i - LAG < s->batches)
			collect(s, i - LAG);
		if (i < s->batches)
			submit(s, i);
	}
	if (s->workers && workers_death(s->workers))
		warnings_add(c->warnings, "goroutines",
			     "%llu have no variables: the gosnap process reading them "
			     "died (%s)",
			     (unsigned long long)ret->lost, workers_death(s->workers));
	workers_end(s->workers);
	values_plan_free(s->plan);
}
