/* SPDX-License-Identifier: Apache-2.0 */
/* The Ms, by runtime.allm: threads as the scheduler knows them, also those that have none
 * (yet). */
#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"
#include "lib/base/table.h"

static const enum layout_slot needed[] = {
	L_m_id,	      L_m_p,	   L_m_nextp, L_m_curg,	 L_m_lockedg,
	L_m_spinning, L_m_blocked, L_m_locks, L_m_incgo, L_m_alllink,
};

static struct state_number processor_id(struct state_reading *r, const uint8_t *bytes,
					size_t len, enum layout_slot slot)
{
	return state_load(r, layout_get(&r->rt->layout, slot, bytes, len), L_p_id);
}

static void read_one(struct state_reading *r, const uint8_t *bytes, size_t len,
		     struct machine_state *m)
{
	const struct layout *l = &r->rt->layout;

	m->id = state_get(l, L_m_id, bytes, len);
	m->processor = processor_id(r, bytes, len, L_m_p);
	m->next_processor = processor_id(r, bytes, len, L_m_nextp);
	m->goroutine = state_goroutine(r, layout_get(l, L_m_curg, bytes, len));
	m->locked_goroutine = state_goroutine(r, layout_get(l, L_m_lockedg, bytes, len));
	m->spinning = state_get(l, L_m_spinning, bytes, len);
	m->blocked = state_get(l, L_m_blocked, bytes, len);
	m->in_cgo = state_get(l, L_m_incgo, bytes, len);
	m->locks = state_get(l, L_m_locks, bytes, len);
}

/* By address of the M: 1 + the index of its thread. */
static void index_threads(const struct runtime *rt, struct table *threads)
{
	for (size_t i = 0; i < rt->machine_count; i++)
		if (rt->machines[i].m)
			table_set(threads, rt->machines[i].m, 0, i + 1);
}

static void follow(struct state_reading *r, const struct table *threads, uint64_t addr)
{
	struct runtime_state *to = r->to;
	const size_t len = state_bytes(&r->rt->layout, needed, ARRAY_SIZE(needed));
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	struct err ignored;
	size_t cap = 0;

	for (; addr && to->machine_count < LIMIT_MACHINES; to->machine_count++) {
		if (!target_read(r->source, addr, bytes, len, &ignored)) {
			to->machines_unreadable = "the next of them could not be read";
			return;
		}
		GROW(to->machines, to->machine_count, cap);
		struct machine_state *m = &to->machines[to->machine_count];
		const uint64_t thread = table_get(threads, addr, 0);
		*m = (struct machine_state){
			.thread = { thread - 1, thread != 0 },
		};
		read_one(r, bytes, len, m);
		addr = layout_get(&r->rt->layout, L_m_alllink, bytes, len);
	}
	if (addr)
		to->machines_unreadable = "more than gosnap reads";
}

void state_read_machines(struct state_reading *r)
{
	struct table threads = { 0 };
	uint64_t newest;
	struct err ignored;

	if (!r->rt->places.allm ||
	    !target_read_uint(r->source, r->rt->places.allm, WORD, &newest, &ignored)) {
		r->to->machines_unreadable = "the runtime's variable allm was not found";
		return;
	}
	index_threads(r->rt, &threads);
	follow(r, &threads, newest);
	table_free(&threads);
}
