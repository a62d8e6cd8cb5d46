/* SPDX-License-Identifier: Apache-2.0 */
/* filter_priv.h - what a filter is made of, for the files that add to it, ask it, and say what it did. */
#ifndef GOSNAP_FILTER_PRIV_H
#define GOSNAP_FILTER_PRIV_H

#include "src/viewer/filter/expression.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/filter/subject.h"

/* All have to hold. */
struct conjunct {
	struct expression *wanted;   /* NULL: everything is */
	struct expression *unwanted; /* NULL: nothing is */
	uint64_t asked, passed;	     /* goroutines */
};

/* As the user gave it. */
struct given {
	size_t conjunct;
	bool negated;
	const char *name;
	char *words;
};

struct filter {
	struct conjunct *conjuncts;
	size_t count, cap;
	size_t of_kind[FILTER_KINDS]; /* 1 + index; 0: none of this kind */
	struct given *given;
	size_t given_count, given_cap;
	/* For the model: */
	struct subject subject;
	size_t *order;		/* of the conjuncts, by cost */
	uint64_t *group_frames; /* which conditions on frames hold, by group, */
	bool *group_known;	/* and whether that is known */
};

size_t filter_add_conjunct(struct filter *filter);
void filter_note_given(struct filter *filter, size_t conjunct, bool negated,
		       const char *name, char *words);
/* "id in (...)" of the conjunct, if it is nothing else; or NULL. */
struct expression *conjunct_ids(const struct conjunct *c);

#endif
