/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/order.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/document/reader.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/terminal/text.h"

enum {
	/* The library's own stacks, such as idle connections, are seldom the problem:
	 * they come first only if there are so many times more of them. */
	LIBRARY_PER_USER = 16,
};

void order_done(struct order *order)
{
	xfree(order->locks);
	xfree(order->entries);
}

/* Never 0. */
static uint64_t hash_of(const char *name)
{
	return hash_text(name) | 1;
}

/* NULL: hidden or nameless. */
static const char *seen_function(const struct reader_node *frame)
{
	return node_bool(node_get(frame, "hidden"), false)
		       ? NULL
		       : text_of(node_get(frame, "function"), NULL);
}

static bool is_lock(const char *function)
{
	static const char *const locks[] = {
		"sync.(*Mutex).Lock",
		"sync.(*RWMutex).Lock",
		"sync.(*RWMutex).RLock",
	};
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++)
		if (strcmp(function, locks[i]) == 0)
			return true;
	return false;
}

static bool is_synchronization(const char *function)
{
	static const char *const packages[] = { "sync.", "internal/sync.", "runtime." };
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
		if (strncmp(function, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

/* The function that called the lock's method in which these frames wait; NULL: none. */
static const char *locking_function(const struct reader_node *frames)
{
	bool in_lock = false;
	for (size_t i = 0; i < node_count(frames); i++) {
		const char *function = seen_function(node_at(frames, i));
		if (!function)
			continue;
		if (!is_synchronization(function))
			return in_lock ? function : NULL;
		in_lock = in_lock || is_lock(function);
	}
	return NULL;
}

void order_note_lock(struct order *order, const struct reader_node *frames,
		     uint64_t goroutines)
{
	const char *function = locking_function(frames);
	if (!function)
		return;
	GROW(order->locks, order->lock_count, order->lock_cap);
	order->locks[order->lock_count++] =
		(struct order_lock){ hash_of(function), goroutines };
}

static int compare_locks(const void *a, const void *b)
{
	const struct order_lock *x = a, *y = b;
	return (x->function > y->function) - (x->function < y->function);
}

void order_locks_known(struct order *order)
{
	size_t n = 0;
	if (order->lock_count == 0)
		return;
	qsort(order->locks, order->lock_count, sizeof(order->locks[0]), compare_locks);
	for (size_t i = 1; i < order->lock_count; i++) {
		if (order->locks[i].function == order->locks[n].function)
			order->locks[n].waiters += order->locks[i].waiters;
		else
			order->locks[++n] = order->locks[i];
	}
	order->lock_count = n + 1;
}

static const struct order_lock *find_lock(const struct order *order, const char *function)
{
	struct order_lock key = { hash_of(function), 0 };
	return order->lock_count == 0 ? NULL
				      : bsearch(&key, order->locks, order->lock_count,
						sizeof(key), compare_locks);
}

/* The innermost function in which anyone waits for a lock, perhaps these frames. */
static const char *locked_function(const struct order *order,
				   const struct reader_node *frames,
				   const struct order_lock **ret_lock)
{
	for (size_t i = 0; order->lock_count > 0 && i < node_count(frames); i++) {
		const char *function = seen_function(node_at(frames, i));
		*ret_lock = function ? find_lock(order, function) : NULL;
		if (*ret_lock)
			return function;
	}
	return NULL;
}

const char *order_others_locked_out(const struct order *order,
				    const struct reader_node *frames,
				    uint64_t *ret_waiters)
{
	const struct order_lock *lock;
	const char *function = locked_function(order, frames, &lock),
		   *own = locking_function(frames);
	if (!function || (own && strcmp(own, function) == 0))
		return NULL;
	*ret_waiters = lock->waiters;
	return function;
}

void order_add(struct order *order, const struct stack_style *style, size_t group,
	       const struct reader_node *frames, uint64_t goroutines)
{
	const struct order_lock *lock;
	const char *function = locked_function(order, frames, &lock);
	struct order_entry entry = { .goroutines = goroutines, .index = group };
	for (size_t i = 0; i < node_count(frames); i++) {
		const struct reader_node *frame = node_at(frames, i);
		const char *name = seen_function(frame);
		if (name && (function ? strcmp(name, function) == 0
				      : stack_is_users(style, frame))) {
			entry.place = hash_of(name);
			break;
		}
		entry.depth += name != NULL;
	}
	GROW(order->entries, order->entry_count, order->entry_cap);
	order->entries[order->entry_count++] = entry;
}

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return compare_sizes(x->index, y->index);
}

static int by_weight(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->nearest != y->nearest)
		return compare_sizes(x->nearest, y->nearest);
	if (x->first != y->first)
		return compare_sizes(x->first, y->first);
	if (x->goroutines != y->goroutines)
		return x->goroutines > y->goroutines ? -1 : 1;
	return compare_sizes(x->index, y->index);
}

/* For n entries with one place. */
static void weigh(struct order_entry *entries, size_t n)
{
	uint64_t weight = 0;
	size_t nearest = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		weight += entries[i].goroutines;
		nearest = entries[i].depth < nearest ? entries[i].depth : nearest;
	}
	for (size_t i = 0; i < n; i++) {
		entries[i].weight = entries[0].place ? weight : weight / LIBRARY_PER_USER;
		entries[i].nearest = nearest;
		entries[i].first = entries[0].index;
	}
}

void order_sort(struct order *order)
{
	struct order_entry *entries = order->entries;
	size_t n = order->entry_count;
	if (n == 0)
		return;
	qsort(entries, n, sizeof(*entries), by_place);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (entries[i].place && end < n &&
		       entries[end].place == entries[i].place)
			end++;
		weigh(&entries[i], end - i);
	}
	qsort(entries, n, sizeof(*entries), by_weight);
}
