/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "src/bpf/trace_probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "src/bpf/trace.skel.h"
#include "src/bpf/uprobes.h"

/* Calls that have begun: more are forgotten. */
enum { CALLS_AT_ONCE = 1 << 17 };

struct trace_probes {
	struct trace_bpf *skeleton;
	struct bpf_program *program; /* of the skeleton's two */
	struct ring_buffer *ring, *stops;
	struct trace_stop stop; /* the last */
	bool has_stop;
	trace_hit_fn *fn; /* while hits are read */
	void *arg;
	bool multi;
};

static struct bpf_program *program_of(const struct trace_bpf *skeleton,
				      const struct trace_probes_options *options)
{
	return options->hold_ns ? skeleton->progs.on_call_held : skeleton->progs.on_call;
}

static struct trace_bpf *load(const struct trace_probes_options *options, bool multi)
{
	struct trace_bpf *skeleton = trace_bpf__open();

	if (!skeleton)
		return NULL;
	skeleton->rodata->only_pid = (uint32_t)options->pid;
	skeleton->rodata->goid_offset = options->goid_offset;
	skeleton->rodata->stack_low_offset = options->stack_low_offset;
	skeleton->rodata->stack_high_offset = options->stack_high_offset;
	skeleton->rodata->labels_offset = options->labels_offset;
	skeleton->rodata->has_g = options->has_g;
	skeleton->rodata->rate = options->rate;
	skeleton->rodata->with_returns = options->returns;
	skeleton->rodata->conditional = options->conditional;
	skeleton->rodata->hold_ns = options->hold_ns;
	skeleton->rodata->max_told = options->max_told;
	if (options->conditional)
		bpf_map__set_max_entries(skeleton->maps.conditions, TRACE_POINTS);
	if (options->returns)
		bpf_map__set_max_entries(skeleton->maps.begun, CALLS_AT_ONCE);
	bpf_program__set_autoload(skeleton->progs.on_call, !options->hold_ns);
	bpf_program__set_autoload(skeleton->progs.on_call_held, options->hold_ns);
	if (multi)
		uprobes_set_multi(program_of(skeleton, options));
	if (trace_bpf__load(skeleton) == 0)
		return skeleton;
	const int saved = errno;
	trace_bpf__destroy(skeleton);
	errno = saved;
	return NULL;
}

static bool open_skeleton(struct trace_probes *p,
			  const struct trace_probes_options *options)
{
	p->multi = !options->perf_events;
	p->skeleton = p->multi ? load(options, true) : NULL;
	if (p->skeleton && uprobes_has_multi(program_of(p->skeleton, options)))
		return true;
	trace_bpf__destroy(p->skeleton);
	p->multi = false;
	p->skeleton = load(options, false);
	return p->skeleton != NULL;
}

static int take_hit(void *arg, void *data, size_t len)
{
	const struct trace_probes *p = arg;

	return len < sizeof(struct trace_hit) || p->fn(p->arg, data) ? 0 : -ECANCELED;
}

static int take_stop(void *arg, void *data, size_t len)
{
	struct trace_probes *p = arg;

	p->has_stop = len >= sizeof(p->stop);
	if (p->has_stop)
		memcpy(&p->stop, data, sizeof(p->stop));
	return 0;
}

static bool open_rings(struct trace_probes *p)
{
	p->ring =
		ring_buffer__new(bpf_map__fd(p->skeleton->maps.hits), take_hit, p, NULL);
	p->stops = ring_buffer__new(bpf_map__fd(p->skeleton->maps.stops), take_stop, p,
				    NULL);
	return p->ring && p->stops;
}

struct trace_probes *trace_probes_open(const struct trace_probes_options *options,
				       struct err *err)
{
	AUTO(trace_probes_close) struct trace_probes *p = xcalloc(1, sizeof(*p));

	bpf_say_nothing();
	if (!open_skeleton(p, options)) {
		bpf_refused(errno, "6.1", err);
		return NULL;
	}
	p->program = program_of(p->skeleton, options);
	if (!open_rings(p)) {
		bpf_refused(errno, "6.1", err);
		return NULL;
	}
	return TAKE(p);
}

void trace_probes_close(struct trace_probes *p)
{
	if (!p)
		return;
	ring_buffer__free(p->ring);
	ring_buffer__free(p->stops);
	trace_bpf__destroy(p->skeleton);
	xfree(p);
}

bool trace_probes_plan(struct trace_probes *p, uint32_t i, bool returns,
		       const struct trace_plan *plan, struct err *err)
{
	const uint32_t key = i + (returns ? TRACE_POINTS : 0);

	return bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.plans), &key, plan,
				   BPF_ANY) == 0 ||
	       err_sys(err, "cannot tell the kernel what to copy");
}

bool trace_probes_judge(struct trace_probes *p, uint32_t i,
			const struct trace_conditions *conditions, struct err *err)
{
	return bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.conditions), &i,
				   conditions, BPF_ANY) == 0 ||
	       err_sys(err, "cannot tell the kernel which calls are meant");
}

struct uprobe_links *trace_probes_attach(struct trace_probes *p, int file,
					 const struct trace_place *places, size_t n,
					 struct err *err)
{
	AUTO(xfree) uint64_t *offsets = xcalloc(n, sizeof(*offsets));
	AUTO(xfree) uint64_t *cookies = xcalloc(n, sizeof(*cookies));

	for (size_t i = 0; i < n; i++) {
		offsets[i] = places[i].offset;
		cookies[i] = places[i].function | (uint64_t)places[i].is_return
							  << TRACE_COOKIE_SHIFT;
	}
	return uprobes_attach(p->program, p->multi, file, offsets, cookies, n, err);
}

int trace_probes_fd(const struct trace_probes *p)
{
	return ring_buffer__epoll_fd(p->ring);
}

void trace_probes_read(struct trace_probes *p, trace_hit_fn *fn, void *arg)
{
	p->fn = fn;
	p->arg = arg;
	ring_buffer__consume(p->ring);
	p->fn = NULL;
}

int trace_probes_stops_fd(const struct trace_probes *p)
{
	return ring_buffer__epoll_fd(p->stops);
}

bool trace_probes_next_stop(struct trace_probes *p, struct trace_stop *ret)
{
	p->has_stop = false;
	ring_buffer__consume(p->stops);
	if (p->has_stop)
		*ret = p->stop;
	return p->has_stop;
}

void trace_probes_stop_after(struct trace_probes *p, uint64_t ns)
{
	__atomic_store_n(&p->skeleton->bss->stop_after_ns, ns, __ATOMIC_RELEASE);
}

void trace_probes_release(struct trace_probes *p, const struct trace_stop *stop)
{
	__atomic_store_n(&p->skeleton->bss->stop_released, stop->number,
			 __ATOMIC_RELEASE);
}

bool trace_probes_missed(const struct trace_probes *p, const struct trace_stop *stop)
{
	return __atomic_load_n(&p->skeleton->bss->stop_missed, __ATOMIC_ACQUIRE) ==
	       stop->number;
}

struct trace_counts trace_probes_counts(const struct trace_probes *p)
{
	const struct trace_bpf__bss *bss = p->skeleton->bss;

	return (struct trace_counts){ .met = bss->met,
				      .sent = bss->sent,
				      .lost = bss->lost,
				      .passed = bss->passed,
				      .excluded = bss->excluded,
				      .unstopped = bss->unstopped };
}

struct trace_counts trace_probes_return_counts(const struct trace_probes *p)
{
	const struct trace_bpf__bss *bss = p->skeleton->bss;

	return (struct trace_counts){ .met = bss->returns_met,
				      .sent = bss->returns_sent,
				      .lost = bss->returns_lost,
				      .passed = bss->returns_passed };
}

bool trace_probes_times(const struct trace_probes *p, uint32_t i, struct trace_times *ret)
{
	return bpf_map_lookup_elem(bpf_map__fd(p->skeleton->maps.times), &i, ret) == 0;
}
