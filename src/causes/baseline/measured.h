/* SPDX-License-Identifier: Apache-2.0 */
/* measured.h - how a program is at one moment, as its document says: how many goroutines are where and
 * in which states, and what is found. */
#ifndef GOSNAP_MEASURED_H
#define GOSNAP_MEASURED_H

#include "lib/base/table.h"
#include "src/causes/cause.h"

enum {
	MEASURED_STATES = 8,	  /* of a group; others are not told apart */
	MEASURED_GROUPS = 100000, /* of a document */
	MEASURED_ENTRIES = 10000,
	MEASURED_FINDINGS = 1000,
};

struct measured_group {
	char fingerprint[FINGERPRINT_TEXT];
	char *place; /* "chan send in main.f" */
	uint64_t count;
	uint64_t waiting; /* of them */
	struct state {
		char *name; /* of a goroutine: "chan send", "running" */
		uint64_t count;
	} states[MEASURED_STATES];
	size_t state_count;
};

/* Goroutines that began in one function, wherever they are. */
struct measured_entry {
	char *function;
	uint64_t count;
	uint64_t oldest; /* the least of their ids */
};

struct measured_finding {
	char fingerprint[FINGERPRINT_TEXT];
	char *kind, *severity, *text;
};

struct quantity {
	bool known;
	uint64_t value;
};

struct measured {
	struct identity identity;
	char *executable; /* its name without folders; NULL: not known */
	char *process;	  /* tells it from others on its machine; NULL: not known */
	char *fault;	  /* in a sentence; NULL: none */
	struct quantity goroutines, threads, heap_inuse_bytes;
	struct measured_group *groups; /* not those of the runtime */
	size_t group_count, group_cap;
	struct measured_entry *entries;
	size_t entry_count, entry_cap;
	struct measured_finding *findings;
	size_t finding_count, finding_cap;
	/* Private: */
	struct table by_fingerprint, by_id; /* 1 + index in groups */
	struct table by_entry;		    /* 1 + index in entries */
};

/* Zero ret; to be freed with measured_done(). False: the document cannot be read to its end. */
struct reader;
MUST_CHECK bool measured_read(struct reader *reader, struct measured *ret,
			      struct err *err);
void measured_done(struct measured *m);

/* Any goroutine that began there. */
bool measured_has_entry(const struct measured *m, const char *function);

#endif
