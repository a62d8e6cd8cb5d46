/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h - checks whether and how a process can be captured, and what would improve it.
 * Prints nothing. */
#ifndef GOSNAP_DOCTOR_H
#define GOSNAP_DOCTOR_H

#include "lib/ptrace/plan.h"
#include "lib/ptrace/target_live.h"

enum doctor_level {
	DOCTOR_FINE,
	DOCTOR_DOUBTFUL, /* a snapshot is possible, but not the best one */
	DOCTOR_BLOCKED,	 /* no snapshot is possible */
};

struct doctor_finding {
	const char *check; /* "access", "go", "seccomp"; static */
	enum doctor_level level;
	char *text;   /* a sentence without a full stop; names in it are untrusted */
	char *remedy; /* the remedy; NULL: none, or none known */
};

enum { DOCTOR_LEFTOVERS = 16 };

struct doctor {
	pid_t pid; /* 0: only the machine and ourselves */
	struct conditions conditions;
	enum err_code
		refused;     /* why a snapshot is impossible; ERR_NONE: it is possible */
	struct plan plan;    /* for a process that is not refused */
	char *go, *layout;   /* of its first runtime; NULL: not Go, or unknown */
	uint64_t goroutines; /* approximate */
	struct doctor_finding *findings;
	size_t finding_count, finding_cap;
	pid_t leftovers[DOCTOR_LEFTOVERS]; /* conditions_leftovers() */
	size_t leftover_count;
	int leftovers_errno;   /* why they could not be counted; 0: they could */
	struct target *target; /* of a process that is not refused */
};

/* Only reads: the process is neither stopped nor changed. First what the kernel says of it and of the
 * machine; then what is in its program and its memory, in a sandbox or not. NULL: no such process
 * (ERR_NOT_FOUND). */
struct doctor *doctor_begin(pid_t pid, struct err *err);
void doctor_examine(struct doctor *d);
void doctor_free(struct doctor *d);
DEFINE_AUTO(struct doctor, doctor_free)

/* Has the process reap its leftovers, for which a sleeping thread of it is borrowed
 * briefly. ERR_CANNOT: the obstacles to a copy apply here too. */
MUST_CHECK bool doctor_clear(struct doctor *d, struct err *err);

/* For rooms that know more. Takes text and remedy. */
void doctor_add(struct doctor *d, const char *check, enum doctor_level level, char *text,
		char *remedy);

size_t doctor_count(const struct doctor *d, enum doctor_level level);

#endif
