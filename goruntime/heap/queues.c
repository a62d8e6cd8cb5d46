/* SPDX-License-Identifier: Apache-2.0 */
/* What waits to be called: finalizers and cleanups of objects that are out of reach, with their arguments
 * (runtime/mgcmark.go markroot, 1.27). All blocks of these queues are in one list; what is not used of them
 * is zero. */
#include "goruntime/heap/heap_priv.h"

enum { REFERENCES_MAX = 64, BLOCKS_MAX = 1 << 16 };

struct call_queue {
	const char *variable,
		*function;	/* by its symbol, else by the code that uses it */
	enum layout_slot first; /* of the variable; LAYOUT_SLOTS: it is the list itself */
	enum layout_slot link;
	size_t block_bytes; /* at most */
};

static const struct call_queue queues[] = {
	{ "runtime.allfin", "runtime.queuefinalizer", LAYOUT_SLOTS, L_finblock_alllink,
	  4096 },
	{ "runtime.gcCleanups", "runtime.runCleanups", L_cleanups_all, L_cleanup_alllink,
	  512 },
};

/* The runtime has its blocks outside of the heap. */
static bool may_be_block(const struct heap *h, uint64_t addr)
{
	const struct target_mapping *map = target_mapping_at(h->memory, addr);

	return addr && addr % WORD == 0 && map && map->readable && map->writable &&
	       !span_at(h, addr);
}

static void mark_blocks(struct heap *h, const struct call_queue *q, uint64_t variable)
{
	const struct layout *l = &h->rt->layout;
	const uint64_t off =
		q->first == LAYOUT_SLOTS ? 0 : (uint64_t)l->slot[q->first].off;
	struct err ignored;
	uint64_t at;

	if (!target_read_uint(h->memory, variable + off, WORD, &at, &ignored))
		return;
	for (size_t i = 0; i < BLOCKS_MAX && may_be_block(h, at); i++) {
		heap_mark_range(h, at, q->block_bytes);
		if (h->gave_up || !layout_load(l, h->memory, at, q->link, &at, &ignored))
			return;
	}
}

void heap_mark_queues(struct heap *h)
{
	const struct layout *l = &h->rt->layout;
	uint64_t refs[REFERENCES_MAX];
	struct image_range symbol;

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++) {
		const struct call_queue *q = &queues[i];
		if (!layout_has(l, q->link) ||
		    (q->first != LAYOUT_SLOTS && !layout_has(l, q->first)))
			continue;
		if (image_symbol(h->rt->image, q->variable, &symbol)) {
			mark_blocks(h, q, symbol.addr);
			continue;
		}
		/* Which of its variables is the list does not matter: others keep no more alive. */
		const size_t n = modules_references(h->rt->modules, q->function, refs,
						    REFERENCES_MAX);
		for (size_t r = 0; r < n; r++)
			mark_blocks(h, q, refs[r]);
	}
}
