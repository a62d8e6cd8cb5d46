/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kill_probes.h - programs in the kernel that copy goroutines and stacks of processes that were killed, when
 * nothing can be stopped any more: as their threads exit. They do so within bounds of time and memory, and
 * count what they left out. Knows the kernel's side; where a program has what is told to it. */
#ifndef GOSNAP_KILL_PROBES_H
#define GOSNAP_KILL_PROBES_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/bpf/kill.h"

struct kill_probes;

struct kill_probes_options {
	struct kill_settings settings;
	uint64_t budget_ns;    /* of the kernel's time, for one process */
	uint32_t budget_bytes; /* for what was not read yet: a power of two */
};

/* NULL: err says why. ERR_UNSUPPORTED: before Linux 6.16, there is nothing left to be copied. */
struct kill_probes *kill_probes_open(const struct kill_probes_options *options,
				     struct err *err);
void kill_probes_close(struct kill_probes *probes); /* NULL is fine */
DEFINE_AUTO(struct kill_probes, kill_probes_close)

/* From now on, at once. */
void kill_probes_set(struct kill_probes *probes, const struct kill_settings *settings);

MUST_CHECK bool kill_probes_add_pid(struct kill_probes *probes, pid_t pid,
				    struct err *err);
void kill_probes_remove_pid(struct kill_probes *probes, pid_t pid);
/* Processes that run the file with this descriptor. */
MUST_CHECK bool kill_probes_add(struct kill_probes *probes, int file,
				const struct kill_program *program, struct err *err);
/* No longer. */
void kill_probes_remove(struct kill_probes *probes, int file);

/* Readable when there is something. Borrowed. */
int kill_probes_fd(const struct kill_probes *probes);
/* Takes what there is: a struct kill_memory, kill_thread or kill_end, complete. */
typedef void kill_record_fn(void *arg, const struct kill_record *record, size_t len);
void kill_probes_read(struct kill_probes *probes, kill_record_fn *fn, void *arg);

/* Threads and processes for which there was no room. */
uint64_t kill_probes_lost(const struct kill_probes *probes);

#endif
