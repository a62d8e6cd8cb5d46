/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - which stacks a person should see first: those in the program's own code,
 * biggest first, and side by side those in the same function, or in a function in which
 * others wait for a lock: whoever holds it is probably there. Keeps a few numbers for each
 * group, and prints nothing. */
#ifndef GOSNAP_ORDER_H
#define GOSNAP_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct reader_node;
struct stack_style;

struct order_entry {
	long at, length; /* its text in the spool */
	uint64_t goroutines;
	uint64_t place; /* hash of the function that it is put by; 0: the library's own */
	size_t depth;	/* library frames above that function */
	size_t index;	/* in the document */
	/* Of all with that place, set when sorted. */
	uint64_t weight;
	size_t nearest, first;
};

struct order_lock {
	uint64_t function; /* hash of its name */
	uint64_t waiters;
};

/* Starts as { NULL }. */
struct order {
	struct order_lock *locks; /* sorted once order_locks_known() was called */
	size_t lock_count, lock_cap;
	struct order_entry *entries;
	size_t entry_count, entry_cap;
};

void order_done(struct order *order);

/* The first time a group is seen: does it wait for a lock? */
void order_note_lock(struct order *order, const struct reader_node *frames,
		     uint64_t goroutines);
void order_locks_known(struct order *order);

/* The function of these frames in which others wait for a lock, and how many; NULL: none. */
const char *order_others_locked_out(const struct order *order,
				    const struct reader_node *frames,
				    uint64_t *ret_waiters);

/* The second time. The entry is valid until the next is added. */
struct order_entry *order_add(struct order *order, const struct stack_style *style,
			      const struct reader_node *frames, uint64_t goroutines);
void order_sort(struct order *order);

#endif
