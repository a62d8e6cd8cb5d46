/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trace_probes.h - a program in the kernel that reports calls of functions, with what it copied of each.
 * Knows the kernel's side of probes, files and offsets; nothing of Go, and nothing of what the copies
 * mean. */
#ifndef GOSNAP_TRACE_PROBES_H
#define GOSNAP_TRACE_PROBES_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "src/bpf/trace.h"
#include "src/bpf/uprobe_links.h"

struct trace_probes;

struct trace_probes_options {
	pid_t pid;						   /* 0: all */
	uint32_t goid_offset, stack_low_offset, stack_high_offset; /* in a g */
	uint32_t labels_offset;					   /* 0: none are told */
	bool has_g;	   /* functions have it in r14 */
	uint64_t rate;	   /* of hits, a second; 0: all */
	bool returns;	   /* there will be probes where functions return */
	bool conditional;  /* only calls that fulfill trace_probes_judge() are told */
	uint64_t hold_ns;  /* how long a thread is kept at a stop; 0: there are none */
	uint64_t max_told; /* calls beyond are no stops; 0: all can be */
	bool perf_events; /* as kernels before 6.6 attach, even if this one can do better */
};

/* NULL: err says in one sentence why the kernel does not permit it, or that this gosnap was built without
 * it. */
struct trace_probes *trace_probes_open(const struct trace_probes_options *options,
				       struct err *err);
void trace_probes_close(struct trace_probes *probes);
DEFINE_AUTO(struct trace_probes, trace_probes_close)

/* Of calls of function i, or of its returns, before it is attached. */
MUST_CHECK bool trace_probes_plan(struct trace_probes *probes, uint32_t i, bool returns,
				  const struct trace_plan *plan, struct err *err);
MUST_CHECK bool trace_probes_judge(struct trace_probes *probes, uint32_t i,
				   const struct trace_conditions *conditions,
				   struct err *err);
struct trace_place {
	uint64_t offset; /* in the file */
	uint32_t function;
	uint32_t is_return; /* which of the function's, from 1 on; 0: it is a call */
};
/* In the file with this descriptor. NULL: err. */
struct uprobe_links *trace_probes_attach(struct trace_probes *probes, int file,
					 const struct trace_place *places, size_t n,
					 struct err *err);

/* Readable when there are hits. Borrowed. */
int trace_probes_fd(const struct trace_probes *probes);
/* Takes hits until fn() returns false, or there are no more. */
typedef bool trace_hit_fn(void *arg, const struct trace_hit *hit);
void trace_probes_read(struct trace_probes *probes, trace_hit_fn *fn, void *arg);

/* Stops, if there can be some: the first call is one, and its thread is kept until it is released. The next is
 * the first call after a time (monotonic), which has to be set each time. */
int trace_probes_stops_fd(const struct trace_probes *probes);
bool trace_probes_next_stop(struct trace_probes *probes, struct trace_stop *ret);
void trace_probes_stop_after(struct trace_probes *probes, uint64_t ns);
/* Also in forks of ours that have closed all descriptors. */
void trace_probes_release(struct trace_probes *probes, const struct trace_stop *stop);
/* Did its thread go on by itself? */
bool trace_probes_missed(const struct trace_probes *probes,
			 const struct trace_stop *stop);

struct trace_counts {
	/* All; those told; for which there was no room; beyond the rate; not meant; told, and no stop. */
	uint64_t met, sent, lost, passed, excluded, unstopped;
};
struct trace_counts trace_probes_counts(const struct trace_probes *probes);
struct trace_counts trace_probes_return_counts(const struct trace_probes *probes);
/* Of function i. False: not known. */
bool trace_probes_times(const struct trace_probes *probes, uint32_t i,
			struct trace_times *ret);

#endif
