/* SPDX-License-Identifier: Apache-2.0 */
/* state_priv.h - how the state of a runtime is read: where its variables are, looked up while
 * the process runs; then, while it stands still, all that is shown. Private to goruntime. */
#ifndef GOSNAP_STATE_PRIV_H
#define GOSNAP_STATE_PRIV_H

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/runtime_state.h"

/* state_places.c: does nothing if they are known. */
void state_places_find(struct runtime *rt);
void gc_places_find(struct runtime *rt);    /* gc_places.c: a part of that */
void queue_places_find(struct runtime *rt); /* call_queues.c: another */
void pool_places_find(struct runtime *rt);  /* pools.c: likewise */

/* runtime_state.c */
void runtime_state_read(struct runtime *rt, struct target *source);
void runtime_state_forget(struct runtime *rt); /* but not the places */

/* What the files of one reading share. */
struct state_reading {
	struct runtime *rt;
	struct target *source;
	struct runtime_state *to;
	struct timer_heap *heaps; /* of the Ps */
	uint32_t pool_reads;
};

/* The heap of a P: an array in which the children of i are 4 i + 1 to 4 i + 4. */
struct timer_heap {
	uint64_t array, len;
};
/* One number, as large as its field. Absent fields and what cannot be read: unknown. */
struct state_number state_load(struct state_reading *r, uint64_t base,
			       enum layout_slot slot);
/* The same as the runtime's signed number. Negative: unknown. */
struct state_number state_count(struct state_reading *r, uint64_t base,
				enum layout_slot slot);
/* A number of a struct that was read. */
struct state_number state_get(const struct layout *l, enum layout_slot slot,
			      const uint8_t *bytes, size_t len);
/* How much of a struct to read, to have all of these fields. */
size_t state_bytes(const struct layout *l, const enum layout_slot *slots, size_t n);
/* The id of a goroutine. Unknown: nil, or none that gosnap knows. */
struct state_number state_goroutine(struct state_reading *r, uint64_t g);
void state_queue_add(struct goroutine_queue *q, uint64_t id);
/* Goroutines linked by g.schedlink. */
void state_read_list(struct state_reading *r, uint64_t head, struct goroutine_queue *q);

void state_read_scheduler(struct state_reading *r);
void state_read_processors(struct state_reading *r);
void state_read_machines(struct state_reading *r);
/* Then r->heaps are known. */
void state_read_timers(struct state_reading *r);
void state_read_gc(struct state_reading *r);
void state_read_call_queues(struct state_reading *r);
struct state_number gc_goal(struct state_reading *r);
void state_read_memory(struct state_reading *r);
void state_read_pools(struct state_reading *r);

#endif
