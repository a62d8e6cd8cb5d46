/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instead of fault_probes.c, in a build without libbpf. None but the first is ever called. */
#include "src/bpf/fault_probes.h"

#include <stdlib.h>

#include "src/bpf/ability.h"

struct fault_probes *fault_probes_open(const struct fault_probes_options *options,
				       struct err *err)
{
	(void)options;
	bpf_not_built(err);
	return NULL;
}

void fault_probes_close(struct fault_probes *probes)
{
	if (probes)
		abort();
}

void fault_probes_set(struct fault_probes *probes, const struct fault_settings *settings)
{
	(void)probes, (void)settings;
	abort();
}

bool fault_probes_add_pid(struct fault_probes *probes, pid_t pid, struct err *err)
{
	(void)probes, (void)pid, (void)err;
	abort();
}

void fault_probes_remove_pid(struct fault_probes *probes, pid_t pid)
{
	(void)probes, (void)pid;
	abort();
}

struct uprobe_links *fault_probes_attach(struct fault_probes *probes, int file,
					 uint32_t program,
					 const struct fault_point *points, size_t n,
					 struct err *err)
{
	(void)probes, (void)file, (void)program, (void)points, (void)n, (void)err;
	abort();
}

void uprobe_links_close(struct uprobe_links *links)
{
	if (links)
		abort();
}

int fault_probes_fd(const struct fault_probes *probes)
{
	(void)probes;
	abort();
}

void fault_probes_read(struct fault_probes *probes, const struct fault_handlers *handlers)
{
	(void)probes, (void)handlers;
	abort();
}

struct fault_stops *fault_probes_stops(const struct fault_probes *probes)
{
	(void)probes;
	abort();
}

uint64_t fault_probes_hold_ns(const struct fault_probes *probes)
{
	(void)probes;
	abort();
}

void fault_probes_release(struct fault_probes *probes, const struct fault_event *event)
{
	(void)probes, (void)event;
	abort();
}

struct fault_counts fault_probes_counts(const struct fault_probes *probes)
{
	(void)probes;
	abort();
}
