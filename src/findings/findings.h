/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what is wrong with the process, in sentences, each with what shows it. A
 * finding that is a warning or worse is never of a process that is well: what may be
 * normal is not told, or as information. Knows decoded runtimes and who waits for whom;
 * prints nothing but its own part of the document. doc/findings.md has the rules. */
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
	unsigned
		rank; /* of its kind, in findings.def: of equal severity, lower is first */
	struct text text;			 /* a sentence or more */
	const char *advice;			 /* what to look at or try; borrowed */
	uint64_t affected;			 /* goroutines that do not go on for it */
	uint64_t goroutines[FINDING_GOROUTINES]; /* ids, of those that show it */
	size_t goroutine_count;
	uint64_t addresses[FINDING_ADDRESSES];
	size_t address_count;
	struct places places; /* of its goroutines, for the fingerprint */
	/* So long its goroutines were seen to stay where they are: nothing else says since when. 0: the
	 * finding does not depend on that. */
	uint64_t observed_ns;
};

/* Since when goroutines wait, as far as the runtime or a lock has noted it. */
struct wait_times;

/* Borrowed. */
struct findings_about {
	struct runtimes *all;
	const struct groups *groups;
	const struct wait_graph *waits;
	const struct sockets *sockets;	     /* whose ends may be told; NULL: none */
	uint64_t now_ns, now_realtime_ns;    /* CLOCK_MONOTONIC, CLOCK_REALTIME */
	const struct leaks *leaks;	     /* NULL: not known */
	const struct fault *fault;	     /* NULL: none */
	const struct target_thread *threads; /* as the goroutines number them */
	size_t thread_count;
	const struct wait_times *times; /* wait_times_new() of the other members */
	/* By goroutine: so long it was seen to stay where it is; 0: it was not. NULL: of none. */
	const uint64_t *stayed_ns;
	/* By goroutine, set to 1: a finding depends on how long it waits, and that is not known. NULL:
	 * nobody asks. */
	uint8_t *wanted;
	bool hosts_told; /* names of peers may be */
	bool has_memory; /* all that code refers to could be read, not only stacks */
};

struct findings {
	struct finding **list; /* worst first */
	size_t count, cap;
	bool is_partial; /* a rule did not look at all: there was too much */
};

struct wait_times *wait_times_new(const struct findings_about *about);
void wait_times_free(struct wait_times *times);
DEFINE_AUTO(struct wait_times, wait_times_free)

void findings_free(struct findings *findings);
/* An array, which the caller has named. */
void print_findings(struct sink *out, const struct findings *findings);

#endif
