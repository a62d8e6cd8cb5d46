/* SPDX-License-Identifier: Apache-2.0 */
/* The Ps, by runtime.allp (runtime/runtime2.go, p). */
#include <string.h>

#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"
#include "lib/target/target.h"

const char *processor_status_name(uint64_t status)
{
	static const char *const names[] = { "idle", "running", "syscall", "gcstop",
					     "dead" };

	return status < ARRAY_SIZE(names) ? names[status] : NULL;
}

/* gcMarkWorkerMode in runtime/mgc.go. */
enum { MARK_WORKER_IDLE = 3 };

const char *mark_worker_name(uint64_t mode)
{
	static const char *const names[] = { NULL, "dedicated", "fractional", "idle" };

	return mode < ARRAY_SIZE(names) ? names[mode] : NULL;
}

/* A ring, from head to tail; runnext runs before all of it. */
static void read_queue(struct state_reading *r, const uint8_t *bytes, size_t len,
		       struct goroutine_queue *q)
{
	const struct slot ring = r->rt->layout.slot[L_p_runq];
	const size_t room = ring.size / WORD;
	const struct state_number head = state_get(&r->rt->layout, L_p_runqhead, bytes,
						   len),
				  tail = state_get(&r->rt->layout, L_p_runqtail, bytes,
						   len);
	const uint32_t n = (uint32_t)(tail.value - head.value);

	if (!head.known || !tail.known || ring.off < 0 || !room ||
	    (size_t)ring.off + ring.size > len || n > room) {
		q->unreadable = "it is damaged";
		return;
	}
	q->length = n;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t g;
		memcpy(&g, bytes + ring.off + (head.value + i) % room * WORD, sizeof(g));
		const struct state_number id = state_goroutine(r, g);
		if (!id.known) {
			q->unreadable =
				"the next in it is not a goroutine that could be read";
			return;
		}
		state_queue_add(q, id.value);
	}
}

static const enum layout_slot needed[] = {
	L_p_id,
	L_p_status,
	L_p_schedtick,
	L_p_syscalltick,
	L_p_m,
	L_p_runq,
	L_p_runqhead,
	L_p_runqtail,
	L_p_runnext,
	L_p_preempt,
	L_p_timers,
	L_p_mark_worker_mode,
	L_p_seen_schedtick,
	L_p_seen_when,
	L_p_stop_time,
};

/* The monitor notes when it first sees a schedtick (runtime/proc.go, retake). */
static struct state_number seen(const struct layout *l, const uint8_t *bytes, size_t len)
{
	const struct state_number tick = state_get(l, L_p_schedtick, bytes, len),
				  seen = state_get(l, L_p_seen_schedtick, bytes, len);
	struct state_number when = state_get(l, L_p_seen_when, bytes, len);

	when.known &= tick.known && seen.known && tick.value == seen.value && when.value;
	return when;
}

static struct timer_heap heap_of(const struct layout *l, const uint8_t *bytes, size_t len)
{
	struct timer_heap heap = { 0 };
	const struct slot s = l->slot[L_p_timers];

	if (s.off >= 0 && s.size == 3 * WORD && (size_t)s.off + s.size <= len)
		memcpy(&heap, bytes + s.off, sizeof(heap));
	return heap;
}

static struct state_number asked(struct state_reading *r, uint64_t m)
{
	return state_load(r, state_load(r, m, L_m_curg).value, L_g_preempt);
}

static void read_one(struct state_reading *r, const uint8_t *bytes, size_t len,
		     struct processor_state *p, struct timer_heap *heap)
{
	const struct layout *l = &r->rt->layout;

	p->id = state_get(l, L_p_id, bytes, len);
	p->status = state_get(l, L_p_status, bytes, len);
	p->schedtick = state_get(l, L_p_schedtick, bytes, len);
	p->syscalltick = state_get(l, L_p_syscalltick, bytes, len);
	p->preempt = state_get(l, L_p_preempt, bytes, len);
	p->asked = asked(r, layout_get(l, L_p_m, bytes, len));
	p->seen = seen(l, bytes, len);
	p->looked_at = state_get(l, L_p_seen_when, bytes, len);
	p->stopped = state_get(l, L_p_stop_time, bytes, len);
	p->stopped.known &= p->stopped.value != 0;
	/* Before 0 meant that there is no worker, the last one's mode stayed. */
	if (l->slot[L_mark_worker_idle].off == MARK_WORKER_IDLE)
		p->mark_worker = state_get(l, L_p_mark_worker_mode, bytes, len);
	p->machine = state_load(r, layout_get(l, L_p_m, bytes, len), L_m_id);
	p->next = state_goroutine(r, layout_get(l, L_p_runnext, bytes, len));
	*heap = heap_of(l, bytes, len);
	p->timers = (struct state_number){ heap->len, heap->array || !heap->len };
	read_queue(r, bytes, len, &p->queue);
}

void state_read_processors(struct state_reading *r)
{
	struct runtime_state *to = r->to;
	const size_t len = state_bytes(&r->rt->layout, needed, ARRAY_SIZE(needed));
	uint64_t array, count, addr;
	struct err ignored;

	if (!r->rt->places.allp ||
	    !target_read_uint(r->source, r->rt->places.allp, WORD, &array, &ignored) ||
	    !target_read_uint(r->source, r->rt->places.allp + WORD, WORD, &count,
			      &ignored)) {
		to->processors_unreadable = "the runtime's variable allp was not found";
		return;
	}
	to->scheduler.gomaxprocs = (struct state_number){ count, true };
	if (count > LIMIT_PROCESSORS) {
		to->processors_unreadable = "more than gosnap reads";
		count = LIMIT_PROCESSORS;
	}
	AUTO(xfree) uint8_t *bytes = xmalloc(len);
	to->processors = xcalloc(count + 1, sizeof(*to->processors));
	r->heaps = xcalloc(count + 1, sizeof(*r->heaps));
	for (; to->processor_count < count; to->processor_count++) {
		struct processor_state *p = &to->processors[to->processor_count];
		if (target_read_uint(r->source, array + to->processor_count * WORD, WORD,
				     &addr, &ignored) &&
		    target_read(r->source, addr, bytes, len, &ignored))
			read_one(r, bytes, len, p, &r->heaps[to->processor_count]);
		else
			p->unreadable = "it could not be read";
	}
}
