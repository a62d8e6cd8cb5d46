/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/extra_lists.h"

#include <stdlib.h>

#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/search.h"

static const enum layout_slot slots[EXTRA_KINDS] = {
	[EXTRA_LABELS] = L_g_labels, [EXTRA_PANIC] = L_g_panic,
	[EXTRA_DEFER] = L_g_defer,   [EXTRA_ANCESTORS] = L_g_ancestors,
	[EXTRA_BUBBLE] = L_g_bubble,
};

void extra_note(struct extra_lists *x, const struct layout *layout, uint64_t g,
		const void *bytes, size_t len)
{
	for (size_t i = 0; i < EXTRA_KINDS; i++) {
		struct extra_list *l = &x->kinds[i];
		uint64_t object = layout_get(layout, slots[i], bytes, len);

		if (!object)
			continue;
		GROW(l->list, l->count, l->cap);
		l->list[l->count++] = (struct extra){ g, object };
	}
}

void extra_lists_done(struct extra_lists *x)
{
	for (size_t i = 0; i < EXTRA_KINDS; i++)
		xfree(x->kinds[i].list);
	*x = (struct extra_lists){ 0 };
}

uint64_t extra_object(const struct extra_lists *x, enum extra_kind kind, uint64_t g)
{
	const struct extra_list *l = &x->kinds[kind];
	size_t low = LOWER_BOUND(i, l->count, l->list[i].g < g);

	return low < l->count && l->list[low].g == g ? l->list[low].object : 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

uint64_t *extra_objects(const struct extra_lists *x, enum extra_kind kind, size_t *ret_n)
{
	const struct extra_list *l = &x->kinds[kind];
	uint64_t *ret = xcalloc(l->count + 1, sizeof(*ret));
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++)
		ret[i] = l->list[i].object;
	if (l->count)
		qsort(ret, l->count, sizeof(*ret), by_value);
	for (size_t i = 0; i < l->count; i++)
		if (n == 0 || ret[i] != ret[n - 1])
			ret[n++] = ret[i];
	*ret_n = n;
	return ret;
}

void extra_gather_chain(struct runtime *rt, enum extra_kind kind, size_t size,
			enum layout_slot link, unsigned levels, struct bulk_read *g)
{
	struct err ignored;
	size_t n;
	AUTO(xfree) uint64_t *at = extra_objects(&rt->extra_lists, kind, &n);

	for (unsigned level = 0; n && level < levels; level++) {
		size_t kept = 0;

		for (size_t i = 0; i < n; i++)
			bulk_read_add(g, at[i], size);
		bulk_read_read(g, rt->target);
		target_budget_unit(rt->target);
		for (size_t i = 0; i < n; i++)
			if (layout_load(&rt->layout, rt->target, at[i], link, &at[kept],
					&ignored) &&
			    at[kept])
				kept++;
		n = kept;
	}
}
