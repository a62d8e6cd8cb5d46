/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h - all that is found out of what was captured: who waits for whom, which
 * goroutines have leaked, and what is wrong; and its part of the document. Knows the
 * table of findings, and what each of them needs. */
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
	bool rehearsal;	 /* the process runs: only to read what will be needed */
	bool no_sockets; /* their ends are not told */
	bool thoroughly; /* leaks are looked for in a large heap, too */
	/* If a finding depends on how long goroutines wait, and that is not known, they are looked at
	 * again for so long; 0: they are not. */
	uint64_t look_again_ns;
	struct earlier_looks
		*earlier; /* of the series that this one belongs to; NULL: none */
};

/* After runtimes_decode(), while memory can be read. err, if not ERR_NONE then: why it is not
 * known what has leaked. */
void analysis_make(struct analysis *ret, const struct analysis_of *of, struct err *err);
void analysis_done(struct analysis *a);
/* Members of the document; none if it was not made. */
void analysis_print(struct sink *out, const struct analysis *a);

#endif
