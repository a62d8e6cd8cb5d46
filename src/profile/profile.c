/* SPDX-License-Identifier: Apache-2.0 */
#include "src/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "lib/base/limit.h"
#include "src/capture/capture_core.h"
#include "src/profile/goroutine_groups.h"
#include "src/profile/pprof.h"

#define MEASURED_NS (UINT64_C(20) * 1000 * 1000)

static const enum profile_list lists[] = {
	[PROFILE_HEAP] = PROFILE_MEMORY,
	[PROFILE_BLOCK] = PROFILE_BLOCKING,
	[PROFILE_MUTEX] = PROFILE_MUTEXES,
};

/* As the runtime does when it is asked for it: how often this machine's clock ticks. */
static uint64_t measure_ticks(void)
{
#ifdef __x86_64__
	const uint64_t begin_ns = monotonic_ns(), begin = __rdtsc();
	uint64_t ns = 0;

	while (ns < MEASURED_NS)
		ns = monotonic_ns() - begin_ns;
	return (uint64_t)((double)(__rdtsc() - begin) * SECOND_NS / (double)ns);
#else
	return SECOND_NS;
#endif
}

static void find_ticks(struct profile *p)
{
	struct capture *c = p->capture;

	if (p->ticks)
		return;
	p->ticks = measure_ticks();
	if (c->options->core.path)
		warnings_add(c->warnings, "profile",
			     "delays are right only if this is the machine of the core: "
			     "the program had not measured its clock yet");
}

/* What values are scaled by. */
static void find_scale(struct profile *p)
{
	const bool is_scaled =
		p->kind == PROFILE_HEAP ||
		(p->kind == PROFILE_MUTEX && runtime_scales_mutexes_late(p->rt));

	p->scale = is_scaled && p->has_rate ? p->rate : 1;
	if (is_scaled && !p->has_rate)
		warnings_add(p->capture->warnings, "profile",
			     "values are those of the samples: the rate of sampling was "
			     "not found");
}

static const char *why_nothing(const struct profile *p)
{
	static const char *const off[] = {
		[PROFILE_HEAP] =
			"the program does not record allocations: its MemProfileRate is "
			"0, as the linker sets it if nothing in it reads that profile",
		[PROFILE_BLOCK] = "the program does not record blocking: "
				  "runtime.SetBlockProfileRate was not called, or with 0",
		[PROFILE_MUTEX] =
			"the program does not record contended mutexes: "
			"runtime.SetMutexProfileFraction was not called, or with 0",
	};
	static const char *const nothing[] = {
		[PROFILE_HEAP] = "the program has recorded no allocation yet",
		[PROFILE_BLOCK] = "the program has recorded no blocking",
		[PROFILE_MUTEX] = "the program has recorded no contended mutex",
	};
	const bool is_off = p->has_rate && !p->rate;

	/* The runtime has recorded some of its own before it is turned off. */
	if (is_off && p->kind == PROFILE_HEAP)
		return off[p->kind];
	if (p->records.count || p->records.damage)
		return NULL;
	return is_off ? off[p->kind] : nothing[p->kind];
}

/* What is small comes first: there may not be time for all. */
static bool read_records(struct profile *p, struct err *err)
{
	p->has_rate = runtime_profile_rate(p->rt, lists[p->kind], &p->rate);
	p->ticks = runtime_ticks_per_second(p->rt);
	if (p->kind == PROFILE_BLOCK && runtime_never_records_blocking(p->rt)) {
		p->why_nothing = "the program does not record blocking: "
				 "runtime.SetBlockProfileRate was never called";
		return true;
	}
	if (!runtime_profile_records(p->rt, lists[p->kind], &p->records, err))
		return false;
	if (p->records.damage)
		warnings_add(p->capture->warnings, "profile",
			     "it has the first %zu records, as %s", p->records.count,
			     p->records.damage);
	if (p->records.count)
		find_scale(p);
	if (p->records.count && p->kind != PROFILE_HEAP)
		find_ticks(p);
	p->why_nothing = why_nothing(p);
	return true;
}

static void read_goroutines(struct profile *p, struct redaction *redaction)
{
	struct runtimes *all = p->capture->runtimes;
	size_t incomplete;

	p->goroutines = goroutine_groups_new(all, p->rt, redaction, &incomplete);
	if (incomplete)
		warnings_add(p->capture->warnings, "profile",
			     "stacks or labels of %zu goroutines are incomplete",
			     incomplete);
}

bool profile_read(struct profile *ret, struct capture *c, enum profile_kind kind,
		  struct redaction *redaction, struct err *err)
{
	*ret = (struct profile){ .kind = kind, .capture = c };
	if (!capture_has_memory(c))
		return err_set(err, ERR_GONE, "%s",
			       c->partial ? c->partial : "no memory was captured");
	if (runtimes_unusable(c->runtimes))
		return err_set(err, ERR_CANNOT, "%s", runtimes_unusable(c->runtimes));
	ret->rt = runtimes_get(c->runtimes, 0);
	if (runtime_unusable(ret->rt))
		return err_set(err, ERR_CANNOT, "no goroutines: %s",
			       runtime_unusable(ret->rt));
	if (runtimes_count(c->runtimes) > 1)
		warnings_add(c->warnings, "profile",
			     "it is of the first of %zu Go runtimes",
			     runtimes_count(c->runtimes));
	/* When the process of a core ended, goroutines tell. */
	if (kind == PROFILE_GOROUTINE || c->options->core.path) {
		runtimes_decode(c->runtimes);
		capture_date(c);
	}
	if (kind != PROFILE_GOROUTINE)
		return read_records(ret, err);
	read_goroutines(ret, redaction);
	return true;
}

void profile_done(struct profile *p)
{
	profile_records_done(&p->records);
	goroutine_groups_free(TAKE(p->goroutines));
}

/* As Go on amd64 converts what no number is. */
static uint64_t whole(double value)
{
	const int64_t lowest = INT64_MIN;

	return (uint64_t)(value > -0x1p63 && value < 0x1p63 ? (int64_t)value : lowest);
}

/* runtime/pprof.scaleHeapSample: how many, and how many bytes, samples stand for. */
static void scale(uint64_t count, uint64_t bytes_each, uint64_t rate, uint64_t ret[2])
{
	const uint64_t bytes = count * bytes_each;

	ret[0] = ret[1] = 0;
	if (!count || !bytes_each)
		return;
	if (rate <= 1) {
		ret[0] = count;
		ret[1] = bytes;
		return;
	}
	const double by = 1 / (1 - exp(-(double)bytes_each / (double)rate));
	ret[0] = whole((double)(int64_t)count * by);
	ret[1] = whole((double)(int64_t)bytes * by);
}

static void add_memory(const struct profile *p, const struct profile_record *r,
		       struct pprof *to)
{
	const uint64_t *pcs = p->records.pcs + r->first_pc;
	const size_t skip = runtime_allocator_depth(p->rt, pcs, r->pc_count);
	uint64_t values[4];

	runtime_each_recorded_frame(p->rt, pcs + skip, r->pc_count - skip, pprof_frame,
				    to);
	scale(r->memory.allocs, r->object_bytes, p->scale, values);
	scale(r->memory.allocs - r->memory.frees, r->object_bytes, p->scale, values + 2);
	if ((r->memory.allocs && r->object_bytes) || runtime_labels_empty_records(p->rt))
		pprof_label_number(to, "bytes", r->object_bytes);
	pprof_sample(to, values, ARRAY_SIZE(values));
}

static void encode_heap(const struct profile *p, struct pprof *to)
{
	pprof_period(to, "space", "bytes", p->rate);
	pprof_sample_type(to, "alloc_objects", "count");
	pprof_sample_type(to, "alloc_space", "bytes");
	pprof_sample_type(to, "inuse_objects", "count");
	pprof_sample_type(to, "inuse_space", "bytes");
	for (size_t i = 0; i < p->records.count; i++)
		add_memory(p, &p->records.list[i], to);
}

static void add_wait(const struct profile *p, const struct profile_record *r,
		     struct pprof *to)
{
	const double ns = (double)r->waits.cycles / ((double)p->ticks / 1e9);
	const uint64_t by = p->scale;
	const uint64_t values[] = { (uint64_t)r->waits.count * by,
				    whole(ns * (double)by) };

	runtime_each_recorded_frame(p->rt, p->records.pcs + r->first_pc, r->pc_count,
				    pprof_frame, to);
	pprof_sample(to, values, ARRAY_SIZE(values));
}

static int longest_first(const void *a, const void *b)
{
	const struct profile_record *x = *(const struct profile_record *const *)a,
				    *y = *(const struct profile_record *const *)b;

	if (x->waits.cycles != y->waits.cycles)
		return x->waits.cycles > y->waits.cycles ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void encode_waits(const struct profile *p, struct pprof *to)
{
	const size_t n = p->records.count;
	AUTO(xfree)
	const struct profile_record **sorted = xcalloc(n + 1, sizeof(*sorted));

	pprof_period(to, "contentions", "count", 1);
	pprof_sample_type(to, "contentions", "count");
	pprof_sample_type(to, "delay", "nanoseconds");
	for (size_t i = 0; i < n; i++)
		sorted[i] = &p->records.list[i];
	qsort(sorted, n, sizeof(*sorted), longest_first);
	for (size_t i = 0; i < n; i++)
		add_wait(p, sorted[i], to);
}

static void encode_goroutines(const struct profile *p, struct pprof *to)
{
	pprof_period(to, "goroutine", "count", 1);
	pprof_sample_type(to, "goroutine", "count");
	goroutine_groups_encode(p->goroutines, to);
}

void profile_add_mappings(const struct capture *c, struct pprof *to)
{
	static const char deleted[] = " (deleted)";
	size_t n;
	const struct target_mapping *m = target_mappings(c->frozen, &n);

	for (size_t i = 0; i < n; i++) {
		const struct image *img = images_at(c->images, m[i].start);
		const size_t len = strlen(m[i].path), end = strlen(deleted);
		if (!img || !m[i].executable)
			continue;
		const bool is_deleted =
			len > end && strcmp(m[i].path + len - end, deleted) == 0;
		pprof_mapping(to, &(struct pprof_mapping){
					  .start = m[i].start,
					  .end = m[i].end,
					  .offset = m[i].offset,
					  .path = m[i].path,
					  .path_len = is_deleted ? len - end : len,
					  .build_id = image_build_id(img) });
	}
}

struct pprof *profile_encode(const struct profile *p)
{
	struct pprof *to = pprof_new();

	pprof_time(to, p->capture->realtime_ns);
	profile_add_mappings(p->capture, to);
	if (p->kind == PROFILE_HEAP)
		encode_heap(p, to);
	else if (p->kind == PROFILE_GOROUTINE)
		encode_goroutines(p, to);
	else
		encode_waits(p, to);
	return to;
}
