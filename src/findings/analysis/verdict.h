/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.h - says what is known of a process in which no finding is a warning: what was checked, what could
 * not be, and what tells most of the process. Finds nothing itself.
 *
 * "No problem found." is said only if whatever a finding depends on is known. Else the answer is that it
 * cannot be told, and why. What has leaked is an exception: its search has limits, and the verdict names
 * it as not checked. */
#ifndef GOSNAP_VERDICT_H
#define GOSNAP_VERDICT_H

#include "src/findings/analysis/second_look.h"
#include "src/findings/findings.h"

struct verdict_lines {
	struct text *list;
	size_t count, cap;
};

/* Owned; verdict_done(). */
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
/* An object, which the caller has named. */
void print_verdict(struct sink *out, const struct verdict *v);

#endif
