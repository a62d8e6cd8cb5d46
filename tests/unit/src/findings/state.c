/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the runtime's state: the sentence of each, and the bounds just before which nothing is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

#define NOTHING(look) process_finds(look, 0, 0, NULL)

static struct runtime_state *const s = &process.states[0];
static struct gc_state *const gc = &process.states[0].gc;

static void add_many(size_t count, uint8_t status, const char *in)
{
	for (size_t i = 0; i < count; i++)
		process_add(status, in);
}

static void add_calls(size_t count, const char *in)
{
	for (size_t i = 0; i < count; i++)
		process.goroutines[process_add(GOROUTINE_SYSCALL, in)].thread = 0;
}

static void test_threads_at_end(void **state)
{
	(void)state;
	process_begin();
	s->scheduler.gomaxprocs = known(4);
	s->scheduler.most_machines = known(130);
	add_calls(100, "main.read");
	add_calls(16, "main.other");
	NOTHING(finding_thread_explosion);
	add_calls(1, "main.other");
	process.goroutines[0].created_pc = CODE("main.main");
	for (size_t i = 0; i < 100; i++)
		process.goroutines[i].created_pc = CODE("main.main");
	process_finds(finding_thread_explosion, SEVERITY_CRITICAL, 117,
		      "117 threads are in system calls or in C, 100 of them in "
		      "main.read, created in "
		      "main.main; with more than 130 Go ends the program.");
	process_shows(finding_thread_explosion, 100, 100, 0);
	process.goroutines[0].thread = -1;
	NOTHING(finding_thread_explosion);
	process.goroutines[0].thread = 0;
	process.runtime_of[0] = OTHER;
	NOTHING(finding_thread_explosion);
	process.runtime_of[0] = 0;
	process.goroutines[0].status = GOROUTINE_WAITING;
	NOTHING(finding_thread_explosion);
}

static void test_threads_many(void **state)
{
	(void)state;
	process_begin();
	s->scheduler.gomaxprocs = known(50);
	s->scheduler.most_machines = known(10000);
	add_calls(999, "main.read");
	NOTHING(finding_thread_explosion);
	add_calls(1, "main.read");
	process_finds(finding_thread_explosion, SEVERITY_WARNING, 1000,
		      "1,000 threads are in system calls or in C, 1000 of them in "
		      "main.read; GOMAXPROCS is 50.");
	s->scheduler.gomaxprocs = known(51);
	NOTHING(finding_thread_explosion);
	s->scheduler.gomaxprocs.known = false;
	NOTHING(finding_thread_explosion);
}

static void test_finalizer(void **state)
{
	(void)state;
	process_begin();
	process_add(GOROUTINE_WAITING, "main.main");
	const uint32_t i = process_add(GOROUTINE_WAITING, "main.finalize");
	struct goroutine *g = &process.goroutines[i];

	g->start_pc = CODE("runtime.runfinq");
	process_waits_since(i, LONG_AGO);
	gc->finalizers = known(2);
	const char *told = "Goroutine 101, which runs finalizers, waits in "
			   "main.finalize, for at least 10 s; 2 "
			   "finalizers have not been run, and their objects stay.";
	process_finds(finding_finalizer_blocked, SEVERITY_WARNING, 0, told);
	process_shows(finding_finalizer_blocked, 1, 101, 0);
	g->start_pc = CODE("runtime.runFinalizers");
	process_finds(finding_finalizer_blocked, SEVERITY_WARNING, 0, told);
	gc->finalizers = known(1);
	NOTHING(finding_finalizer_blocked);
	gc->finalizers = known(2);
	process_waits_since(i, LONG_AGO - JUST_NS);
	NOTHING(finding_finalizer_blocked);
	process_waits_since(i, LONG_AGO);
	g->system = true;
	NOTHING(finding_finalizer_blocked);
	g->system = false;
	g->start_pc = CODE("main.run");
	NOTHING(finding_finalizer_blocked);
}

static void test_cleanup(void **state)
{
	(void)state;
	process_begin();
	const uint32_t i = process_add(GOROUTINE_SYSCALL, "main.clean");

	process.goroutines[i].start_pc = CODE("runtime.runCleanups");
	process.goroutines[i].thread = 3;
	process.threads[3] =
		(struct target_thread){ .state = 'S', .ran_ns = NOW_NS - LONG_AGO };
	gc->cleanups = known(3);
	process_finds(finding_finalizer_blocked, SEVERITY_WARNING, 0,
		      "Goroutine 100, which runs cleanups, is in a system call in "
		      "main.clean, for at least 10 s; 3 "
		      "cleanups have not been run, and their objects stay.");
	process.threads[3].ran_ns += JUST_NS;
	NOTHING(finding_finalizer_blocked);
	process.threads[3].ran_ns -= JUST_NS;
	process.threads[3].state = 'R';
	NOTHING(finding_finalizer_blocked);
	process.threads[3].state = 'S';
	process.goroutines[i].status = GOROUTINE_WAITING;
	NOTHING(finding_finalizer_blocked);
}

/* Goroutine 0 has a mutex that others wait for. */
static struct wait_object *hold(size_t waiters)
{
	struct wait_object *o = process_object(WAIT_MUTEX, 0x40);

	process_add(GOROUTINE_RUNNING, "main.compute");
	process_holder(0, o, "main.lock");
	for (size_t i = 0; i < waiters; i++)
		process_waits_for(process_add(GOROUTINE_WAITING, "main.wait"), o);
	return o;
}

static void test_holder_runs(void **state)
{
	const char *told = "2 goroutines wait for goroutine 100, which has mutex 0x40, "
			   "locked in main.lock. It runs in "
			   "main.compute";
	char all[300];

	(void)state;
	process_begin();
	hold(2);
	NOTHING(finding_holder_runs);
	process_waits_since(2, LONG_AGO);
	snprintf(all, sizeof(all), "%s; one of them has waited for at least 10 s.", told);
	process_finds(finding_holder_runs, SEVERITY_WARNING, 2, all);
	process_shows(finding_holder_runs, 1, 100, 0x40);
	process_waits_since(2, LONG_AGO - JUST_NS);
	NOTHING(finding_holder_runs);
	process_runs(0, LONG_AGO);
	snprintf(all, sizeof(all), "%s, for at least 10 s.", told);
	process_finds(finding_holder_runs, SEVERITY_WARNING, 2, all);
	process_waits_since(2, LONG_AGO);
	process_finds(finding_holder_runs, SEVERITY_WARNING, 2, all);
	process_runs(0, LONG_AGO - JUST_NS);
	process_waits_since(2, LONG_AGO - JUST_NS);
	NOTHING(finding_holder_runs);
	process_runs(0, LONG_AGO)->status = known(PROCESSOR_STOPPED);
	NOTHING(finding_holder_runs);
	process_runs(0, LONG_AGO);
	process.goroutines[0].status = GOROUTINE_SYSCALL;
	NOTHING(finding_holder_runs);
}

static void test_holder_could_run(void **state)
{
	(void)state;
	process_begin();
	hold(10);
	process.goroutines[0].status = GOROUTINE_RUNNABLE;
	process_waits_since(1, LONG_AGO);
	process_finds(finding_holder_runs, SEVERITY_CRITICAL, 10,
		      "10 goroutines wait for goroutine 100, which has mutex 0x40, "
		      "locked in main.lock. It could run in "
		      "main.compute; one of them has waited for at least 10 s.");
	for (size_t i = 0; i < THINGS_MAX; i++)
		process.threads[i].state = i % 2 ? 'T' : 't';
	NOTHING(finding_holder_runs);
	process.threads[THINGS_MAX - 1].state = 'S';
	process.partners[0].certainty = CERTAINTY_PROBABLE;
	process_finds(
		finding_holder_runs, SEVERITY_WARNING, 10,
		"10 goroutines wait for goroutine 100, which probably has mutex 0x40, "
		"locked in main.lock. It "
		"could run in main.compute; one of them has waited for at least 10 s.");
}

static void test_not_preempted(void **state)
{
	(void)state;
	process_begin();
	process_add(GOROUTINE_WAITING, "main.main");
	process_add(GOROUTINE_RUNNING, "main.spin");
	struct processor_state *p = process_runs(1, LONG_AGO);

	NOTHING(finding_not_preempted);
	p->asked = known(1);
	const char *told = "Goroutine 101 runs in main.spin, for at least 10 s, and Go "
			   "cannot interrupt it: the next "
			   "garbage collection will stop the program, and wait for it.";
	process_finds(finding_not_preempted, SEVERITY_WARNING, 0, told);
	process_shows(finding_not_preempted, 1, 101, 0);
	p->asked = known(0);
	p->preempt = known(1);
	process_finds(finding_not_preempted, SEVERITY_WARNING, 0, told);
	gc->assists.length = 3;
	process_finds(finding_not_preempted, SEVERITY_WARNING, 3, told);
	gc->phase = known(1);
	process_finds(finding_not_preempted, SEVERITY_CRITICAL, 3,
		      "Goroutine 101 runs in main.spin, for at least 10 s, and Go cannot "
		      "interrupt it: a garbage "
		      "collection waits for it, and so do 3 goroutines that allocate.");
	gc->assists.length = 0;
	process_finds(finding_not_preempted, SEVERITY_WARNING, 0,
		      "Goroutine 101 runs in main.spin, for at least 10 s, and Go cannot "
		      "interrupt it: a garbage "
		      "collection waits for it.");
	p->seen.value += JUST_NS;
	NOTHING(finding_not_preempted);
	p->seen.value -= JUST_NS;
	/* Nothing of the process has run since the first instant of that. */
	process.threads[2].ran_ns = p->seen.value + JUST_NS;
	NOTHING(finding_not_preempted);
	process.threads[3].ran_ns = NOW_NS - SECOND_NS;
	process_finds(finding_not_preempted, SEVERITY_WARNING, 0,
		      "Goroutine 101 runs in main.spin, for at least 10 s, and Go cannot "
		      "interrupt it: a garbage "
		      "collection waits for it.");
	process.threads[2].ran_ns = process.threads[3].ran_ns = 0;
	p->status = known(2);
	NOTHING(finding_not_preempted);
	p->status = known(PROCESSOR_RUNNING);
	process.goroutines[1].system = true;
	NOTHING(finding_not_preempted);
	process.goroutines[1].system = false;
	process.machines[0].id = known(8);
	NOTHING(finding_not_preempted);
}

/* P 1 stops the world, in goroutine 0; P 0 runs goroutine 1. */
static void stop(uint64_t since)
{
	process_begin();
	process_add(GOROUTINE_RUNNING, "main.collect");
	process_add(GOROUTINE_RUNNING, "main.spin");
	process_runs(1, since);
	process.goroutines[1].thread = 2;
	s->processor_count = s->machine_count = 2;
	process.processors[1].status = known(PROCESSOR_STOPPED);
	process.processors[1].machine = known(9);
	process.machines[1].id = known(9);
	process.machines[1].goroutine = known(100);
	s->scheduler.stopping = known(1);
	s->scheduler.processors_to_stop = known(1);
}

static void test_stop(void **state)
{
	(void)state;
	stop(LONG_AGO);
	process_add(GOROUTINE_WAITING, "main.wait");
	process_add(GOROUTINE_DEAD, "main.gone");
	process.runtime_of[process_add(GOROUTINE_WAITING, "main.other")] = OTHER;
	process.goroutines[process_add(GOROUTINE_WAITING, "main.system")].system = true;
	const char *told = "The whole program stands still: goroutine 100 stops the "
			   "world in main.collect, but goroutine "
			   "101 runs on in main.spin, for at least 10 s.";
	process_finds(finding_stop_the_world, SEVERITY_CRITICAL, 2, told);
	process_shows(finding_stop_the_world, 2, 101, 0);
	s->scheduler.processors_to_stop = known(2);
	process_finds(finding_stop_the_world, SEVERITY_CRITICAL, 2, told);
	NOTHING(finding_not_preempted);
	s->scheduler.processors_to_stop = known(3);
	NOTHING(finding_stop_the_world);
	s->scheduler.processors_to_stop = known(0);
	NOTHING(finding_stop_the_world);
	s->scheduler.processors_to_stop = known(1);
	s->scheduler.stopping = known(0);
	NOTHING(finding_stop_the_world);
	s->scheduler.stopping = known(1);
	process.machines[0].goroutine = process.machines[1].goroutine = known(0);
	process.processors[0].id = known(5);
	process_finds(finding_stop_the_world, SEVERITY_CRITICAL, 2,
		      "The whole program stands still: the world is being stopped, but P "
		      "5 does not stop, for at least "
		      "10 s.");
	process.processors[0].status = known(2);
	NOTHING(finding_stop_the_world);
}

/* What does not stop must have had a processor since then, unless that is long ago. */
static void test_stop_since(void **state)
{
	(void)state;
	stop(LONG_AGO - JUST_NS);
	NOTHING(finding_stop_the_world);
	process.threads[2].ran_ns = NOW_NS - SECOND_NS;
	process_finds(finding_stop_the_world, SEVERITY_CRITICAL, 1,
		      "The whole program stands still: goroutine 100 stops the world in "
		      "main.collect, but goroutine "
		      "101 runs on in main.spin, for at least 9.9 s.");
	/* Since 1.23 the runtime notes when it began. */
	process.processors[1].stopped = known(NOW_NS - SECOND_NS);
	NOTHING(finding_stop_the_world);
	process.threads[2].ran_ns = NOW_NS - SECOND_NS / 2 + 1;
	process_finds(finding_stop_the_world, SEVERITY_CRITICAL, 1,
		      "The whole program stands still: goroutine 100 stops the world in "
		      "main.collect, but goroutine "
		      "101 runs on in main.spin, for at least 1.0 s.");
	process.threads[2].ran_ns--;
	NOTHING(finding_stop_the_world);
	process.threads[2].ran_ns = NOW_NS;
	process.goroutines[1].thread = -1;
	NOTHING(finding_stop_the_world);
	process.goroutines[1].thread = 2;
	process.processors[1].stopped.value++;
	NOTHING(finding_stop_the_world);
}

static void test_starved(void **state)
{
	(void)state;
	process_begin();
	add_many(3, GOROUTINE_RUNNABLE, "main.step");
	process.goroutines[1].runnable_since = NOW_NS - LONG_AGO;
	process.goroutines[2].runnable_since = NOW_NS - LONG_AGO + JUST_NS;
	process.goroutines[1].created_pc = CODE("main.main");
	const char *told = "3 goroutines could run and do not; goroutine 101 could in "
			   "main.step, created in main.main, "
			   "for at least 10 s.";
	process_finds(finding_starved, SEVERITY_WARNING, 3, told);
	process_shows(finding_starved, 1, 101, 0);
	s->scheduler.idle_processors = known(1);
	s->scheduler.gomaxprocs = known(4);
	process_finds(finding_starved, SEVERITY_WARNING, 3,
		      "3 goroutines could run and do not; goroutine 101 could in "
		      "main.step, created in main.main, for at "
		      "least 10 s, although 1 of 4 Ps is idle.");
	process.goroutines[0].status = GOROUTINE_WAITING;
	process.runtime_of[2] = OTHER;
	process_finds(finding_starved, SEVERITY_WARNING, 1,
		      "1 goroutine could run and does not; goroutine 101 could in "
		      "main.step, created in main.main, for at "
		      "least 10 s, although 1 of 4 Ps is idle.");
	process.goroutines[1].runnable_since += JUST_NS;
	NOTHING(finding_starved);
	process.goroutines[1].runnable_since -= JUST_NS;
	process.goroutines[1].system = true;
	NOTHING(finding_starved);
}

/* So many would have had to wait for their turn so long, unless no P changes. */
static void test_starved_turns(void **state)
{
	(void)state;
	process_begin();
	add_many(16, GOROUTINE_RUNNABLE, "main.step");
	process.goroutines[0].runnable_since = NOW_NS - LONG_AGO;
	process_finds(finding_starved, SEVERITY_WARNING, 16,
		      "16 goroutines could run and do not; goroutine 100 could in "
		      "main.step, for at least 10 s.");
	process_add(GOROUTINE_RUNNABLE, "main.step");
	NOTHING(finding_starved);
	process_runs(process_add(GOROUTINE_RUNNING, "main.spin"), LONG_AGO);
	process_finds(finding_starved, SEVERITY_WARNING, 17,
		      "17 goroutines could run and do not; goroutine 100 could in "
		      "main.step, for at least 10 s.");
	process.processors[0].seen.value += JUST_NS;
	NOTHING(finding_starved);
	process.processors[0].seen.value -= JUST_NS;
	process.processors[0].status = known(2);
	NOTHING(finding_starved);
	process.processors[0].status = known(PROCESSOR_RUNNING);
	s->processor_count = 2;
	NOTHING(finding_starved);
}

static struct timer_kind *add_kind(const char *function, const char *called,
				   uint32_t count, uint32_t periodic)
{
	struct timer_kind *kind = &s->timer_sample.kinds[s->timer_sample.kind_count++];

	*kind = (struct timer_kind){
		.function = CODE(function),
		.called = CODE(called),
		.count = count,
		.periodic = periodic,
	};
	return kind;
}

static void test_tickers(void **state)
{
	(void)state;
	process_begin();
	add_many(200, GOROUTINE_WAITING, "main.main");
	s->timer_sample.read = 100;
	s->timers_all = 4000;
	add_kind("main.rare", NULL, 10, 10);
	struct timer_kind *kind = add_kind("time.sendTime", NULL, 60, 50);
	const char *told = "There are about 2000 tickers for 200 goroutines, most of "
			   "them to send on a channel: nobody "
			   "can be listening to most of them.";
	process_finds(finding_timers, SEVERITY_WARNING, 0, told);
	add_kind("main.last", NULL, 40, 40);
	process_finds(finding_timers, SEVERITY_WARNING, 0, told);
	process.runtime_of[process_add(GOROUTINE_WAITING, "main.other")] = OTHER;
	process_add(GOROUTINE_DEAD, "main.gone");
	process_finds(finding_timers, SEVERITY_WARNING, 0, told);
	process_add(GOROUTINE_WAITING, "main.more");
	NOTHING(finding_timers);
	process.count = 100;
	s->timers_all = 2000;
	*kind = (struct timer_kind){ CODE("main.tick"), CODE("main.of"), 60, 50 };
	process_finds(finding_timers, SEVERITY_WARNING, 0,
		      "There are about 1000 tickers for 100 goroutines, most of them to "
		      "call main.of: nobody can be "
		      "listening to most of them.");
	process.count = 99;
	s->timers_all = 1999;
	NOTHING(finding_timers);
	s->timer_sample.read = 0;
	NOTHING(finding_timers);
}

static void test_timers(void **state)
{
	(void)state;
	process_begin();
	add_many(10000, GOROUTINE_WAITING, "main.main");
	s->timer_sample.read = 100;
	s->timers_all = 200000;
	struct timer_kind *kind = add_kind("time.goFunc", "main.expire", 50, 0);
	process_finds(finding_timers, SEVERITY_INFO, 0,
		      "There are about 100000 timers for 10,000 goroutines, most of them "
		      "to call main.expire: most "
		      "outlive their use.");
	struct findings findings;
	struct finder f = process_finder(&findings);
	finding_timers(&f);
	assert_int_equal(findings.list[0]->address_count, 1);
	assert_int_equal(findings.list[0]->addresses[0], kind->called);
	process_end(&f);
	kind->called = 0;
	process_finds(finding_timers, SEVERITY_INFO, 0,
		      "There are about 100000 timers for 10,000 goroutines, most of them "
		      "to call time.goFunc: most "
		      "outlive their use.");
	process_add(GOROUTINE_WAITING, "main.more");
	NOTHING(finding_timers);
	process.count = 1;
	s->timers_all--;
	NOTHING(finding_timers);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_at_end),
		cmocka_unit_test(test_threads_many),
		cmocka_unit_test(test_finalizer),
		cmocka_unit_test(test_cleanup),
		cmocka_unit_test(test_holder_runs),
		cmocka_unit_test(test_holder_could_run),
		cmocka_unit_test(test_not_preempted),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_since),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_starved_turns),
		cmocka_unit_test(test_tickers),
		cmocka_unit_test(test_timers),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
