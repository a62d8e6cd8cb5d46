/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what of a document is not normal, in sentences, worst first. gosnap-baseline(1) has the
 * rules. */
#ifndef GOSNAP_BASELINE_CHECK_H
#define GOSNAP_BASELINE_CHECK_H

#include "src/causes/baseline/baseline.h"

struct page;

struct check_limits {
	uint32_t factor; /* so many times what was most is not normal, */
	uint32_t least;	 /* if it is also so many more */
};

enum {
	CHECK_SURE = 5, /* documents from which on what each had is missed */
	CHECK_HEAP_BYTES = 64 << 20,
};

enum deviation_kind {
	DEVIATION_CRASHED,
	DEVIATION_FINDING,
	DEVIATION_NEW,
	DEVIATION_GROWN,
	DEVIATION_MISSING,
	DEVIATION_GOROUTINES,
	DEVIATION_THREADS,
	DEVIATION_HEAP,
};

struct deviation {
	enum deviation_kind kind;
	const char *fingerprint; /* NULL: of no group or finding; borrowed */
	struct text text;
	uint64_t now, most; /* how many, and how many there were at most */
};

struct deviations {
	struct deviation *list; /* worst first */
	size_t count, cap;
};

/* Borrows from both. */
void check(struct deviations *ret, const struct baseline *normal,
	   const struct measured *now, const struct check_limits *limits);
void check_print(const struct page *page, const struct deviations *all,
		 const struct baseline *normal);
void check_write(struct sink *out, const struct deviations *all,
		 const struct baseline *normal);
void deviations_done(struct deviations *all);

#endif
