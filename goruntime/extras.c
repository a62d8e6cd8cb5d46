/* SPDX-License-Identifier: Apache-2.0 */
#include "extras.h"

#include <inttypes.h>
#include <stdlib.h>

#include "defers.h"
#include "gather.h"
#include "limit.h"
#include "runtime_priv.h"

static const enum layout_slot slots[EXTRA_KINDS] = {
	[EXTRA_LABELS] = L_g_labels, [EXTRA_PANIC] = L_g_panic,
	[EXTRA_DEFER] = L_g_defer,   [EXTRA_ANCESTORS] = L_g_ancestors,
	[EXTRA_BUBBLE] = L_g_bubble,
};

void extras_note(struct extras *x, const struct layout *layout, uint64_t g,
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

void extras_done(struct extras *x)
{
	for (size_t i = 0; i < EXTRA_KINDS; i++)
		xfree(x->kinds[i].list);
	label_cache_free(x->labels);
	panic_cache_free(x->panics);
	defer_cache_free(x->defers);
	open_defers_free(x->open);
	ancestor_cache_free(x->ancestors);
}

uint64_t extras_object(const struct extras *x, enum extra_kind kind, uint64_t g)
{
	const struct extra_list *l = &x->kinds[kind];
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (l->list[middle].g < g)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->count && l->list[low].g == g ? l->list[low].object : 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

uint64_t *extras_objects(const struct extras *x, enum extra_kind kind, size_t *ret_n)
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

void extras_gather_chain(struct runtime *rt, enum extra_kind kind, size_t size,
			 enum layout_slot link, unsigned levels, struct gather *g)
{
	struct err ignored;
	size_t n;
	AUTO(xfree) uint64_t *at = extras_objects(&rt->extras, kind, &n);

	for (unsigned level = 0; n && level < levels; level++) {
		size_t kept = 0;

		for (size_t i = 0; i < n; i++)
			gather_add(g, at[i], size);
		gather_read(g, rt->target);
		target_budget_unit(rt->target);
		for (size_t i = 0; i < n; i++)
			if (layout_load(&rt->layout, rt->target, at[i], link, &at[kept],
					&ignored) &&
			    at[kept])
				kept++;
		n = kept;
	}
}

void extras_capture(struct runtime *rt)
{
	struct gather g = { 0 };

	labels_capture(rt, &g);
	panics_capture(rt, &g);
	defers_capture(rt, &g);
	ancestors_capture(rt, &g);
	bubbles_capture(rt, &g);
	if (g.left_out)
		warnings_add(rt->warnings, "goroutines",
			     "%" PRIu64 " bytes of what they carry were left out: more "
			     "than %" PRIu64 " in all",
			     g.left_out, LIMIT_EXTENT_BYTES);
	gather_done(&g);
}
