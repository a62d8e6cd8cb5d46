/* SPDX-License-Identifier: Apache-2.0 */
/* When sleepers wake: g.sleepWhen (1.23 on); before, the timer that time.Sleep keeps in
 * its goroutine (runtime/time.go timeSleep, resetForSleep). */
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/waits/wait_priv.h"

size_t waits_timer_bytes(const struct layout *l)
{
	struct slot when = l->slot[L_timer_when], period = l->slot[L_timer_period];
	int32_t end = when.off + (int32_t)when.size,
		other = period.off + (int32_t)period.size;

	if (when.off < 0)
		return 1;
	return (size_t)(end > other ? end : other);
}

static uint32_t add(struct waits *w, uint64_t when, uint64_t period)
{
	GROW(w->timers, w->timer_count, w->timer_cap);
	w->timers[w->timer_count++] = (struct timer_record){ when, period };
	return (uint32_t)(w->timer_count - 1);
}

uint32_t waits_add_timer(struct waits *w, const struct layout *l, const uint8_t *bytes)
{
	size_t len = waits_timer_bytes(l);

	return add(w, layout_get(l, L_timer_when, bytes, len),
		   layout_get(l, L_timer_period, bytes, len));
}

void waits_add_sleeper(struct waits *w, struct wait_record *r, uint64_t when)
{
	r->state = WAIT_FOUND;
	r->object = add(w, when, 0);
}

static void take_timer(void *arg, const struct struct_scan_item *item,
		       const uint8_t *bytes)
{
	struct runtime *rt = arg;
	struct wait_record *r = &rt->waits->records[item->tag];

	if (!bytes) {
		r->state = WAIT_BAD_TIMER;
		return;
	}
	r->state = WAIT_FOUND;
	r->object = waits_add_timer(rt->waits, &rt->layout, bytes);
}

static bool sleeps(const struct wait_record *r)
{
	return r->state == WAIT_PENDING && r->object != 0 &&
	       wait_source_of(r) == SOURCE_SLEEP;
}

void waits_read_sleepers(struct runtime *rt, struct target *live)
{
	struct waits *w = rt->waits;
	size_t n = 0;

	for (size_t i = 0; i < w->count; i++)
		n += sleeps(&w->records[i]);
	AUTO(xfree) struct struct_scan_item *items = xcalloc(n + 1, sizeof(*items));
	n = 0;
	for (size_t i = 0; i < w->count; i++)
		if (sleeps(&w->records[i]))
			items[n++] = (struct struct_scan_item){ w->records[i].object, i };
	struct_scan(live, items, n, waits_timer_bytes(&rt->layout), take_timer, rt);
}
