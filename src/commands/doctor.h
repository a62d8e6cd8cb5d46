/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h - can a process be captured, how, and what would make it better? Prints nothing. */
#ifndef GOSNAP_DOCTOR_H
#define GOSNAP_DOCTOR_H

#include "lib/ptrace/plan.h"

enum doctor_level {
	DOCTOR_FINE,
	DOCTOR_DOUBTFUL, /* there will be a snapshot, but not the best one */
	DOCTOR_BLOCKED,	 /* there will be none */
};

struct doctor_finding {
	const char *check; /* "access", "go", "seccomp"; static */
	enum doctor_level level;
	char *text; /* a sentence without a full stop; names in it are anybody's words */
	char *mend; /* what to do about it; NULL: nothing, or nothing that we know */
};

enum { DOCTOR_LEFTOVERS = 16 };

struct doctor {
	pid_t pid; /* 0: this machine and ourselves alone */
	struct conditions conditions;
	enum err_code
		refused;     /* why there will be no snapshot; ERR_NONE: there will be */
	struct plan plan;    /* of a process, where it is not refused */
	char *go, *layout;   /* of its first runtime; NULL: it is not Go, or not known */
	uint64_t goroutines; /* about */
	struct doctor_finding *findings;
	size_t finding_count, finding_cap;
	pid_t leftovers[DOCTOR_LEFTOVERS]; /* conditions_leftovers() */
	size_t leftover_count;
};

/* Looks only: the process is not stopped and nothing is changed. NULL: there is no such
 * process (ERR_NOT_FOUND). */
struct doctor *doctor_examine(pid_t pid, struct err *err);
void doctor_free(struct doctor *d);
DEFINE_AUTO(struct doctor, doctor_free)

/* Has the process take note of its leftovers, for which a thread of it that sleeps is borrowed
 * for a moment. ERR_CANNOT: what stands against a copy stands against that. */
MUST_CHECK bool doctor_clear(struct doctor *d, struct err *err);

size_t doctor_count(const struct doctor *d, enum doctor_level level);

#endif
