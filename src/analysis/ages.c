/* SPDX-License-Identifier: Apache-2.0 */
#include "src/analysis/ages.h"

#include <stdlib.h>

#include "goruntime/goruntime.h"
#include "lib/base/util.h"

/* By how much times of the two clocks may differ. */
#define TOLERANCE_NS (UINT64_C(100) * 1000 * 1000)

enum {
	EXACT_MAX = 1 << 16, /* waitsince of so many collections, which may be made up */
};

/* ages_sort() puts marks in the order of begin, and sets least to the least end of a mark and
 * of all that follow it. */
struct age_mark {
	uint64_t begin, end, least;
};

static void ages_add(struct age_marks *marks, uint64_t begin, uint64_t end)
{
	GROW(marks->list, marks->count, marks->cap);
	marks->list[marks->count++] = (struct age_mark){ begin, end, 0 };
}

void ages_add_waitsince(struct ages *ages, uint64_t since)
{
	/* Many goroutines have the time of one of few collections. */
	if (since == ages->last)
		return;
	ages->last = since;
	if (ages->exact.count < EXACT_MAX && table_add(&ages->known, since, 0))
		ages_add(&ages->exact, since, since);
}

void ages_add_collection(struct ages *ages, uint64_t begin, uint64_t end)
{
	ages_add(&ages->noted, begin, end);
}

static int ages_by_begin(const void *a, const void *b)
{
	const struct age_mark *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void ages_sort_marks(struct age_marks *marks)
{
	uint64_t least = UINT64_MAX;

	if (marks->count)
		qsort(marks->list, marks->count, sizeof(*marks->list), ages_by_begin);
	for (size_t i = marks->count; i-- > 0;) {
		if (marks->list[i].end < least)
			least = marks->list[i].end;
		marks->list[i].least = least;
	}
}

void ages_sort(struct ages *ages)
{
	ages_sort_marks(&ages->exact);
	ages_sort_marks(&ages->noted);
}

/* The number of marks that begin at time or before it. */
static size_t ages_until(const struct age_marks *marks, uint64_t time)
{
	size_t low = 0, high = marks->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (marks->list[middle].begin > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint64_t ages_least_after(const struct age_marks *marks, uint64_t since)
{
	const size_t next = ages_until(marks, since);

	return next < marks->count ? marks->list[next].least : UINT64_MAX;
}

/* Is since in one of the collections, or before all that the runtime still keeps? Else the clock by
 * which they were noted has been set, and none is where it seems to be. */
static bool ages_agree(const struct age_marks *noted, uint64_t since)
{
	const size_t n = ages_until(noted, since + TOLERANCE_NS);

	if (n == 0)
		return noted->count <= 1 || noted->count >= GC_PAUSES;
	return since <= noted->list[n - 1].end + TOLERANCE_NS;
}

uint64_t ages_began(const struct ages *ages, uint64_t since)
{
	const uint64_t exact = ages_least_after(&ages->exact, since);

	if (!ages_agree(&ages->noted, since))
		return exact;
	/* A collection is not to follow itself where the clocks differ a little. */
	const uint64_t noted = ages_least_after(&ages->noted, since + TOLERANCE_NS);
	const uint64_t least = noted < exact ? noted : exact;
	return least > since ? least : since;
}

void ages_done(struct ages *ages)
{
	table_free(&ages->known);
	xfree(ages->exact.list);
	xfree(ages->noted.list);
	*ages = (struct ages){ .exact = { .list = NULL } };
}
