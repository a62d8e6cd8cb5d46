/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instead of trace_probes.c, in a build without libbpf. None but the first is ever called. */
#include "src/bpf/trace_probes.h"

#include <stdlib.h>

#include "src/bpf/ability.h"

struct trace_probes *trace_probes_open(const struct trace_probes_options *options,
				       struct err *err)
{
	(void)options;
	bpf_not_built(err);
	return NULL;
}

void trace_probes_close(struct trace_probes *probes)
{
	if (probes)
		abort();
}

bool trace_probes_plan(struct trace_probes *probes, uint32_t i, bool returns,
		       const struct trace_plan *plan, struct err *err)
{
	(void)probes, (void)i, (void)returns, (void)plan, (void)err;
	abort();
}

bool trace_probes_judge(struct trace_probes *probes, uint32_t i,
			const struct trace_conditions *conditions, struct err *err)
{
	(void)probes, (void)i, (void)conditions, (void)err;
	abort();
}

struct uprobe_links *trace_probes_attach(struct trace_probes *probes, int file,
					 const struct trace_place *places, size_t n,
					 struct err *err)
{
	(void)probes, (void)file, (void)places, (void)n, (void)err;
	abort();
}

int trace_probes_fd(const struct trace_probes *probes)
{
	(void)probes;
	abort();
}

void trace_probes_read(struct trace_probes *probes, trace_hit_fn *fn, void *arg)
{
	(void)probes, (void)fn, (void)arg;
	abort();
}

int trace_probes_stops_fd(const struct trace_probes *probes)
{
	(void)probes;
	abort();
}

bool trace_probes_next_stop(struct trace_probes *probes, struct trace_stop *ret)
{
	(void)probes, (void)ret;
	abort();
}

void trace_probes_stop_after(struct trace_probes *probes, uint64_t ns)
{
	(void)probes, (void)ns;
	abort();
}

void trace_probes_release(struct trace_probes *probes, const struct trace_stop *stop)
{
	(void)probes, (void)stop;
	abort();
}

bool trace_probes_missed(const struct trace_probes *probes, const struct trace_stop *stop)
{
	(void)probes, (void)stop;
	abort();
}

struct trace_counts trace_probes_counts(const struct trace_probes *probes)
{
	(void)probes;
	abort();
}

struct trace_counts trace_probes_return_counts(const struct trace_probes *probes)
{
	(void)probes;
	abort();
}

bool trace_probes_times(const struct trace_probes *probes, uint32_t i,
			struct trace_times *ret)
{
	(void)probes, (void)i, (void)ret;
	abort();
}
