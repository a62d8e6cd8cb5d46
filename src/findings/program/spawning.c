/* SPDX-License-Identifier: Apache-2.0 */
/* Finds very many goroutines that were nearly all created in one place, which goes on
 * creating them: it has created half of the newest ones. A program may work like that, so
 * it is information. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/findings/program/program.h"

enum {
	VERY_MANY = 10000,
	SHARE = 10,  /* one in so many may be of another place */
	RECENT = 20, /* the last ones, by id */
};

struct site {
	uint64_t pc, count;
	uint32_t one;
};

static int by_pc(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the place that has created most goroutines. */
static struct site busiest(const struct finder *f, size_t n, size_t *ret_living)
{
	AUTO(xfree) uint64_t *pcs = xcalloc(n + 1, sizeof(*pcs));
	struct site best = { .count = 0 };
	size_t living = 0, run = 0;

	for (size_t i = 0; i < n; i++) {
		const struct goroutine *g = finder_goroutine(f, (uint32_t)i).goroutine;
		if (!g->system)
			pcs[living++] = g->created_pc;
	}
	if (living)
		qsort(pcs, living, sizeof(*pcs), by_pc);
	for (size_t i = 0; i < living; i++) {
		run = i && pcs[i] == pcs[i - 1] ? run + 1 : 1;
		if (pcs[i] && run > best.count)
			best = (struct site){ .pc = pcs[i], .count = run };
	}
	*ret_living = living;
	return best;
}

/* Counts the newest goroutines that the site has created. Goroutines are in the order of
 * their ids, but one may be first for another reason. */
static size_t count_recent(const struct finder *f, size_t n, struct site *site)
{
	size_t ret = 0, seen = 0;

	for (size_t i = n; i-- > 0 && seen < RECENT;) {
		const struct goroutine *g = finder_goroutine(f, (uint32_t)i).goroutine;
		if (g->system)
			continue;
		seen++;
		if (g->created_pc != site->pc)
			continue;
		ret++;
		site->one = (uint32_t)i;
	}
	return ret;
}

void finding_spawning(struct finder *f)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	size_t living;

	if (n < VERY_MANY)
		return;
	struct site site = busiest(f, n, &living);
	if (site.count < VERY_MANY || site.count * SHARE < living * (SHARE - 1) ||
	    count_recent(f, n, &site) * 2 < RECENT)
		return;
	struct finding *finding = finding_add(
		f, "spawning", SEVERITY_INFO, site.count,
		"If their number grows, let fewer work at a time: a fixed number of "
		"workers, or a limit on what begins.");
	text_add_count(&finding->text, site.count);
	text_add(&finding->text, " of ");
	text_add_counted(&finding->text, living, "goroutine");
	text_add(&finding->text, " come from one place, as do the newest ones");
	say_created(f, &finding->text, site.one);
	text_add(&finding->text, ". One of them ");
	say_state(f, &finding->text, site.one);
	text_add(&finding->text, ".");
	finding_shows_goroutine(f, finding, site.one);
}
