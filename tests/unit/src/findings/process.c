/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/fingerprints.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

struct process process;

/* Addresses are all that is made of these here: of the runtime with the number. */
static char runtimes[RUNTIMES];

static size_t number_of(const struct runtime *rt)
{
	return (size_t)((const char *)rt - runtimes);
}

static uint32_t number_of_goroutine(const struct goroutine *g)
{
	return (uint32_t)(g - process.goroutines);
}

size_t runtimes_count(const struct runtimes *all)
{
	(void)all;
	return RUNTIMES;
}

struct runtime *runtimes_get(const struct runtimes *all, size_t i)
{
	(void)all;
	assert_true(i < RUNTIMES);
	return (struct runtime *)&runtimes[i];
}

struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i)
{
	assert_true(i < process.count);
	return (struct goroutine_of){
		.number = process.runtime_of[i],
		.runtime = runtimes_get(all, process.runtime_of[i]),
		.goroutine = &process.goroutines[i],
	};
}

size_t runtimes_goroutine_count(const struct runtimes *all)
{
	(void)all;
	return process.count;
}

uint64_t runtimes_lock_wait_since(struct runtimes *all, struct runtime *rt,
				  const struct goroutine *g)
{
	(void)all;
	(void)rt;
	return process.lock_wait_since[g - process.goroutines];
}

bool runtime_has_coroutines(const struct runtime *rt)
{
	(void)rt;
	return false;
}

const struct runtime_state *runtime_state(const struct runtime *rt)
{
	return &process.states[number_of(rt)];
}

/* A stack is the goroutine's, by its number, and has one frame. After these come those of threads. */
void runtimes_each_frame(struct runtimes *all, uint32_t stack, code_frame_fn *fn,
			 void *arg)
{
	const bool is_c = stack >= GOROUTINES_MAX;
	const struct code_frame frame = {
		.function = is_c ? process.c_function : process.in[stack],
		.c = is_c,
	};

	(void)all;
	assert_true(is_c || stack < process.count);
	if (frame.function)
		fn(arg, &frame);
}

const struct thread_state *runtimes_thread(const struct runtimes *all, size_t i)
{
	static const struct thread_state state = { .stack = GOROUTINES_MAX };

	(void)all;
	assert_true(i < THINGS_MAX);
	return &state;
}

bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	(void)rt;
	*ret = (struct code_frame){ .function = (const char *)(uintptr_t)pc };
	return pc != 0;
}

bool runtime_call_before(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	return runtime_code_at(rt, pc, ret);
}

bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret)
{
	const uint32_t i = number_of_goroutine(g);

	(void)rt;
	*ret = process.waits[i];
	return process.is_waiting[i];
}

const char *runtime_wait_reason(const struct runtime *rt, unsigned reason)
{
	(void)rt;
	return reason ? process.reason : NULL;
}

const char *fault_misused_map(const struct fault *fault)
{
	(void)fault;
	return process.misused_map;
}

const struct wait_object *wait_graph_of(const struct wait_graph *w, uint32_t goroutine)
{
	(void)w;
	assert_true(goroutine < process.count);
	return process.object_of[goroutine]
		       ? &process.objects[process.object_of[goroutine] - 1]
		       : NULL;
}

const struct wait_object *wait_graph_object(const struct wait_graph *w, uint64_t addr)
{
	for (size_t i = 0; i < w->object_count; i++)
		if (w->objects[i].addr == addr)
			return &w->objects[i];
	return NULL;
}

void stack_text_of(struct stack_text *ret, struct runtimes *all, uint32_t stack)
{
	(void)all;
	assert_true(stack < process.count);
	*ret = (struct stack_text){ .most = 1 };
}

void process_begin(void)
{
	memset(&process, 0, sizeof(process));
	process.states[0].processors = process.processors;
	process.states[0].machines = process.machines;
	for (size_t i = 0; i < GOROUTINES_MAX; i++)
		process.members[i] = (uint32_t)i;
}

uint32_t process_add(uint8_t status, const char *in)
{
	const uint32_t i = (uint32_t)process.count++;

	assert_true(i < GOROUTINES_MAX);
	process.goroutines[i] = (struct goroutine){
		.id = i + 100,
		.status = status,
		.stack = i,
		.thread = -1,
	};
	process.in[i] = in;
	return i;
}

struct state_number known(uint64_t value)
{
	return (struct state_number){ value, true };
}

void process_collected(uint64_t ago)
{
	process.states[0].gc.phase = known(0);
	process.states[0].gc.ended = known(REAL_NS - ago);
}

void process_waits_since(uint32_t goroutine, uint64_t ago)
{
	process.goroutines[goroutine].waiting_since = NOW_NS - ago;
	process_collected(ago);
}

struct wait_object *process_object(enum wait_kind kind, uint64_t addr)
{
	struct wait_graph *w = &process.graph;
	struct wait_object *o = &process.objects[w->object_count++];

	assert_true(w->object_count <= THINGS_MAX);
	*o = (struct wait_object){
		.addr = addr,
		.kind = kind,
		.first_waiter = (uint32_t)w->waiter_count,
		.first_partner = (uint32_t)w->partner_count,
	};
	return o;
}

void process_waits_for(uint32_t goroutine, struct wait_object *o)
{
	struct wait_graph *w = &process.graph;

	process.waiters[w->waiter_count++] =
		(struct waiter){ .addr = o->addr, .goroutine = goroutine };
	assert_true(w->waiter_count <= ARRAY_SIZE(process.waiters));
	o->waiter_count++;
	o->goroutine_count++;
	process.object_of[goroutine] = (uint32_t)(o - process.objects) + 1;
	process.is_waiting[goroutine] = true;
	process.waits[goroutine] = (struct wait){ .kind = o->kind, .addr = o->addr };
}

struct partner *process_partner(uint32_t goroutine, struct wait_object *o)
{
	struct wait_graph *w = &process.graph;
	struct partner *p = &process.partners[w->partner_count++];

	assert_true(w->partner_count <= ARRAY_SIZE(process.partners));
	*p = (struct partner){ .goroutine = goroutine };
	o->partner_count++;
	return p;
}

struct partner *process_holder(uint32_t goroutine, struct wait_object *o, const char *in)
{
	struct partner *p = process_partner(goroutine, o);

	o->holder_count++;
	p->operation = OPERATION_UNLOCK;
	p->certainty = CERTAINTY_CERTAIN;
	p->passed = p->passed_is_one = true;
	p->passed_pc = CODE(in);
	return p;
}

struct processor_state *process_runs(uint32_t goroutine, uint64_t since)
{
	struct runtime_state *s = &process.states[0];

	s->processor_count = s->machine_count = 1;
	process.processors[0].status = known(PROCESSOR_RUNNING);
	process.processors[0].machine = known(7);
	process.processors[0].seen = known(NOW_NS - since);
	process.machines[0].id = known(7);
	process.machines[0].processor = known(0);
	process.machines[0].goroutine = known(process.goroutines[goroutine].id);
	return &process.processors[0];
}

/* Goroutines that are in the same function, one after the other, are a group. */
static void find_groups(void)
{
	struct groups *g = &process.grouped;

	*g = (struct groups){ .list = process.groups, .members = process.members };
	for (uint32_t i = 0; i < process.count; i++) {
		if (i == 0 || process.in[i] != process.in[i - 1])
			g->list[g->count++] = (struct group){ .stack = i, .first = i };
		g->list[g->count - 1].count++;
	}
}

static struct wait_times *times;

struct finder process_finder(struct findings *findings)
{
	struct finder f = {
		.findings = findings,
		.about = {
			.groups = &process.grouped,
			.waits = &process.graph,
			.now_ns = NOW_NS,
			.now_realtime_ns = REAL_NS,
			.leaks = process.leaks.leaked ? &process.leaks : NULL,
			.threads = process.threads,
			.thread_count = THINGS_MAX,
			.has_memory = true,
		},
		.is_idle = true,
	};

	*findings = (struct findings){ 0 };
	/* Whoever looks beyond the last object finds it twice. */
	const size_t n = process.graph.object_count;
	if (n > 0 && n < THINGS_MAX)
		process.objects[n] = process.objects[n - 1];
	process.graph.objects = process.objects;
	process.graph.waiters = process.waiters;
	process.graph.partners = process.partners;
	find_groups();
	chains_find(&f.chains, &process.graph);
	f.about.times = times = wait_times_new(&f.about);
	f.told = xcalloc(process.count + 1, 1);
	return f;
}

void process_end(struct finder *f)
{
	wait_times_free(times);
	chains_done(&f->chains);
	xfree(f->told);
	findings_free(f->findings);
}

void process_finds(void look(struct finder *), enum severity severity, uint64_t affected,
		   const char *text)
{
	struct findings findings;
	struct finder f = process_finder(&findings);

	look(&f);
	if (text)
		assert_int_equal(findings.count, 1);
	for (size_t i = 0; i < findings.count; i++) {
		assert_string_equal(text_words(&findings.list[i]->text),
				    text ? text : "");
		assert_int_equal(findings.list[i]->severity, severity);
		assert_int_equal(findings.list[i]->affected, affected);
	}
	process_end(&f);
}

void process_shows(void look(struct finder *), size_t goroutines, uint64_t id,
		   uint64_t addr)
{
	struct findings findings;
	struct finder f = process_finder(&findings);

	look(&f);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0]->goroutine_count, goroutines);
	assert_int_equal(findings.list[0]->goroutines[0], id);
	assert_int_equal(findings.list[0]->address_count != 0, addr != 0);
	assert_int_equal(findings.list[0]->addresses[0], addr);
	process_end(&f);
}
