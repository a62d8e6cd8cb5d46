/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "goruntime/goruntime.h"
#include "lib/base/limit.h"
#include "printers/document/print_document.h"

#define NEVER (UINT64_C(1) << 62)

/* What is not known is left out. */
static void print_number(struct sink *out, const char *name, struct state_number n)
{
	if (n.known)
		sink_named_uint(out, name, n.value);
}

static void print_true(struct sink *out, const char *name, struct state_number n)
{
	if (n.known && n.value)
		sink_named_bool(out, name, true);
}

static void print_queue(struct sink *out, const char *name,
			const struct goroutine_queue *q)
{
	sink_named_begin(out, name, SINK_OBJECT);
	sink_named_uint(out, "length", q->length);
	sink_named_begin(out, "goroutines", SINK_ARRAY);
	for (size_t i = 0; i < q->count; i++)
		sink_uint(out, q->ids[i]);
	sink_end(out);
	if (q->unreadable)
		sink_named_string(out, "unreadable", q->unreadable);
	else if (q->length > q->count)
		sink_named_uint(out, "elided", q->length - q->count);
	sink_end(out);
}

static void print_scheduler(struct sink *out, const struct scheduler_state *s)
{
	sink_named_begin(out, "scheduler", SINK_OBJECT);
	print_number(out, "gomaxprocs", s->gomaxprocs);
	if (s->unreadable) {
		sink_named_string(out, "unreadable", s->unreadable);
		sink_end(out);
		return;
	}
	print_number(out, "idle_processors", s->idle_processors);
	print_number(out, "machines", s->machines);
	print_number(out, "max_machines", s->most_machines);
	print_number(out, "idle_machines", s->idle_machines);
	print_number(out, "locked_idle_machines", s->locked_idle_machines);
	print_number(out, "spinning_machines", s->spinning_machines);
	print_queue(out, "run_queue", &s->queue);
	if (s->stopping.value) {
		print_true(out, "stopping_world", s->stopping);
		print_number(out, "processors_to_stop", s->processors_to_stop);
	}
	print_true(out, "user_goroutines_disabled", s->user_disabled);
	print_true(out, "monitor_sleeps", s->monitor_sleeps);
	if (s->last_poll.known && !s->last_poll.value)
		sink_named_bool(out, "waits_for_network", true);
	sink_end(out);
}

/* How long ago. */
static void print_since(struct sink *out, const char *name,
			const struct snapshot_time *moment, struct state_number n)
{
	if (n.known && n.value <= moment->now_ns)
		sink_named_uint(out, name, moment->now_ns - n.value);
}

static void print_processor(struct sink *out, const struct snapshot_time *moment,
			    const struct processor_state *p)
{
	sink_begin(out, SINK_OBJECT);
	if (p->unreadable) {
		sink_named_string(out, "unreadable", p->unreadable);
		sink_end(out);
		return;
	}
	print_number(out, "id", p->id);
	sink_named_string(out, "status", processor_status_name(p->status.value));
	print_number(out, "machine", p->machine);
	print_number(out, "schedtick", p->schedtick);
	print_number(out, "syscalltick", p->syscalltick);
	if (p->preempt.value)
		print_true(out, "preempt", p->preempt);
	else
		print_true(out, "preempt", p->asked);
	print_since(out, "unchanged_ns", moment, p->seen);
	print_since(out, "stopped_ns", moment, p->stopped);
	sink_named_string(out, "mark_worker", mark_worker_name(p->mark_worker.value));
	print_number(out, "timers", p->timers);
	print_number(out, "run_next", p->next);
	print_queue(out, "run_queue", &p->queue);
	sink_end(out);
}

static void print_machine(struct sink *out, const struct runtime_printing *p,
			  const struct machine_state *m)
{
	sink_begin(out, SINK_OBJECT);
	print_number(out, "id", m->id);
	if (m->thread.known)
		sink_named_int(out, "thread", p->threads[m->thread.value].tid);
	print_number(out, "processor", m->processor);
	print_number(out, "next_processor", m->next_processor);
	print_number(out, "goroutine", m->goroutine);
	print_number(out, "locked_goroutine", m->locked_goroutine);
	print_true(out, "spinning", m->spinning);
	print_true(out, "blocked", m->blocked);
	print_true(out, "in_cgo", m->in_cgo);
	if (m->locks.value)
		print_number(out, "locks", m->locks);
	sink_end(out);
}

/* of the heap */
static void print_bytes_of_heap(struct sink *out, const struct gc_state *gc)
{
	if (gc->limit.known && gc->limit.value != INT64_MAX)
		print_number(out, "memory_limit_bytes", gc->limit);
	if (gc->goal.value != UINT64_MAX)
		print_number(out, "goal_bytes", gc->goal);
	if (gc->triggered.value != UINT64_MAX)
		print_number(out, "triggered_bytes", gc->triggered);
	print_number(out, "live_bytes", gc->live);
	print_number(out, "marked_bytes", gc->marked);
}

static void print_pauses(struct sink *out, const struct gc_state *gc)
{
	if (gc->ended.known && gc->ended.value) {
		sink_name(out, "ended_at");
		sink_time(out, gc->ended.value);
	}
	print_number(out, "pause_total_ns", gc->paused);
	sink_named_begin(out, "pauses", SINK_ARRAY);
	for (size_t i = 0; i < gc_recent_pauses(gc); i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "pause_ns", gc->pauses[i].ns);
		sink_name(out, "ended_at");
		sink_time(out, gc->pauses[i].ended);
		sink_end(out);
	}
	sink_end(out);
}

static void print_cost(struct sink *out, const struct gc_state *gc)
{
	print_number(out, "cpu_millionths", gc->processor_share);
	print_number(out, "mapped_bytes", gc->mapped);
	print_true(out, "limited", gc->limited);
	print_number(out, "limiter_used_ns", gc->budget_used);
	print_number(out, "limiter_ns", gc->budget);
	print_number(out, "finalizers", gc->finalizers);
	print_number(out, "cleanups", gc->cleanups);
}

static void print_gc(struct sink *out, const struct gc_state *gc)
{
	sink_named_begin(out, "gc", SINK_OBJECT);
	sink_named_string(out, "unreadable", gc->unreadable);
	if (gc->phase.known)
		sink_named_string(out, "phase", gc_phase_name(gc->phase.value));
	if (gc->phase.value)
		print_true(out, "forced", gc->forced);
	print_number(out, "cycles", gc->cycles);
	print_number(out, "forced_cycles", gc->forced_cycles);
	if (gc->percent.known)
		sink_named_int(out, "percent", (int32_t)gc->percent.value);
	print_bytes_of_heap(out, gc);
	if (!gc->unreadable)
		print_pauses(out, gc);
	if (gc->has_assists)
		print_queue(out, "assists", &gc->assists);
	print_cost(out, gc);
	sink_end(out);
}

static void print_memory(struct sink *out, const struct memory_state *m)
{
	sink_named_begin(out, "memory", SINK_OBJECT);
	sink_named_string(out, "unreadable", m->unreadable);
	print_number(out, "heap_inuse_bytes", m->heap_in_use);
	print_number(out, "heap_idle_bytes", m->heap_idle);
	print_number(out, "heap_released_bytes", m->heap_released);
	print_number(out, "heap_sys_bytes", m->heap_sys);
	print_number(out, "stack_inuse_bytes", m->stacks_in_use);
	print_number(out, "stack_sys_bytes", m->stacks_sys);
	print_number(out, "mspan_inuse_bytes", m->spans_in_use);
	print_number(out, "mspan_sys_bytes", m->spans_sys);
	print_number(out, "mcache_inuse_bytes", m->caches_in_use);
	print_number(out, "mcache_sys_bytes", m->caches_sys);
	print_number(out, "buck_hash_sys_bytes", m->profile_sys);
	print_number(out, "gc_sys_bytes", m->gc_sys);
	print_number(out, "other_sys_bytes", m->other_sys);
	print_number(out, "sys_bytes", m->sys);
	sink_end(out);
}

static const char *function_at(struct runtime *rt, uint64_t pc)
{
	struct code_frame code;

	return pc && runtime_code_at(rt, pc, &code) ? code.function : NULL;
}

/* What the functions of the standard library take. */
static void print_argument(struct sink *out, struct runtime *rt,
			   const struct timer_state *t, const char *function)
{
	if (strcmp(function, "time.goFunc") == 0)
		sink_named_string(out, "calls", function_at(rt, t->called));
	else if (strcmp(function, "time.sendTime") == 0 && t->argument)
		sink_named_address(out, "channel", t->argument);
	else
		print_number(out, "goroutine", t->goroutine);
}

/* Far in the future is never. */
static void print_timer(struct sink *out, const struct runtime_printing *p,
			struct runtime *rt, const struct timer_state *t)
{
	const char *function = function_at(rt, t->function);

	sink_begin(out, SINK_OBJECT);
	if (t->when < NEVER) {
		sink_name(out, "when");
		sink_time(out, p->moment->realtime_ns + (t->when - p->moment->now_ns));
	}
	if (t->period)
		sink_named_uint(out, "period_ns", t->period);
	sink_named_string(out, "function", function);
	if (function)
		print_argument(out, rt, t, function);
	sink_named_uint(out, "processor", t->processor);
	sink_end(out);
}

static void print_timers(struct sink *out, const struct runtime_printing *p,
			 struct runtime *rt, const struct runtime_state *s)
{
	sink_named_begin(out, "timers", SINK_OBJECT);
	sink_named_uint(out, "count", s->timers_all);
	sink_named_begin(out, "next", SINK_ARRAY);
	for (size_t i = 0; i < s->timer_count; i++)
		print_timer(out, p, rt, &s->timers[i]);
	sink_end(out);
	if (s->timers_partial)
		sink_named_string(out, "unreadable", "some of them could not be read");
	sink_end(out);
}

static void print_pools(struct sink *out, struct runtime *rt,
			const struct runtime_state *s)
{
	sink_named_begin(out, "pools", SINK_ARRAY);
	for (size_t i = 0; i < s->pool_count; i++) {
		const struct pool_state *pool = &s->pools[i];
		sink_begin(out, SINK_OBJECT);
		sink_named_address(out, "address", pool->addr);
		sink_named_string(out, "new", function_at(rt, pool->creator));
		sink_named_uint(out, "objects", pool->objects);
		sink_named_uint(out, "victims", pool->victims);
		sink_end(out);
	}
	sink_end(out);
	if (s->pools_partial)
		sink_named_string(out, "pools_unreadable",
				  "there are more, or some could not be read");
}

/* What there is of a list, even if not all of it could be read. */
static void print_why(struct sink *out, const char *name, const char *unreadable)
{
	sink_named_string(out, name, unreadable);
}

static void print_one(struct sink *out, const struct runtime_printing *p,
		      struct runtime *rt, const struct runtime_state *s)
{
	print_scheduler(out, &s->scheduler);
	sink_named_begin(out, "processors", SINK_ARRAY);
	for (size_t i = 0; i < s->processor_count; i++)
		print_processor(out, p->moment, &s->processors[i]);
	sink_end(out);
	print_why(out, "processors_unreadable", s->processors_unreadable);
	sink_named_begin(out, "machines", SINK_ARRAY);
	for (size_t i = 0; i < s->machine_count; i++)
		print_machine(out, p, &s->machines[i]);
	sink_end(out);
	print_why(out, "machines_unreadable", s->machines_unreadable);
	print_gc(out, &s->gc);
	print_memory(out, &s->memory);
	print_timers(out, p, rt, s);
	print_pools(out, rt, s);
}

static void print_heap(struct sink *out, const struct runtime_printing *p,
		       struct runtime *rt)
{
	const struct heap_wishes wishes = { .ns = LIMIT_HEAP_NS,
					    .retained = HEAP_RETAINED_CHEAPLY };
	struct heap_summary s;
	struct err err;

	if (!p->heap && !p->no_heap)
		return;
	sink_name(out, "heap");
	if (p->heap && heap_summarize(rt, p->heap, &wishes, &s, &err)) {
		print_heap_summary(out, &s);
	} else {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "unreadable", p->heap ? err.text : p->no_heap);
		sink_end(out);
	}
	if (p->heap)
		heap_summary_done(&s);
}

static void print_nth(struct sink *out, const struct runtime_printing *p, size_t i)
{
	struct runtime *rt = runtimes_get(p->runtimes, i);
	const struct runtime_state *s = runtime_state(rt);

	if (s)
		print_one(out, p, rt, s);
	else
		sink_named_string(out, "unreadable", runtime_unusable(rt));
	if (s)
		print_heap(out, p, rt);
}

void print_runtime_state(struct sink *out, const struct runtime_printing *p)
{
	const size_t n = runtimes_count(p->runtimes);

	sink_begin(out, SINK_OBJECT);
	print_nth(out, p, 0);
	if (n > 1) {
		sink_named_begin(out, "other_runtimes", SINK_ARRAY);
		for (size_t i = 1; i < n; i++) {
			sink_begin(out, SINK_OBJECT);
			print_nth(out, p, i);
			sink_end(out);
		}
		sink_end(out);
	}
	sink_end(out);
}
