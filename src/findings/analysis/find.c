/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/analysis/find.h"

#include <stdlib.h>

#include "src/findings/finding.h"

static void (*const finders[])(struct finder *) = {
#define FINDING(kind) finding_##kind,
#include "src/findings/findings.def"
#undef FINDING
};

static bool is_idle(const struct runtimes *all)
{
	for (size_t i = 0; i < runtimes_goroutine_count(all); i++) {
		const struct goroutine *g = runtimes_goroutine(all, i).goroutine;
		if (!g->system &&
		    (g->status == GOROUTINE_RUNNABLE || g->status == GOROUTINE_RUNNING))
			return false;
	}
	return true;
}

static int worst_first(const void *a, const void *b)
{
	const struct finding *x = *(struct finding *const *)a,
			     *y = *(struct finding *const *)b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? 1 : -1;
	return (x->affected < y->affected) - (x->affected > y->affected);
}

void findings_find(struct findings *ret, const struct findings_about *about)
{
	struct finder f = { .findings = ret,
			    .about = *about,
			    .is_idle = is_idle(about->all) };

	*ret = (struct findings){ 0 };
	f.told = xcalloc(runtimes_goroutine_count(about->all) + 1, 1);
	chains_find(&f.chains, about->waits);
	for (size_t i = 0; i < ARRAY_SIZE(finders); i++) {
		f.rank = (unsigned)i;
		finders[i](&f);
	}
	chains_done(&f.chains);
	xfree(f.told);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(struct finding *), worst_first);
}
