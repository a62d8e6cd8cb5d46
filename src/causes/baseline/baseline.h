/* SPDX-License-Identifier: Apache-2.0 */
/* baseline.h - what is normal for a program: what its documents had, from least to most. A baseline is
 * a JSON object, which gosnap-baseline(1) describes. The main header of src/causes/baseline; knows
 * documents that were measured, and neither files nor processes. */
#ifndef GOSNAP_BASELINE_H
#define GOSNAP_BASELINE_H

#include "src/causes/baseline/measured.h"

struct sink;

enum {
	BASELINE_GROUPS = 4096,	 /* those seen least are dropped */
	BASELINE_ENTRIES = 1024, /* likewise */
	BASELINE_FINDINGS = 256,
	BASELINE_BYTES = 16 << 20,
};

struct range {
	bool known;
	uint64_t least, most;
};

struct baseline_group {
	char fingerprint[FINGERPRINT_TEXT];
	char *place;
	uint64_t documents;   /* that had it */
	uint64_t least, most; /* where it was */
	char *states[MEASURED_STATES];
	size_t state_count;
};

struct baseline_entry {
	char *function;
	uint64_t documents; /* that had it */
	uint64_t oldest;    /* in the last of them, the least id */
	uint64_t lasted;    /* how often that was the same as before, in one process */
	uint64_t least, most;
};

struct baseline_finding {
	char fingerprint[FINGERPRINT_TEXT];
	char *kind, *text;
	uint64_t documents;
};

struct baseline {
	char *program, *executable, *version, *go; /* the last two of the last document */
	char *first, *last;			   /* times */
	char *process;				   /* of the last document */
	uint64_t documents;
	struct range goroutines, threads, heap_inuse_bytes;
	struct baseline_group *groups;
	size_t group_count, group_cap;
	struct baseline_entry *entries;
	size_t entry_count, entry_cap;
	struct baseline_finding *findings;
	size_t finding_count, finding_cap;
	struct table by_fingerprint; /* 1 + index in groups */
	struct table by_entry;	     /* 1 + index in entries */
};

/* The name of its file, from what the program is. */
void baseline_key(const char *program, const char *executable,
		  char ret[static FINGERPRINT_TEXT]);

/* Zero ret; to be freed with baseline_done(). False: the text is no baseline, or of a later version. */
MUST_CHECK bool baseline_parse(const char *text, size_t len, struct baseline *ret,
			       struct err *err);
void baseline_add(struct baseline *b, const struct measured *m);
void baseline_write(struct sink *out, const struct baseline *b);
void baseline_done(struct baseline *b);

const struct baseline_group *baseline_find(const struct baseline *b,
					   const char *fingerprint);

#endif
