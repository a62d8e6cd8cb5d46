/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - orders stacks by interest: those in the program's own code first, the biggest
 * first. Stacks in the same function are adjacent, and so are those in a function in
 * which others wait for a lock: its holder is probably there. Keeps a few numbers per
 * group; prints nothing. */
#ifndef GOSNAP_ORDER_H
#define GOSNAP_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct reader_node;
struct stack_style;

struct order_entry {
	uint64_t goroutines;
	uint64_t place; /* hash of the function it is sorted by; 0: only library code */
	size_t depth;	/* library frames above that function */
	size_t index;	/* row of the group in the model */
	/* For all entries with this place; set by sorting. */
	uint64_t weight;
	size_t nearest, first;
};

struct order_lock {
	uint64_t function; /* hash of the name */
	uint64_t waiters;
};

/* Initialize to { NULL }. */
struct order {
	struct order_lock *locks; /* sorted by order_locks_known() */
	size_t lock_count, lock_cap;
	struct order_entry *entries;
	size_t entry_count, entry_cap;
};

void order_done(struct order *order);

/* In the first pass over the groups: notes the function if the stack waits for a lock. */
void order_note_lock(struct order *order, const struct reader_node *frames,
		     uint64_t goroutines);
void order_locks_known(struct order *order);

/* The function in these frames in which others wait for a lock, and how many; NULL:
 * none. */
const char *order_others_locked_out(const struct order *order,
				    const struct reader_node *frames,
				    uint64_t *ret_waiters);

/* When all locks are known, for each group to show. */
void order_add(struct order *order, const struct stack_style *style, size_t group,
	       const struct reader_node *frames, uint64_t goroutines);
void order_sort(struct order *order);

#endif
