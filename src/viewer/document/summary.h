/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - what the goroutines that pass a filter have in common, by group. The main
 * header of src/viewer/document, which knows what of
 * rows and nodes people want to be told, and turns it into words. Prints nothing. The model
 * must outlive it. */
#ifndef GOSNAP_SUMMARY_H
#define GOSNAP_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/table.h"
#include "lib/base/util.h"
#include "src/viewer/document/findings.h"
#include "src/viewer/document/waiters.h"
#include "src/viewer/document/order.h"
#include "src/viewer/model/model.h"

struct filter;
struct reader_node;
struct text;

enum {
	SUMMARY_STATES = 64, /* distinct ones; Go has some forty wait reasons */
	SUMMARY_GROUP_STATES = 4,
	SUMMARY_WARNINGS = 1000,
	SUMMARY_THREADS = 8, /* ids kept of threads in C */
	SUMMARY_IDS = 8,     /* ids kept per group */
};

/* Number of goroutines in a state, and for how long; state 0 counts those for which there
 * was no room. */
struct summary_tally {
	size_t state;
	uint64_t count;
	uint64_t timed; /* those whose wait start the runtime recorded */
	int64_t shortest_ns, longest_ns;
};

/* Text that all of a group share. */
struct summary_shared {
	char *words; /* NULL: the first goroutine has none */
	bool differ;
};

/* Where goroutines were created. */
struct summary_creator {
	model_text function, file;
	uint32_t line;
};

struct summary_group {
	uint32_t row;	    /* of the model */
	uint64_t size;	    /* according to the document */
	uint64_t stacks;    /* that are similar, with goroutines here */
	bool *lines_differ; /* by frame of the first of them; NULL: in none */
	bool met;	    /* one of its goroutines has been added */
	/* From here on, only goroutines that pass the filter. */
	uint64_t goroutines, system, locked;
	int64_t ids[SUMMARY_IDS]; /* the first ones */
	struct summary_tally tallies[SUMMARY_GROUP_STATES];
	size_t tally_count;
	struct summary_creator creator;
	char *created_by;	/* "main.main at /src/main.go:30"; NULL: unknown */
	bool created_elsewhere; /* some were created elsewhere */
	int64_t parent;		/* -1: unknown; see parents_differ */
	bool parents_differ;
	struct summary_shared waits_for, labels, panic; /* see details.h */
	model_text labels_number;
	uint64_t waits_addr; /* 0: not an object in memory */
	uint64_t broken;     /* with incomplete stacks */
	char *broken_why;
};

struct summary {
	struct model *model;		     /* borrowed */
	struct model_heads heads;	     /* the model's */
	const struct reader_node **warnings; /* references */
	size_t warning_count;
	size_t warnings_left_out;

	struct filter *filter;	 /* borrowed */
	const uint32_t *similar; /* borrowed; NULL: each group is one of its own */
	bool part;		 /* not all goroutines of the document */
	size_t all_goroutines;
	/* From here on, only goroutines that pass the filter. */
	uint32_t *rows; /* of the model */
	size_t goroutines;
	uint64_t system, shown_groups;
	struct summary_tally user_tallies[SUMMARY_STATES];
	char *states[SUMMARY_STATES]; /* "chan send"; [0] is "other" */
	size_t state_count;

	/* One for each of the model; of a part, those that it has. */
	struct summary_group *groups;
	size_t group_count, group_cap;
	const struct summary *whole; /* of a part */
	struct table places;	     /* of a part's groups plus one, by row */
	struct order order;
	struct waiters waiters;
	struct shown_findings findings;
	char *goroot; /* see stack_goroot(); NULL: unknown */

	uint64_t threads, threads_in_go, threads_in_c;
	int64_t thread_in_c[SUMMARY_THREADS];
};

/* Of those that pass the filter. Model, filter and similar (see sections.h) are borrowed for the
 * lifetime of the summary. */
void summary_init(struct summary *summary, struct model *m, struct filter *filter,
		  const uint32_t *similar);
/* Of some of these. */
void summary_init_part(struct summary *part, const struct summary *whole,
		       const uint32_t *rows, size_t count);
void summary_done(struct summary *summary);

/* Index of the frame that the fault is in, if that is a frame of this thread, or of a goroutine of
 * this group; else -1. */
int64_t summary_fault_in_thread(const struct summary *summary,
				const struct reader_node *thread);
int64_t summary_fault_in_group(const struct summary *summary,
			       const struct reader_node *group);
/* Number of goroutines to show. Of the whole, the document's own count: it may be
 * truncated after its groups. */
uint64_t summary_group_shown(const struct summary *summary,
			     const struct summary_group *group);
/* All its goroutines are the runtime's own. */
bool summary_is_system(const struct summary_group *group);
/* "11 min to 12 min"; nothing if no time is known. */
void summary_add_times(struct text *text, const struct summary_tally *tally);
/* A goroutine's state in a word or two: its wait reason if it waits. */
const char *summary_state_words(const struct reader_node *goroutine);

#endif
