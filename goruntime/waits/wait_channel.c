/* SPDX-License-Identifier: Apache-2.0 */
/* The channels that goroutines wait for, each read once, and the direction of each select
 * case. A channel never has senders and receivers waiting at once, except for a goroutine
 * that does both in one select (invariants in runtime/chan.go). So the direction follows
 * from which queue is not empty; when both are not, from the sudogs in them. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/types/type_name.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/search.h"

/* In all queues together. */
enum { QUEUE_STEPS = 1 << 16 };

struct reading {
	struct runtime *rt;
	struct waits *w;
	struct struct_scan_item *timers; /* tag: the channel's index */
	size_t timer_count, timer_cap;
	struct struct_scan_item *both; /* receivers of channels that also have senders */
	size_t both_count, both_cap;
	bool lost; /* there are more than QUEUE_STEPS */
};

static struct channel_record *find_channel(const struct waits *w, uint64_t addr)
{
	size_t low = LOWER_BOUND(i, w->channel_count, w->channels[i].addr < addr);

	return low < w->channel_count && w->channels[low].addr == addr ? &w->channels[low]
								       : NULL;
}

static int by_addr(const void *a, const void *b)
{
	const struct struct_scan_item *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* The distinct channels, sorted. */
static struct struct_scan_item *list_channels(const struct waits *w, size_t *ret_n)
{
	size_t n = w->raw_count;

	for (size_t i = 0; i < w->count; i++)
		n += wait_source_of(&w->records[i]) == SOURCE_CHANNEL;
	struct struct_scan_item *items = xcalloc(n + 1, sizeof(*items));
	n = 0;
	for (size_t i = 0; i < w->raw_count; i++)
		items[n++].addr = w->raw_cases[i].channel;
	for (size_t i = 0; i < w->count; i++)
		if (wait_source_of(&w->records[i]) == SOURCE_CHANNEL &&
		    w->records[i].state == WAIT_FOUND)
			items[n++].addr = w->records[i].object;
	*ret_n = struct_scan_distinct(items, n);
	return items;
}

static uint32_t saturated(uint64_t v)
{
	return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static char *read_type_name(struct runtime *rt, uint64_t addr)
{
	struct go_type type;
	struct err ignored;

	target_budget_unit(rt->target);
	return type_read(rt, addr, &type, &ignored) && !type.omitted
		       ? xstrndup(type.name, type.name_len)
		       : NULL;
}

/* The index of the type with its descriptor at addr. */
static uint32_t element_type(struct reading *x, uint64_t addr)
{
	struct waits *w = x->w;
	size_t i = (size_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 40) % ELEMENT_TYPES;

	if (addr == 0)
		return NO_TYPE;
	while (w->element_types[i].addr && w->element_types[i].addr != addr)
		i = (i + 1) % ELEMENT_TYPES;
	if (!w->element_types[i].addr) {
		if (w->type_count == ELEMENT_TYPES / 2)
			return NO_TYPE;
		w->type_count++;
		w->element_types[i].addr = addr;
		w->element_types[i].name = read_type_name(x->rt, addr);
	}
	return (uint32_t)i;
}

static void take_channel(void *arg, const struct struct_scan_item *item,
			 const uint8_t *bytes)
{
	struct reading *x = arg;
	const struct layout *l = &x->rt->layout;
	size_t len = (size_t)l->slot[L_hchan_size].off;
	struct channel_record *c = &x->w->channels[x->w->channel_count++];

	*c = (struct channel_record){ .addr = item->addr,
				      .timer = NO_TIMER,
				      .type = NO_TYPE };
	if (!bytes)
		return;
	c->known = true;
	c->closed = layout_get(l, L_hchan_closed, bytes, len) != 0;
	c->len = saturated(layout_get(l, L_hchan_qcount, bytes, len));
	c->cap = saturated(layout_get(l, L_hchan_dataqsiz, bytes, len));
	c->receivers = layout_get(l, L_hchan_recvq, bytes, len) != 0;
	c->senders = layout_get(l, L_hchan_sendq, bytes, len) != 0;
	c->type = element_type(x, layout_get(l, L_hchan_elemtype, bytes, len));
	uint64_t timer = layout_get(l, L_hchan_timer, bytes, len);
	c->timed = timer != 0;
	if (timer) {
		GROW(x->timers, x->timer_count, x->timer_cap);
		x->timers[x->timer_count++] =
			(struct struct_scan_item){ timer, x->w->channel_count - 1 };
	}
	if (c->receivers && c->senders) {
		GROW(x->both, x->both_count, x->both_cap);
		x->both[x->both_count++] = (struct struct_scan_item){
			layout_get(l, L_hchan_recvq, bytes, len), 0
		};
	}
}

static void take_timer(void *arg, const struct struct_scan_item *item,
		       const uint8_t *bytes)
{
	struct reading *x = arg;

	if (bytes)
		x->w->channels[item->tag].timer =
			waits_add_timer(x->w, &x->rt->layout, bytes);
}

/* Follows all receivers, starting from the first of each queue. */
static void follow_queues(struct reading *x, struct target *live)
{
	for (size_t i = 0; i < x->both_count; i++) {
		uint64_t next;
		struct err ignored;

		x->lost |= i == QUEUE_STEPS;
		if (x->lost)
			break;
		target_budget_unit(live);
		if (!layout_load(&x->rt->layout, live, x->both[i].addr, L_sudog_next,
				 &next, &ignored) ||
		    next == 0)
			continue;
		GROW(x->both, x->both_count, x->both_cap);
		x->both[x->both_count++] = (struct struct_scan_item){ next, 0 };
	}
	if (x->both_count)
		qsort(x->both, x->both_count, sizeof(*x->both), by_addr);
}

static enum wait_operation direction(const struct reading *x, const struct raw_case *c)
{
	const struct channel_record *channel = find_channel(x->w, c->channel);
	struct struct_scan_item key = { .addr = c->sudog };

	if (!channel || !channel->known)
		return WAIT_ANY;
	if (!channel->receivers || !channel->senders)
		return channel->receivers ? WAIT_RECEIVE
		       : channel->senders ? WAIT_SEND
					  : WAIT_ANY;
	if (x->lost)
		return WAIT_ANY;
	return bsearch(&key, x->both, x->both_count, sizeof(key), by_addr) ? WAIT_RECEIVE
									   : WAIT_SEND;
}

void waits_read_channels(struct runtime *rt, struct target *live)
{
	struct waits *w = rt->waits;
	struct reading x = { .rt = rt, .w = w };
	struct slot size = rt->layout.slot[L_hchan_size];
	size_t n;

	AUTO(xfree) struct struct_scan_item *items = list_channels(w, &n);
	w->channels = xcalloc(n + 1, sizeof(*w->channels));
	w->element_types = xcalloc(ELEMENT_TYPES, sizeof(*w->element_types));
	struct_scan(live, items, n, (size_t)size.off, take_channel, &x);
	struct_scan(live, x.timers, x.timer_count, waits_timer_bytes(&rt->layout),
		    take_timer, &x);
	follow_queues(&x, live);
	for (size_t i = 0; i < w->raw_count; i++)
		w->raw_cases[i].operation = direction(&x, &w->raw_cases[i]);
	xfree(x.timers);
	xfree(x.both);
}

static int by_select(const void *a, const void *b)
{
	const struct raw_case *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void waits_finish_cases(struct waits *w)
{
	size_t n = w->raw_count;

	if (n == 0)
		return;
	qsort(w->raw_cases, n, sizeof(*w->raw_cases), by_select);
	w->cases = xcalloc(n, sizeof(*w->cases));
	for (size_t i = 0; i < n; i++) {
		const struct raw_case *c = &w->raw_cases[i];
		w->cases[i] = (struct wait_case_record){
			.channel = c->channel,
			.operation = c->operation,
			.last = i + 1 == n || c[1].record != c->record,
		};
		if (c->order == 0) {
			w->records[c->record].object = i;
			w->records[c->record].has_cases = true;
		}
	}
	w->case_count = n;
	xfree(TAKE(w->raw_cases));
	w->raw_count = w->raw_cap = 0;
}

void waits_channel(const struct waits *w, uint64_t addr, struct wait_channel *ret)
{
	const struct channel_record *c = find_channel(w, addr);
	*ret = (struct wait_channel){ .addr = addr };

	if (!c || !c->known)
		return;
	ret->known = true;
	ret->closed = c->closed;
	ret->has_len = !c->timed && c->cap < UINT32_MAX;
	ret->len = c->len;
	ret->cap = c->cap;
	if (c->type != NO_TYPE)
		ret->element_type = w->element_types[c->type].name;
	if (c->timer == NO_TIMER)
		return;
	ret->when = w->timers[c->timer].when;
	ret->period = w->timers[c->timer].period;
	ret->is_stopped = ret->when == 0;
}
