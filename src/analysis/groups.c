/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <stdlib.h>

static int biggest_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static bool is_member(const struct goroutine *g, groups_filter *filter, void *arg)
{
	return g->stack != NO_STACK && filter(arg, g);
}

void groups_init(struct groups *ret, const struct runtimes *all, groups_filter *filter,
		 void *arg)
{
	size_t stacks = runtimes_stack_count(all), n = runtimes_goroutine_count(all);
	AUTO(xfree) uint32_t *counts = xcalloc(stacks + 1, sizeof(*counts));
	uint32_t first = 0;

	*ret = (struct groups){
		.list = xcalloc(stacks + 1, sizeof(*ret->list)),
		.members = xcalloc(n + 1, sizeof(*ret->members)),
		.of_stack = xcalloc(stacks + 1, sizeof(*ret->of_stack)),
	};
	for (size_t i = 0; i < n; i++) {
		const struct goroutine *g = runtimes_goroutine(all, i).goroutine;
		if (is_member(g, filter, arg))
			counts[g->stack]++;
	}
	for (size_t s = 0; s < stacks; s++)
		if (counts[s])
			ret->list[ret->count++] =
				(struct group){ (uint32_t)s, 0, counts[s] };
	qsort(ret->list, ret->count, sizeof(*ret->list), biggest_first);
	for (size_t i = 0; i < ret->count; i++) {
		ret->list[i].first = first;
		first += ret->list[i].count;
		ret->list[i].count = 0; /* counted again as members move in */
		ret->of_stack[ret->list[i].stack] = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++) {
		const struct goroutine *g = runtimes_goroutine(all, i).goroutine;
		if (!is_member(g, filter, arg))
			continue;
		struct group *group = &ret->list[ret->of_stack[g->stack]];
		ret->members[group->first + group->count++] = (uint32_t)i;
	}
}

void groups_done(struct groups *g)
{
	xfree(g->list);
	xfree(g->members);
	xfree(g->of_stack);
}
