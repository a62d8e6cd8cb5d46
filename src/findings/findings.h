/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - the problems of a process: sentences, each with the goroutines and
 * addresses that show it. A healthy process never gets a finding that is a warning or
 * worse: a state that may be normal is reported as information, or not at all. Knows
 * decoded runtimes and the wait graph; prints nothing but its own part of the document.
 * doc/findings.md has the rules. */
#ifndef GOSNAP_FINDINGS_H
#define GOSNAP_FINDINGS_H

#include "src/analysis/wait_graph.h"
#include "src/fingerprint/fingerprint.h"
#include "src/viewer/terminal/text.h"

struct sink;

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_CRITICAL };

enum { FINDING_GOROUTINES = 100, FINDING_ADDRESSES = 8 };

struct finding {
	const char *kind; /* borrowed */
	enum severity severity;
	/* place of its kind in findings.def: of equal severity, lower is first */
	unsigned rank;
	struct text text;   /* a sentence or more */
	const char *advice; /* what to look at or try; borrowed */
	/* goroutines that do not go on because of it */
	uint64_t affected;
	uint64_t goroutines[FINDING_GOROUTINES]; /* ids of goroutines that show it */
	size_t goroutine_count;
	uint64_t addresses[FINDING_ADDRESSES];
	size_t address_count;
	struct places places; /* of its goroutines, for the fingerprint */
	/* How long its goroutines were seen to stay where they are, if nothing else shows
	 * so long a wait. 0: the finding does not depend on that. */
	uint64_t observed_ns;
};

/* The times at which goroutines began to wait, as far as the runtime or a lock has noted
 * them. */
struct wait_times;

/* Borrowed. */
struct findings_about {
	struct runtimes *all;
	const struct groups *groups;
	const struct wait_graph *waits;
	const struct sockets *sockets;	     /* whose ends may be reported; NULL: none */
	uint64_t now_ns, now_realtime_ns;    /* CLOCK_MONOTONIC, CLOCK_REALTIME */
	const struct leaks *leaks;	     /* NULL: not known */
	const struct fault *fault;	     /* NULL: none */
	const struct target_thread *threads; /* as the goroutines number them */
	size_t thread_count;
	const struct wait_times *times; /* wait_times_new() of the other members */
	/* By goroutine: how long it was seen to stay where it is; 0: it was not. NULL: no
	 * goroutine was. */
	const uint64_t *stayed_ns;
	/* By goroutine, set to 1 if a finding depends on how long it waits and that is
	 * not known. NULL: the caller does not ask. */
	uint8_t *wanted;
	bool hosts_told; /* names of peers may be reported */
	/* all memory that code refers to could be read, not only stacks */
	bool has_memory;
};

struct findings {
	struct finding **list; /* worst first */
	size_t count, cap;
	bool is_partial;	 /* a rule had too much to look at, and left some out */
	struct text unexplained; /* a long wait whose cause is not known; empty: none */
};

struct wait_times *wait_times_new(const struct findings_about *about);
void wait_times_free(struct wait_times *times);
DEFINE_AUTO(struct wait_times, wait_times_free)

void findings_free(struct findings *findings);
/* Prints an array, which the caller has named. */
void print_findings(struct sink *out, const struct findings *findings);

#endif
