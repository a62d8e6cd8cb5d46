/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.sched: what all threads share of the scheduler (runtime/runtime2.go, schedt). */
#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"

/* sched.mcount() */
static struct state_number machines(struct state_reading *r, uint64_t at)
{
	struct state_number created = state_count(r, at, L_sched_mnext),
			    freed = state_count(r, at, L_sched_nmfreed);

	created.known &= freed.known && freed.value <= created.value;
	created.value -= freed.value;
	return created;
}

static void read_queue(struct state_reading *r, uint64_t at, struct goroutine_queue *q)
{
	const struct state_number head = state_load(r, at, L_sched_runq),
				  size = state_count(r, at, L_sched_runqsize);

	if (!head.known || !size.known) {
		q->unreadable = "it could not be read";
		return;
	}
	q->length = size.value;
	state_read_list(r, head.value, q);
}

void state_read_scheduler(struct state_reading *r)
{
	struct scheduler_state *s = &r->to->scheduler;
	const uint64_t at = r->rt->places.sched;

	if (!at) {
		s->unreadable = "the runtime's variable sched was not found";
		return;
	}
	s->idle_processors = state_count(r, at, L_sched_npidle);
	s->machines = machines(r, at);
	s->most_machines = state_count(r, at, L_sched_maxmcount);
	s->idle_machines = state_count(r, at, L_sched_nmidle);
	s->locked_idle_machines = state_count(r, at, L_sched_nmidlelocked);
	s->spinning_machines = state_count(r, at, L_sched_nmspinning);
	s->stopping = state_load(r, at, L_sched_gcwaiting);
	s->processors_to_stop = state_count(r, at, L_sched_stopwait);
	s->user_disabled = state_load(r, at, L_sched_user_disabled);
	s->monitor_sleeps = state_load(r, at, L_sched_sysmonwait);
	s->last_poll = state_load(r, at, L_sched_lastpoll);
	s->processor_time = state_load(r, at, L_sched_totaltime);
	read_queue(r, at, &s->queue);
}
