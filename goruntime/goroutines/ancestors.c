/* SPDX-License-Identifier: Apache-2.0 */
/* The goroutines that a goroutine descends from: with GODEBUG=tracebackancestors=N the
 * runtime keeps their ids and call stacks (runtime/proc.go saveAncestors). */
#include <inttypes.h>
#include <string.h>

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"

enum {
	ANCESTOR_BYTES_MAX = 256,
};

struct slice {
	uint64_t array, len, cap;
};

struct ancestor_cache {
	struct ancestor *list;
	size_t cap;
	struct ancestor_list result;
};

void ancestor_cache_free(struct ancestor_cache *c)
{
	if (!c)
		return;
	xfree(c->list);
	xfree(c);
}

static size_t ancestor_size(const struct runtime *rt)
{
	size_t size = (size_t)rt->layout.slot[L_ancestor_size].off;

	return layout_has(&rt->layout, L_ancestor_pcs) && size <= ANCESTOR_BYTES_MAX
		       ? size
		       : 0;
}

static size_t shown(const struct slice *s)
{
	return s->len < LIMIT_ANCESTORS ? (size_t)s->len : LIMIT_ANCESTORS;
}

/* Reads an ancestor except its pcs; their slice is *ret_pcs. */
static bool read_ancestor(struct runtime *rt, uint64_t addr, struct ancestor *ret,
			  struct slice *ret_pcs, struct err *err)
{
	const struct layout *l = &rt->layout;
	size_t size = ancestor_size(rt), pcs = (size_t)l->slot[L_ancestor_pcs].off;
	uint8_t b[ANCESTOR_BYTES_MAX];

	if (pcs + sizeof(*ret_pcs) > size)
		return err_set(err, ERR_UNSUPPORTED,
			       "unknown ancestor layout in this Go version");
	if (!target_read(rt->target, addr, b, size, err))
		return false;
	memcpy(ret_pcs, b + pcs, sizeof(*ret_pcs));
	*ret = (struct ancestor){
		.id = layout_get(l, L_ancestor_goid, b, size),
		.created_pc = layout_get(l, L_ancestor_gopc, b, size),
		.pc_count = ret_pcs->len < ANCESTOR_PCS ? (uint32_t)ret_pcs->len
							: ANCESTOR_PCS,
	};
	return true;
}

void ancestors_capture(struct runtime *rt, struct bulk_read *g)
{
	size_t n, size = ancestor_size(rt);
	AUTO(xfree) uint64_t *all = extra_objects(&rt->extra_lists, EXTRA_ANCESTORS, &n);
	struct slice s, pcs;
	struct ancestor one;
	struct err ignored;

	for (size_t i = 0; i < n; i++)
		bulk_read_add(g, all[i], sizeof(s));
	bulk_read_read(g, rt->target);
	for (size_t i = 0; i < n; i++)
		if (target_read(rt->target, all[i], &s, sizeof(s), &ignored))
			bulk_read_add(g, s.array, shown(&s) * size);
	bulk_read_read(g, rt->target);
	for (size_t i = 0; i < n; i++) {
		target_budget_unit(rt->target);
		if (!target_read(rt->target, all[i], &s, sizeof(s), &ignored))
			continue;
		for (size_t k = 0; k < shown(&s); k++)
			if (read_ancestor(rt, s.array + k * size, &one, &pcs, &ignored))
				bulk_read_add(g, pcs.array,
					      (uint64_t)one.pc_count * WORD);
	}
	bulk_read_read(g, rt->target);
}

/* Complete stacks end in goexit. */
static bool is_truncated(struct runtime *rt, const struct ancestor *a)
{
	const struct code *c =
		a->pc_count ? code_at(rt->code, a->pcs[a->pc_count - 1], false) : NULL;

	return c && c->special != SPECIAL_goexit;
}

static bool read_list(struct runtime *rt, uint64_t addr, struct ancestor_cache *c,
		      struct err *err)
{
	struct ancestor_list *ret = &c->result;
	size_t size = ancestor_size(rt);
	struct slice s, pcs;

	if (!target_read(rt->target, addr, &s, sizeof(s), err))
		return false;
	ret->omitted = s.len - shown(&s);
	for (size_t i = 0; i < shown(&s); i++) {
		GROW(c->list, i, c->cap);
		if (!read_ancestor(rt, s.array + i * size, &c->list[i], &pcs, err))
			return false;
		ret->count = i + 1;
		if (!target_read(rt->target, pcs.array, c->list[i].pcs,
				 c->list[i].pc_count * WORD, err)) {
			c->list[i].pc_count = 0;
			c->list[i].unreadable = reason_add(rt, "%s", err->text);
		}
		c->list[i].truncated = is_truncated(rt, &c->list[i]);
	}
	return true;
}

const struct ancestor_list *runtime_ancestors(struct runtime *rt,
					      const struct goroutine *g)
{
	uint64_t ancestors = extra_object(&rt->extra_lists, EXTRA_ANCESTORS, g->addr);
	struct ancestor_cache *c = extra_caches(rt)->ancestors;
	struct err err;

	if (!ancestors)
		return NULL;
	if (!c)
		c = extra_caches(rt)->ancestors = xcalloc(1, sizeof(*c));
	target_budget_unit(rt->target);
	c->result = (struct ancestor_list){ 0 };
	if (!read_list(rt, ancestors, c, &err))
		c->result.unreadable = reason_add(rt, "%s", err.text);
	c->result.list = c->list;
	return &c->result;
}
