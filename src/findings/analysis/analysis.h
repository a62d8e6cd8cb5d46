/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h - analyses a capture: makes the wait graph, looks for goroutines that have
 * leaked and for problems, and prints its part of the document. Knows the table of
 * findings, and the input that each of them needs. */
#ifndef GOSNAP_ANALYSIS_H
#define GOSNAP_ANALYSIS_H

#include "src/capture/capture.h"
#include "src/findings/analysis/second_look.h"
#include "src/findings/analysis/verdict.h"
#include "src/findings/findings.h"

struct analysis {
	bool is_made;
	struct wait_graph waits;
	struct findings findings;
	struct second_look second_look; /* .ns NULL: none was taken */
	struct verdict verdict;
};

/* Borrowed. */
struct analysis_of {
	const struct capture *capture;
	const struct groups *groups;
	const struct fault *fault; /* NULL: none */
	bool rehearsal;	 /* the process runs; only reads the memory that will be needed */
	bool no_sockets; /* their ends are not reported */
	bool thoroughly; /* looks for leaks in a large heap, too */
	/* How long goroutines are looked at again if a finding depends on how long they
	 * wait and that is not known; 0: they are not looked at again. */
	uint64_t look_again_ns;
	struct earlier_looks *earlier; /* of the series of this snapshot; NULL: none */
};

/* Makes the analysis. Call it after runtimes_decode(), while memory can be read. If leaks
 * cannot be looked for, err says why; else it is ERR_NONE. */
void analysis_make(struct analysis *ret, const struct analysis_of *of, struct err *err);
void analysis_done(struct analysis *a);
/* Prints members of the document; none if the analysis was not made. */
void analysis_print(struct sink *out, const struct analysis *a);

#endif
