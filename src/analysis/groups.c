/* SPDX-License-Identifier: Apache-2.0 */
#include "src/analysis/groups.h"

#include <stdlib.h>

static int biggest_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->stack != y->stack)
		return x->stack > y->stack ? 1 : -1;
	return (x->runtime > y->runtime) - (x->runtime < y->runtime);
}

static bool is_member(const struct goroutine *g, groups_filter *filter, void *arg)
{
	return g->stack != NO_STACK && filter(arg, g);
}

static size_t key_of(const struct groups *g, struct goroutine_of it)
{
	return it.number * g->stacks + it.goroutine->stack;
}

uint32_t groups_of(const struct groups *g, struct goroutine_of it)
{
	return g->of_stack[key_of(g, it)];
}

void groups_init(struct groups *ret, const struct runtimes *all, groups_filter *filter,
		 void *arg)
{
	size_t stacks = runtimes_stack_count(all), n = runtimes_goroutine_count(all);
	size_t keys = runtimes_count(all) * stacks;
	AUTO(xfree) uint32_t *counts = xcalloc(keys + 1, sizeof(*counts));
	uint32_t first = 0;

	*ret = (struct groups){
		.list = xcalloc(keys + 1, sizeof(*ret->list)),
		.stacks = stacks,
		.members = xcalloc(n + 1, sizeof(*ret->members)),
		.of_stack = xcalloc(keys + 1, sizeof(*ret->of_stack)),
	};
	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		if (is_member(it.goroutine, filter, arg))
			counts[key_of(ret, it)]++;
	}
	for (size_t key = 0; key < keys; key++)
		if (counts[key])
			ret->list[ret->count++] = (struct group){
				.stack = (uint32_t)(key % stacks),
				.runtime = (uint32_t)(key / stacks),
				.count = counts[key],
			};
	qsort(ret->list, ret->count, sizeof(*ret->list), biggest_first);
	for (size_t i = 0; i < ret->count; i++) {
		struct group *group = &ret->list[i];
		group->first = first;
		first += group->count;
		group->count = 0; /* recounted below as members are added */
		ret->of_stack[group->runtime * stacks + group->stack] = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(all, i);
		if (!is_member(it.goroutine, filter, arg))
			continue;
		struct group *group = &ret->list[groups_of(ret, it)];
		ret->members[group->first + group->count++] = (uint32_t)i;
	}
}

void groups_done(struct groups *g)
{
	xfree(g->list);
	xfree(g->members);
	xfree(g->of_stack);
}
