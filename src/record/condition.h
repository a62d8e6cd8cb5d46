/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - "goroutines>1000 && rss>2G": what a process has to come to. Numbers only. */
#ifndef GOSNAP_CONDITION_H
#define GOSNAP_CONDITION_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

enum quantity {
	QUANTITY_GOROUTINES,
	QUANTITY_THREADS,
	QUANTITY_RSS,	/* bytes */
	QUANTITY_CPU,	/* percent of one processor */
	QUANTITY_FILES, /* open ones */
	QUANTITY_IDLE,	/* ns since it last used more than 1 % of a processor */
	QUANTITIES
};

enum { CONDITION_TERMS = 8 };

struct condition {
	const char *text; /* borrowed */
	size_t count;	  /* of terms, all of which have to hold */
	struct term {
		enum quantity quantity;
		bool below, equal;
		uint64_t limit;
	} terms[CONDITION_TERMS];
};

/* ERR_USAGE: says what is wrong, and where. */
MUST_CHECK bool condition_read(const char *text, struct condition *ret, struct err *err);
bool condition_has(const struct condition *condition, enum quantity quantity);
/* Does the i-th term hold? */
bool condition_holds(const struct condition *condition, size_t i, uint64_t value);
/* As documents have it: "rss_bytes". */
const char *quantity_name(enum quantity quantity);

#endif
