/* SPDX-License-Identifier: Apache-2.0 */
#include "src/analysis/wait_graph.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "src/analysis/holders.h"

static void add_waiter(struct wait_graph *w, uint32_t goroutine, uint64_t addr,
		       enum wait_operation operation, bool one_of)
{
	if (addr == 0)
		return;
	GROW(w->waiters, w->waiter_count, w->waiter_cap);
	w->waiters[w->waiter_count++] =
		(struct waiter){ addr, goroutine, operation, one_of };
}

static void add_cases(struct wait_graph *w, struct goroutine_of it, uint32_t i,
		      const struct wait *wait)
{
	struct wait_channel channel;

	for (size_t c = 0; c < wait->case_count; c++) {
		enum wait_operation operation =
			runtime_wait_case(it.runtime, wait->first_case + c, &channel);
		add_waiter(w, i, channel.addr, operation, true);
	}
}

static bool has_object(enum wait_kind kind)
{
	return kind != WAIT_TIMER && kind != WAIT_NETWORK && kind != WAIT_SELECT;
}

static void collect(struct wait_graph *w)
{
	struct wait wait;

	for (size_t i = 0; i < runtimes_goroutine_count(w->all); i++) {
		struct goroutine_of it = runtimes_goroutine(w->all, i);
		if (!runtime_wait(it.runtime, it.goroutine, &wait))
			continue;
		if (wait.kind == WAIT_SELECT)
			add_cases(w, it, (uint32_t)i, &wait);
		else if (has_object(wait.kind))
			add_waiter(w, (uint32_t)i, wait.addr, wait.operation, false);
	}
}

static int by_object(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	return (x->goroutine > y->goroutine) - (x->goroutine < y->goroutine);
}

/* All its waiters say the same of it, but what a select says is less. */
static void describe(struct wait_graph *w, struct wait_object *o)
{
	const struct waiter *waiter = &w->waiters[o->first_waiter];
	struct goroutine_of it = runtimes_goroutine(w->all, waiter->goroutine);
	struct wait wait;

	o->runtime = (uint32_t)it.number;
	o->kind = WAIT_CHANNEL;
	if (!runtime_wait(it.runtime, it.goroutine, &wait))
		return;
	if (wait.kind != WAIT_SELECT) {
		o->kind = wait.kind;
		o->lock = wait.lock;
		o->channel = wait.channel;
		return;
	}
	for (size_t c = 0; c < wait.case_count; c++) {
		runtime_wait_case(it.runtime, wait.first_case + c, &o->channel);
		if (o->channel.addr == o->addr)
			return;
	}
}

static void make_objects(struct wait_graph *w)
{
	if (w->waiter_count)
		qsort(w->waiters, w->waiter_count, sizeof(*w->waiters), by_object);
	w->objects = xcalloc(w->waiter_count + 1, sizeof(*w->objects));
	w->object_of =
		xcalloc(runtimes_goroutine_count(w->all) + 1, sizeof(*w->object_of));
	for (size_t i = 0; i < runtimes_goroutine_count(w->all); i++)
		w->object_of[i] = NO_OBJECT;
	for (size_t i = 0; i < w->waiter_count; i++) {
		struct waiter *waiter = &w->waiters[i];
		if (i == 0 || waiter[-1].addr != waiter->addr)
			w->objects[w->object_count++] = (struct wait_object){
				.addr = waiter->addr,
				.first_waiter = (uint32_t)i,
			};
		struct wait_object *o = &w->objects[w->object_count - 1];
		o->goroutine_count +=
			!o->waiter_count || waiter[-1].goroutine != waiter->goroutine;
		o->waiter_count++;
		if (!waiter->one_of)
			w->object_of[waiter->goroutine] = (uint32_t)(o - w->objects);
	}
	for (size_t i = 0; i < w->object_count; i++)
		describe(w, &w->objects[i]);
}

void wait_graph_find(struct wait_graph *ret, struct runtimes *all,
		     const struct groups *groups)
{
	*ret = (struct wait_graph){ .all = all };
	collect(ret);
	make_objects(ret);
	holders_find(ret, groups);
}

void wait_graph_done(struct wait_graph *w)
{
	xfree(w->objects);
	xfree(w->waiters);
	xfree(w->partners);
	xfree(w->object_of);
}

const struct wait_object *wait_graph_object(const struct wait_graph *w, uint64_t addr)
{
	size_t i = LOWER_BOUND(k, w->object_count, w->objects[k].addr < addr);

	return i < w->object_count && w->objects[i].addr == addr ? &w->objects[i] : NULL;
}

const struct wait_object *wait_graph_of(const struct wait_graph *w, uint32_t goroutine)
{
	uint32_t i = w->object_of[goroutine];

	return i == NO_OBJECT ? NULL : &w->objects[i];
}
