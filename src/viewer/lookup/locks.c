/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/locks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/document/reader_text.h"
#include "src/viewer/terminal/text.h"

struct by_number {
	uint64_t number; /* address, or holder */
	size_t place;
};

struct locks {
	struct lock *all;
	struct by_number *by_address, *by_holder;
	size_t count;
};

/* Partners that have it come first. */
static void read_holder(struct lock *lock, const struct reader_node *node)
{
	const struct reader_node *first = node_at(node_get(node, "partners"), 0);
	const char *holds = node_string(node_get(first, "holds"), NULL);

	lock->holder = holds ? node_int(node_get(first, "goroutine"), -1) : -1;
	lock->certain = holds && strcmp(holds, "certain") == 0;
}

static void add(struct locks *locks, struct model *model, struct model_place place)
{
	const struct reader_node *node = model_open(model, place);
	struct lock *lock = &locks->all[locks->count];

	if (!node)
		return;
	lock->address = node_address(node_get(node, "address"), 0);
	lock->waiters = (uint64_t)node_int(node_get(node, "waiters"), 0);
	lock->kind = xstrdup(text_of(node_get(node, "kind"), "object"));
	lock->place = place;
	read_holder(lock, node);
	node_drop(node);
	locks->count++;
}

static int most_first(const void *a, const void *b)
{
	const struct lock *one = a, *other = b;

	if (one->waiters != other->waiters)
		return one->waiters > other->waiters ? -1 : 1;
	return one->place.offset < other->place.offset
		       ? -1
		       : one->place.offset > other->place.offset;
}

static int by_number(const void *a, const void *b)
{
	const struct by_number *one = a, *other = b;

	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return one->place < other->place ? -1 : one->place > other->place;
}

static void make_indexes(struct locks *locks)
{
	const size_t n = locks->count;

	qsort(locks->all, n, sizeof(*locks->all), most_first);
	locks->by_address = xcalloc(n + 1, sizeof(*locks->by_address));
	locks->by_holder = xcalloc(n + 1, sizeof(*locks->by_holder));
	for (size_t i = 0; i < n; i++) {
		locks->by_address[i] = (struct by_number){ locks->all[i].address, i };
		locks->by_holder[i] =
			(struct by_number){ (uint64_t)locks->all[i].holder, i };
	}
	qsort(locks->by_address, n, sizeof(*locks->by_address), by_number);
	qsort(locks->by_holder, n, sizeof(*locks->by_holder), by_number);
}

struct locks *locks_new(struct model *model)
{
	struct locks *locks = xcalloc(1, sizeof(*locks));
	const size_t count = model_list_count(model, MODEL_WAITS);

	locks->all = xcalloc(count + 1, sizeof(*locks->all));
	for (size_t i = 0; i < count; i++)
		add(locks, model, model_list_at(model, MODEL_WAITS, i));
	make_indexes(locks);
	return locks;
}

void locks_free(struct locks *locks)
{
	if (!locks)
		return;
	for (size_t i = 0; i < locks->count; i++)
		xfree(locks->all[i].kind);
	xfree(locks->all);
	xfree(locks->by_address);
	xfree(locks->by_holder);
	xfree(locks);
}

const struct lock *locks_all(const struct locks *locks, size_t *ret_count)
{
	*ret_count = locks->count;
	return locks->all;
}

/* The first entry of at least that number and place. */
static size_t lower_bound(const struct by_number *entries, size_t count, uint64_t number,
			  size_t place)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct by_number *e = &entries[middle];
		if (e->number < number || (e->number == number && e->place < place))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t place_at(const struct by_number *entries, size_t count, size_t i,
		       uint64_t number)
{
	return i < count && entries[i].number == number ? entries[i].place : SIZE_MAX;
}

size_t locks_find(const struct locks *locks, uint64_t address)
{
	const size_t i = lower_bound(locks->by_address, locks->count, address, 0);

	return address ? place_at(locks->by_address, locks->count, i, address) : SIZE_MAX;
}

size_t locks_of(const struct locks *locks, int64_t holder, size_t after)
{
	const size_t i =
		lower_bound(locks->by_holder, locks->count, (uint64_t)holder, after + 1);

	return holder < 0 ? SIZE_MAX
			  : place_at(locks->by_holder, locks->count, i, (uint64_t)holder);
}

const struct reader_node *locks_partners(const struct locks *locks, struct model *model,
					 size_t lock)
{
	return model_open_member(model, locks->all[lock].place, "partners");
}

struct each_waiter {
	lock_waiter_fn *fn;
	void *arg;
};

static bool tell_waiter(void *arg, const char *value, size_t bytes)
{
	const struct each_waiter *each = arg;
	const struct reader_member id = { .value = value, .bytes = bytes };

	each->fn(each->arg, text_int(&id, -1));
	return true;
}

void locks_each_waiter(const struct locks *locks, struct model *model, size_t lock,
		       lock_waiter_fn *fn, void *arg)
{
	const struct model_place place = locks->all[lock].place;
	AUTO(xfree) char *text = model_read(model, place);
	struct each_waiter each = { fn, arg };
	struct reader_member list[READER_MEMBERS];

	if (!text)
		return;
	const struct reader_member *ids =
		text_member(list, text_members(text, place.bytes, list), "goroutines");
	if (ids)
		text_elements(ids->value, ids->bytes, tell_waiter, &each);
}
