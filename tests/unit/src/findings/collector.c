/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the garbage collector: the sentence of each, and the bounds just before which nothing is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/state/collector.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

#define MEBIBYTE (UINT64_C(1) << 20)
#define NOTHING(look) process_finds(look, 0, 0, NULL)

static struct runtime_state *const s = &process.states[0];
static struct gc_state *const gc = &process.states[0].gc;

static void add_many(size_t count, uint8_t status, const char *in)
{
	for (size_t i = 0; i < count; i++)
		process_add(status, in);
}

/* It collects often: ten times in just less than ten seconds, the last time just now. */
static void collects(void)
{
	gc->pause_count = 10;
	for (size_t i = 0; i < gc->pause_count; i++)
		gc->pauses[i] = (struct gc_pause){
			.ns = 1000,
			.ended = REAL_NS - SECOND_NS - i * SECOND_NS,
		};
	gc->phase = known(0);
}

static void overloads(void)
{
	collects();
	gc->budget = known(1000);
	gc->budget_used = known(900);
}

static void test_overload(void **state)
{
	(void)state;
	process_begin();
	overloads();
	process_finds(finding_gc_overload, SEVERITY_WARNING, 0,
		      "Garbage collections use more than half of the processors; the "
		      "last 10 collections ended "
		      "within 9.0 s.");
	gc->processor_share = known(250000);
	gc->marked = known(3 * MEBIBYTE);
	process_finds(finding_gc_overload, SEVERITY_WARNING, 0,
		      "Garbage collections use more than half of the processors, and "
		      "have used 25 % since the "
		      "program began; the last 10 collections ended within 9.0 s. 3 MiB "
		      "of objects remain after "
		      "each.");
	gc->budget_used = known(899);
	NOTHING(finding_gc_overload);
	gc->limited = known(1);
	gc->processor_share.known = gc->marked.known = false;
	process_finds(finding_gc_overload, SEVERITY_WARNING, 0,
		      "Garbage collections use more than half of the processors, so that "
		      "Go holds them back; the "
		      "last 10 collections ended within 9.0 s.");
	/* The world was stopped for a quarter of the time. */
	gc->pauses[4].ns = 9 * SECOND_NS / 4 - 9 * 1000 - 1;
	process_finds(finding_gc_overload, SEVERITY_WARNING, 0,
		      "Garbage collections use more than half of the processors, so that "
		      "Go holds them back; the "
		      "last 10 collections ended within 9.0 s.");
	gc->pauses[4].ns++;
	NOTHING(finding_gc_overload);
}

static void test_collections(void **state)
{
	struct finder f = { .about.now_realtime_ns = REAL_NS };

	(void)state;
	process_begin();
	collects();
	assert_true(collector_goes_on(&f, gc));
	gc->pause_count = 9;
	assert_false(collector_goes_on(&f, gc));
	gc->pause_count = 10;
	gc->pauses[9].ended = REAL_NS - 11 * SECOND_NS;
	assert_false(collector_goes_on(&f, gc));
	gc->pauses[9].ended++;
	assert_true(collector_goes_on(&f, gc));
	f.about.now_realtime_ns = gc->pauses[0].ended + 10 * SECOND_NS;
	assert_false(collector_goes_on(&f, gc));
	f.about.now_realtime_ns--;
	assert_true(collector_goes_on(&f, gc));
	f.about.now_realtime_ns = gc->pauses[0].ended - 1;
	assert_false(collector_goes_on(&f, gc));
	f.about.now_realtime_ns++;
	assert_true(collector_goes_on(&f, gc));
	gc->pauses[9].ended = gc->pauses[0].ended + 1;
	assert_false(collector_goes_on(&f, gc));
}

/* Up to 1.18 there is no budget: the share of all time since the program began counts. */
static void test_overload_by_share(void **state)
{
	(void)state;
	process_begin();
	collects();
	s->scheduler.gomaxprocs = known(4);
	s->scheduler.processor_time = known(4 * SECOND_NS);
	gc->paused = known(200 * JUST_NS);
	gc->processor_share = known(600000);
	const char *told =
		"Garbage collections use more than half of the processors, and have used "
		"60 % since "
		"the program began; the last 10 collections ended within 9.0 s.";
	process_finds(finding_gc_overload, SEVERITY_WARNING, 0, told);
	gc->processor_share.value--;
	NOTHING(finding_gc_overload);
	gc->processor_share.value++;
	gc->paused = known(201 * JUST_NS);
	NOTHING(finding_gc_overload);
	gc->paused = known(SECOND_NS);
	NOTHING(finding_gc_overload);
	gc->paused = known(200 * JUST_NS);
	s->scheduler.processor_time.value--;
	NOTHING(finding_gc_overload);
	s->scheduler.processor_time.value++;
	gc->paused.known = false;
	NOTHING(finding_gc_overload);
	gc->paused.known = true;
	s->scheduler.gomaxprocs.value = 0;
	NOTHING(finding_gc_overload);
}

static void test_memory_limit(void **state)
{
	const char *told = "The memory limit is too low for what is in use: 95 MiB, and "
			   "the limit is 100 MiB; the "
			   "last 10 collections ended within 9.0 s. 19 MiB of objects "
			   "remain after each.";

	(void)state;
	process_begin();
	collects();
	gc->limit = known(100 * MEBIBYTE);
	gc->mapped = known(95 * MEBIBYTE);
	gc->goal = known(20 * MEBIBYTE);
	gc->marked = known(19 * MEBIBYTE);
	process_finds(finding_memory_limit, SEVERITY_WARNING, 0, told);
	gc->mapped.value -= MEBIBYTE;
	NOTHING(finding_memory_limit);
	gc->mapped.value += MEBIBYTE;
	gc->marked.value -= MEBIBYTE;
	NOTHING(finding_memory_limit);
	gc->marked.value += MEBIBYTE;
	gc->budget = known(100);
	gc->budget_used = known(90);
	process_finds(finding_memory_limit, SEVERITY_WARNING, 0,
		      "The memory limit is too low for what is in use: 95 MiB, and the "
		      "limit is 100 MiB; collections "
		      "use more than half of the processors; the last 10 collections "
		      "ended within 9.0 s. 19 MiB of "
		      "objects remain after each.");
	NOTHING(finding_gc_overload);
	gc->limited = known(1);
	process_finds(finding_memory_limit, SEVERITY_CRITICAL, 0,
		      "The memory limit is too low for what is in use: 95 MiB, and the "
		      "limit is 100 MiB; collections "
		      "use more than half of the processors, and Go holds them back; the "
		      "last 10 collections ended "
		      "within 9.0 s. 19 MiB of objects remain after each.");
	gc->limit = known(INT64_MAX);
	gc->mapped = known(INT64_MAX);
	NOTHING(finding_memory_limit);
	gc->limit = known(100 * MEBIBYTE);
	gc->goal = gc->marked = known(INT64_MAX);
	NOTHING(finding_memory_limit);
}

static void test_assists(void **state)
{
	(void)state;
	process_begin();
	process.reason = "GC assist wait";
	add_many(40, GOROUTINE_WAITING, "main.litter");
	add_many(23, GOROUTINE_WAITING, "main.other");
	s->scheduler.gomaxprocs = known(4);
	gc->phase = known(1);
	for (size_t i = 0; i < 63; i++)
		process.goroutines[i].wait_reason = 1;
	NOTHING(finding_assist_storm);
	process.goroutines[process_add(GOROUTINE_WAITING, "main.other")].wait_reason = 1;
	const char *told = "64 goroutines that allocate wait for the garbage collector, "
			   "with GOMAXPROCS 4: 40 in "
			   "main.litter, created in main.main.";
	process.goroutines[0].created_pc = CODE("main.main");
	process_finds(finding_assist_storm, SEVERITY_INFO, 64, told);
	process_shows(finding_assist_storm, 40, 100, 0);
	overloads();
	gc->phase = known(1);
	process_finds(finding_assist_storm, SEVERITY_WARNING, 64, told);
	process.runtime_of[0] = OTHER;
	NOTHING(finding_assist_storm);
	process.runtime_of[0] = 0;
	s->scheduler.gomaxprocs = known(5);
	NOTHING(finding_assist_storm);
	s->scheduler.gomaxprocs = known(4);
	gc->phase = known(0);
	NOTHING(finding_assist_storm);
	gc->phase = known(1);
	process.goroutines[0].status = GOROUTINE_RUNNABLE;
	NOTHING(finding_assist_storm);
	process.goroutines[0].status = GOROUTINE_WAITING;
	process.reason = "sleep";
	NOTHING(finding_assist_storm);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overload),
		cmocka_unit_test(test_collections),
		cmocka_unit_test(test_overload_by_share),
		cmocka_unit_test(test_memory_limit),
		cmocka_unit_test(test_assists),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
