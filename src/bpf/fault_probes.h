/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* fault_probes.h - programs in the kernel that tell when a Go process begins to die, recovers from a panic or
 * calls a function, and keep the thread where it is until it is released, for a bounded time; or stop the process.
 * The main header of src/bpf. Knows the kernel's
 * side of probes, files and offsets; nothing of Go, and nothing of what is done with a process. */
#ifndef GOSNAP_FAULT_PROBES_H
#define GOSNAP_FAULT_PROBES_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/bpf/fault.h"
#include "src/bpf/uprobe_links.h"

struct fault_probes;

struct fault_probes_options {
	struct fault_settings settings;
	enum fault_hold hold_by;
	bool perf_events; /* as kernels before 6.6 attach, even if this one can do better */
};

/* NULL: err says in one sentence why the kernel does not permit it, or that this gosnap was built without
 * it. */
struct fault_probes *fault_probes_open(const struct fault_probes_options *options,
				       struct err *err);
void fault_probes_close(struct fault_probes *probes);
DEFINE_AUTO(struct fault_probes, fault_probes_close)

/* From now on, at once. */
void fault_probes_set(struct fault_probes *probes, const struct fault_settings *settings);

MUST_CHECK bool fault_probes_add_pid(struct fault_probes *probes, pid_t pid,
				     struct err *err);
void fault_probes_remove_pid(struct fault_probes *probes, pid_t pid);

struct fault_point {
	uint64_t offset; /* in the file */
	enum fault_hook hook;
	bool stack_arguments;
	uint8_t function; /* of FAULT_HOOK_FUNCTION: what events of it have */
	uint8_t panic_offset, recovered_offset; /* of FAULT_HOOK_RECOVER */
};
/* In all processes that run the file with this descriptor, now and later, until the links are closed. program:
 * a number of its own; where it has several links, what happens is told once. NULL: err. */
struct uprobe_links *fault_probes_attach(struct fault_probes *probes, int file,
					 uint32_t program,
					 const struct fault_point *points, size_t n,
					 struct err *err);

/* Readable when there are events. Borrowed. */
int fault_probes_fd(const struct fault_probes *probes);
struct fault_handlers {
	void (*fault)(void *arg, const struct fault_event *event);
	void (*exec)(void *arg, pid_t pid);
	void *arg;
};
/* Takes the events that there are. */
void fault_probes_read(struct fault_probes *probes,
		       const struct fault_handlers *handlers);

/* NULL: threads are kept in the kernel. Borrowed; also in forks of ours, by all of whom it is shared. */
struct fault_stops *fault_probes_stops(const struct fault_probes *probes);
/* As the settings in force have it. */
uint64_t fault_probes_hold_ns(const struct fault_probes *probes);

/* The thread of the event, which is kept in the kernel, goes on. Also in forks of ours that have closed all descriptors. */
void fault_probes_release(struct fault_probes *probes, const struct fault_event *event);

struct fault_counts {
	uint64_t faults, lost,
		late; /* all; for which there was no room; not released in time */
};
struct fault_counts fault_probes_counts(const struct fault_probes *probes);

#endif
