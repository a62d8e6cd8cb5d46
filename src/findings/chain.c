/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/chain.h"

const struct partner *chain_next(const struct wait_graph *waits, uint32_t goroutine)
{
	const struct wait_object *o = wait_graph_of(waits, goroutine);

	return o && is_lock_kind(o->kind) && o->holder_count
		       ? &waits->partners[o->first_partner]
		       : NULL;
}

enum seen { NOT_SEEN, UNDER_WAY, SEEN };

/* Follows a chain until it ends, meets itself, or meets one that was followed before:
 * each goroutine waits for one other at most. */
static void follow(struct chains *c, uint32_t from, uint8_t *seen, uint32_t *way)
{
	const struct partner *next;
	uint32_t at = from, root;
	size_t n = 0;

	while (seen[at] == NOT_SEEN && (next = chain_next(c->waits, at))) {
		seen[at] = UNDER_WAY;
		way[n++] = at;
		at = next->goroutine;
	}
	if (seen[at] == UNDER_WAY) {
		for (size_t i = n; i-- > 0;) {
			c->in_cycle[way[i]] = 1;
			if (way[i] == at)
				break;
		}
		root = NO_GOROUTINE;
	} else if (seen[at] == SEEN) {
		root = c->root[at];
	} else {
		seen[at] = SEEN;
		root = c->root[at] = at;
	}
	for (size_t i = 0; i < n; i++) {
		c->root[way[i]] = root;
		seen[way[i]] = SEEN;
	}
}

/* Returns the goroutine of the cycle that a chain comes to first. */
static uint32_t entry_to_cycle(const struct chains *c, uint32_t at)
{
	while (!c->in_cycle[at])
		at = chain_next(c->waits, at)->goroutine;
	return at;
}

static void count_behind(struct chains *c)
{
	for (size_t i = 0; i < c->count; i++) {
		uint32_t at = (uint32_t)i;
		if (c->root[i] == at || c->in_cycle[i])
			continue;
		c->behind[c->root[i] != NO_GOROUTINE ? c->root[i]
						     : entry_to_cycle(c, at)]++;
	}
}

void chains_find(struct chains *ret, const struct wait_graph *waits)
{
	const size_t n = runtimes_goroutine_count(waits->all);
	AUTO(xfree) uint8_t *seen = xcalloc(n + 1, 1);
	AUTO(xfree) uint32_t *way = xcalloc(n + 1, sizeof(*way));

	*ret = (struct chains){ .waits = waits,
				.count = n,
				.root = xcalloc(n + 1, sizeof(*ret->root)),
				.behind = xcalloc(n + 1, sizeof(*ret->behind)),
				.in_cycle = xcalloc(n + 1, 1) };
	for (size_t i = 0; i < n; i++)
		follow(ret, (uint32_t)i, seen, way);
	count_behind(ret);
}

void chains_done(struct chains *c)
{
	xfree(c->root);
	xfree(c->behind);
	xfree(c->in_cycle);
}
