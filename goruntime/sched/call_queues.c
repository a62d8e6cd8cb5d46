/* SPDX-License-Identifier: Apache-2.0 */
/* What waits to be called for objects out of reach: finalizers, and since 1.25 cleanups (before,
 * these are finalizers). All blocks that were ever made are in one list, the newest first; each
 * says how many of it are left (runtime/mfinal.go, mcleanup.go). */
#include "goruntime/runtime/runtime_variable.h"
#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"

enum { FINALIZERS_MOST = 101, CLEANUPS_MOST = 63 }; /* of a block */

static bool load(struct runtime *rt, uint64_t base, enum layout_slot slot, uint64_t *ret)
{
	struct err ignored;

	return layout_load(&rt->layout, rt->target, base, slot, ret, &ignored);
}

static bool is_block(struct runtime *rt, uint64_t block, enum layout_slot link,
		     enum layout_slot count, uint64_t most)
{
	uint64_t next, n;

	return block && block % WORD == 0 && load(rt, block, link, &next) &&
	       next % WORD == 0 && load(rt, block, count, &n) && n <= most &&
	       (!next || (load(rt, next, count, &n) && n <= most));
}

/* Until there has been one, it looks like anything. */
static bool is_finalizers(struct runtime *rt, uint64_t addr)
{
	struct err ignored;
	uint64_t first, queue;

	return addr % WORD == 0 &&
	       target_read_uint(rt->target, addr, WORD, &first, &ignored) &&
	       is_block(rt, first, L_finblock_alllink, L_finblock_count,
			FINALIZERS_MOST) &&
	       load(rt, first, L_finblock_next, &queue) && queue % WORD == 0;
}

static bool is_cleanups(struct runtime *rt, uint64_t addr)
{
	uint64_t first;

	return addr % WORD == 0 && load(rt, addr, L_cleanups_all, &first) &&
	       is_block(rt, first, L_cleanup_alllink, L_cleanup_count, CLEANUPS_MOST);
}

static const struct runtime_variable finalizers_variable = {
	.symbol = "runtime.allfin",
	.functions = { "runtime.iterate_finq", "runtime.markroot" },
	.agrees = is_finalizers,
};
static const struct runtime_variable cleanups_variable = {
	.symbol = "runtime.gcCleanups",
	.functions = { "runtime.runCleanups", "runtime.markroot" },
	.fields = { L_cleanups_all },
	.field_count = 1,
	.agrees = is_cleanups,
};

void queue_places_find(struct runtime *rt)
{
	rt->places.finalizers = runtime_variable_find(rt, &finalizers_variable);
	if (layout_has(&rt->layout, L_cleanup_count))
		rt->places.cleanups = runtime_variable_find(rt, &cleanups_variable);
}

static struct state_number sum(struct state_reading *r, uint64_t block,
			       enum layout_slot link, enum layout_slot count)
{
	struct state_number all = { .known = true };

	for (size_t i = 0; block && i < LIMIT_CALL_BLOCKS; i++) {
		const struct state_number n = state_load(r, block, count),
					  next = state_load(r, block, link);
		if (!n.known || !next.known)
			break;
		all.value += n.value;
		block = next.value;
	}
	return all;
}

void state_read_call_queues(struct state_reading *r)
{
	const struct state_places *p = &r->rt->places;
	struct gc_state *gc = &r->to->gc;
	struct err ignored;
	uint64_t first;

	if (p->finalizers &&
	    target_read_uint(r->source, p->finalizers, WORD, &first, &ignored))
		gc->finalizers = sum(r, first, L_finblock_alllink, L_finblock_count);
	const struct state_number all = state_load(r, p->cleanups, L_cleanups_all);
	if (all.known)
		gc->cleanups = sum(r, all.value, L_cleanup_alllink, L_cleanup_count);
}
