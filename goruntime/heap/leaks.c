/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/leaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap.h"
#include "goruntime/session/runtimes.h"
#include "goruntime/waits/wait.h"

/* A goroutine that waits for what may be out of reach. */
struct blocked {
	const struct goroutine *g;
	size_t number; /* of the goroutine in its runtime */
	bool alive;
};

struct search {
	struct runtime *rt;
	struct heap *heap;
	struct blocked *list; /* sorted by the address of g */
	size_t count, cap;
	uint64_t *addresses; /* what they wait for */
	size_t *owners;	     /* of each: an index in list */
	size_t address_count, address_cap, owner_cap;
	size_t *ready; /* alive, and their stacks not yet marked */
	size_t ready_count;
	const struct goroutine **roots; /* that are not blocked */
	size_t root_count;
};

/* In a bubble of testing/synctest others than goroutines wake it. */
static bool has_other_wakers(const struct runtime *rt, const struct goroutine *g)
{
	const char *words = runtime_wait_reason(rt, g->wait_reason);

	return words && (strstr(words, "(durable)") || strstr(words, "(synctest)"));
}

static void wait_for(struct search *s, uint64_t addr)
{
	GROW(s->addresses, s->address_count, s->address_cap);
	GROW(s->owners, s->address_count, s->owner_cap);
	s->addresses[s->address_count] = addr;
	s->owners[s->address_count++] = s->count;
}

static bool wait_for_cases(struct search *s, const struct goroutine *g,
			   const struct wait *w)
{
	uint64_t sudogs;
	struct err ignored;
	struct wait_channel channel;

	for (size_t i = 0; i < w->case_count; i++) {
		runtime_wait_case(s->rt, w->first_case + i, &channel);
		wait_for(s, channel.addr);
	}
	/* With nil channels only, it has no sudogs. */
	return w->case_count
		       ? !w->unreadable
		       : strcmp(runtime_wait_reason(s->rt, g->wait_reason), "select") !=
					 0 ||
				 (layout_load(&s->rt->layout, s->rt->target, g->addr,
					      L_g_waiting, &sudogs, &ignored) &&
				  sudogs == 0);
}

/* Does it wait only for what can be out of reach, and is all of that known? Then it is noted. */
static bool note_what_for(struct search *s, const struct goroutine *g,
			  const struct wait *w)
{
	switch (w->kind) {
	case WAIT_SELECT:
		return wait_for_cases(s, g, w);
	case WAIT_CHANNEL:
		if (w->unreadable)
			return false;
		if (w->addr)
			wait_for(s, w->addr);
		return true;
	case WAIT_MUTEX:
	case WAIT_RWMUTEX:
	case WAIT_WAITGROUP:
	case WAIT_COND:
		if (w->unreadable || !w->addr)
			return false;
		wait_for(s, w->addr);
		return true;
	default:
		return false;
	}
}

static void sort_out(struct search *s, size_t number)
{
	const struct goroutine *g = runtime_goroutine(s->rt, number);
	const size_t before = s->address_count;
	struct wait w;

	if (!g->changed && runtime_wait(s->rt, g, &w) && !has_other_wakers(s->rt, g) &&
	    note_what_for(s, g, &w)) {
		GROW(s->list, s->count, s->cap);
		s->list[s->count++] = (struct blocked){ .g = g, .number = number };
		return;
	}
	s->address_count = before;
	s->roots[s->root_count++] = g;
}

static int by_stack(const void *a, const void *b)
{
	const struct goroutine *x = *(const struct goroutine *const *)a,
			       *y = *(const struct goroutine *const *)b;

	return (x->stack > y->stack) - (x->stack < y->stack);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void revive(void *arg, size_t i)
{
	struct search *s = arg;
	struct blocked *b = &s->list[s->owners[i]];

	if (b->alive)
		return;
	b->alive = true;
	s->ready[s->ready_count++] = s->owners[i];
}

static bool mark(struct search *s, struct err *err)
{
	heap_mark_globals(s->heap);
	heap_mark_specials(s->heap);
	heap_mark_queues(s->heap);
	heap_mark_threads(s->heap);
	qsort(s->roots, s->root_count, sizeof(const struct goroutine *), by_stack);
	for (size_t i = 0; i < s->root_count; i++)
		heap_mark_stack(s->heap, s->roots[i]);
	if (!heap_mark(s->heap, err))
		return false;
	while (s->ready_count) {
		heap_mark_stack(s->heap, s->list[s->ready[--s->ready_count]].g);
		if (!heap_mark(s->heap, err))
			return false;
	}
	return true;
}

/* What is not in the heap is always in reach. */
static void watch(struct search *s)
{
	struct heap_object ignored;

	for (size_t i = 0; i < s->address_count; i++)
		if (!heap_object(s->heap, s->addresses[i], &ignored))
			revive(s, i);
	heap_watch(s->heap, s->addresses, s->address_count, revive, s);
}

static bool search(struct search *s, bool *leaked, struct err *err)
{
	for (size_t i = 0; i < s->rt->goroutine_count; i++)
		sort_out(s, i);
	AUTO(xfree) uint64_t *waiting = xcalloc(s->count + 1, sizeof(*waiting));
	for (size_t i = 0; i < s->count; i++)
		waiting[i] = s->list[i].g->addr;
	if (s->count)
		qsort(waiting, s->count, sizeof(*waiting), by_value);
	s->ready = xcalloc(s->count + 1, sizeof(*s->ready));
	heap_hide_waits(s->heap, waiting, s->count);
	watch(s);
	if (!mark(s, err))
		return false;
	if (heap_unreadable(s->heap))
		return err_set(err, ERR_ABSENT,
			       "%" PRIu64 " bytes of what the heap has cannot be read",
			       heap_unreadable(s->heap));
	for (size_t i = 0; i < s->count; i++)
		leaked[s->list[i].number] = !s->list[i].alive;
	return true;
}

static bool find_in(struct runtime *rt, struct target *memory,
		    const struct leaks_limits *limits, bool *leaked, struct err *err)
{
	struct search s = { .rt = rt };
	AUTO(heap_close)
	struct heap *heap = heap_open(
		rt, memory,
		&(struct heap_limits){ .ns = limits->ns, .bytes = limits->bytes }, err);

	if (!heap)
		return false;
	s.heap = heap;
	s.roots = xcalloc(rt->goroutine_count + 1, sizeof(const struct goroutine *));
	bool ok = search(&s, leaked, err);
	xfree(s.list);
	xfree(s.addresses);
	xfree(s.owners);
	xfree(s.ready);
	xfree(s.roots);
	return ok;
}

bool leaks_find(struct runtimes *all, struct target *memory,
		const struct leaks_limits *limits, struct leaks *ret, struct err *err)
{
	const size_t n = runtimes_goroutine_count(all);
	size_t at = 0;

	*ret = (struct leaks){ .leaked = xcalloc(n + 1, sizeof(*ret->leaked)) };
	for (size_t i = 0; i < all->count; i++) {
		if (!find_in(all->list[i], memory, limits, ret->leaked + at, err))
			return false;
		at += all->list[i]->goroutine_count;
	}
	for (size_t i = 0; i < n; i++)
		ret->count += ret->leaked[i];
	return true;
}

void leaks_done(struct leaks *leaks)
{
	xfree(leaks->leaked);
	*leaks = (struct leaks){ .count = 0 };
}
