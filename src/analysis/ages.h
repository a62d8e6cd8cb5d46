/* SPDX-License-Identifier: Apache-2.0 */
/* ages.h - bound when goroutines began to wait, by the collections that are known. Knows
 * times only.
 *
 * The runtime does not note when a goroutine begins to wait. Marking does: a goroutine that
 * waits and has no g.waitsince gets work.tstart, which is the start of the mark termination
 * of the collection before (runtime/mgcmark.go markroot, mgc.go gcMark; 1.15 to 1.27). The
 * goroutine keeps that time until it runs. So a goroutine with the time of collection N was
 * met by the marking of N + 1, and had begun to wait when the mark termination of N + 1, or
 * of any later collection, began. */
#ifndef GOSNAP_AGES_H
#define GOSNAP_AGES_H

#include "lib/base/table.h"

struct age_marks {
	struct age_mark *list; /* private */
	size_t count, cap;
};

/* All times are of CLOCK_MONOTONIC, in nanoseconds. Begins as all zero. */
struct ages {
	struct table known;
	uint64_t last; /* added */
	struct age_marks exact, noted;
};

/* Adds the waitsince of a goroutine, not 0: there was a collection. In any order. */
void ages_add_waitsince(struct ages *ages, uint64_t since);
/* Adds a collection whose mark termination began at begin or later, and ended at end. The times
 * were noted in CLOCK_REALTIME, and are wrong if that clock was set since then. begin
 * UINT64_MAX: no waitsince is of that collection, as no marking has begun after it. */
void ages_add_collection(struct ages *ages, uint64_t begin, uint64_t end);
/* Prepares ages_began(), when all have been added. */
void ages_sort(struct ages *ages);
/* Returns the latest time at which a goroutine with this waitsince, not 0, can have begun to
 * wait, which is not before since; UINT64_MAX: not known. */
uint64_t ages_began(const struct ages *ages, uint64_t since);
void ages_done(struct ages *ages);

#endif
