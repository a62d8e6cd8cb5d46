/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "goruntime/sched/sched.h"
#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"

struct state_number state_load(struct state_reading *r, uint64_t base,
			       enum layout_slot slot)
{
	struct state_number n = { 0 };
	struct err ignored;

	n.known = base &&
		  layout_load(&r->rt->layout, r->source, base, slot, &n.value, &ignored);
	return n;
}

struct state_number state_count(struct state_reading *r, uint64_t base,
				enum layout_slot slot)
{
	struct state_number n = state_load(r, base, slot);
	const unsigned bits = 8U * r->rt->layout.slot[slot].size;

	n.known = n.known && bits && !(n.value >> (bits - 1));
	return n;
}

struct state_number state_get(const struct layout *l, enum layout_slot slot,
			      const uint8_t *bytes, size_t len)
{
	const struct slot s = l->slot[slot];

	if (s.off < 0 || s.size > sizeof(uint64_t) || (size_t)s.off + s.size > len)
		return (struct state_number){ 0 };
	return (struct state_number){ layout_get(l, slot, bytes, len), true };
}

size_t state_bytes(const struct layout *l, const enum layout_slot *slots, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct slot s = l->slot[slots[i]];
		if (s.off >= 0 && (size_t)s.off + s.size > end)
			end = (size_t)s.off + s.size;
	}
	return end;
}

struct state_number state_goroutine(struct state_reading *r, uint64_t g)
{
	const struct goroutine *found = g ? goroutine_by_addr(r->rt, g) : NULL;

	return (struct state_number){ found ? found->id : 0, found != NULL };
}

void state_queue_add(struct goroutine_queue *q, uint64_t id)
{
	if (!q->ids)
		q->ids = xcalloc(LIMIT_QUEUE, sizeof(*q->ids));
	q->ids[q->count++] = id;
}

void state_read_list(struct state_reading *r, uint64_t head, struct goroutine_queue *q)
{
	while (head && q->count < LIMIT_QUEUE) {
		const struct state_number g = state_goroutine(r, head);
		const struct state_number next = state_load(r, head, L_g_schedlink);
		if (!g.known || !next.known) {
			q->unreadable = "the next in it is not a goroutine that could "
					"be read";
			return;
		}
		state_queue_add(q, g.value);
		head = next.value;
	}
}

void runtime_state_read(struct runtime *rt, struct target *source)
{
	if (!rt->modules || rt->unusable)
		return;
	rt->state = xcalloc(1, sizeof(*rt->state));
	struct state_reading r = { .rt = rt, .source = source, .to = rt->state };
	state_places_find(rt);
	target_budget_unit(source);
	state_read_scheduler(&r);
	state_read_processors(&r);
	state_read_timers(&r);
	xfree(r.heaps);
	state_read_machines(&r);
	state_read_gc(&r);
	state_read_call_queues(&r);
	state_read_memory(&r);
	state_read_pools(&r);
}

void runtime_state_forget(struct runtime *rt)
{
	struct runtime_state *s = TAKE(rt->state);

	if (!s)
		return;
	xfree(s->scheduler.queue.ids);
	for (size_t i = 0; i < s->processor_count; i++)
		xfree(s->processors[i].queue.ids);
	xfree(s->gc.assists.ids);
	xfree(s->processors);
	xfree(s->machines);
	xfree(s);
}

const struct runtime_state *runtime_state(const struct runtime *rt)
{
	return rt->state;
}
