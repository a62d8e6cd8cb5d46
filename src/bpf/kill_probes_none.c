/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instead of kill_probes.c, in a build without libbpf. None but the first is ever called. */
#include "src/bpf/kill_probes.h"

#include <stdlib.h>

#include "src/bpf/ability.h"

struct kill_probes *kill_probes_open(const struct kill_probes_options *options,
				     struct err *err)
{
	(void)options;
	bpf_not_built(err);
	return NULL;
}

void kill_probes_close(struct kill_probes *probes)
{
	if (probes)
		abort();
}

void kill_probes_set(struct kill_probes *probes, const struct kill_settings *settings)
{
	(void)probes, (void)settings;
	abort();
}

void kill_probes_remove_pid(struct kill_probes *probes, pid_t pid)
{
	(void)probes, (void)pid;
	abort();
}

bool kill_probes_add_pid(struct kill_probes *probes, pid_t pid, struct err *err)
{
	(void)probes, (void)pid, (void)err;
	abort();
}

bool kill_probes_add(struct kill_probes *probes, int file,
		     const struct kill_program *program, struct err *err)
{
	(void)probes, (void)file, (void)program, (void)err;
	abort();
}

void kill_probes_remove(struct kill_probes *probes, int file)
{
	(void)probes, (void)file;
	abort();
}

int kill_probes_fd(const struct kill_probes *probes)
{
	(void)probes;
	abort();
}

void kill_probes_read(struct kill_probes *probes, kill_record_fn *fn, void *arg)
{
	(void)probes, (void)fn, (void)arg;
	abort();
}

uint64_t kill_probes_lost(const struct kill_probes *probes)
{
	(void)probes;
	abort();
}
