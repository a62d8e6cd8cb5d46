/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.h - summarizes a process in which no finding is a warning: what was checked,
 * what could not be checked, and the most informative facts. Makes no findings itself.
 *
 * Reports "No problem found." only if everything that a finding depends on is known.
 * Otherwise it reports that gosnap cannot tell, and why. Leaks are an exception: the
 * search for them has limits, and the verdict lists them as not checked. */
#ifndef GOSNAP_VERDICT_H
#define GOSNAP_VERDICT_H

#include "src/findings/analysis/second_look.h"
#include "src/findings/findings.h"

struct verdict_lines {
	struct text *list;
	size_t count, cap;
};

/* Release it with verdict_done(). */
struct verdict {
	bool is_given;	 /* no fault, and no finding is a warning or worse */
	bool is_unknown; /* something that findings depend on is not known */
	struct text text, checked, next;
	struct verdict_lines not_checked, facts;
};

/* Borrowed. */
struct verdict_of {
	const struct capture *capture;
	const struct findings_about *about;
	const struct findings *findings;
	const struct err *leaks; /* ERR_NONE: they were looked for */
	/* Goroutines for which a finding depends on how long they wait, and that is not known. */
	uint64_t without_age;
	const struct second_look *look;
};

void verdict_find(struct verdict *ret, const struct verdict_of *of);
void verdict_done(struct verdict *v);
/* Prints an object, which the caller has named. */
void print_verdict(struct sink *out, const struct verdict *v);

#endif
