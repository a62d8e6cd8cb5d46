/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about goroutines that wait for no lock, that are too many, or that use a map at the same time; and
 * the sentence about each state that a goroutine is in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/program/program.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

#define NOTHING(look) process_finds(look, 0, 0, NULL)

static uint32_t add(const char *in)
{
	return process_add(GOROUTINE_WAITING, in);
}

static void receives_from(uint32_t goroutine, uint64_t addr)
{
	process.is_waiting[goroutine] = true;
	process.waits[goroutine] = (struct wait){
		.kind = WAIT_CHANNEL,
		.operation = WAIT_RECEIVE,
		.addr = addr,
		.channel = { .addr = addr, .known = true, .has_len = true },
	};
}

static void test_leaked(void **state)
{
	(void)state;
	process_begin();
	for (uint32_t i = 0; i < 3; i++) {
		receives_from(add(i ? "main.leak" : "main.main"), 0x80);
		process.goroutines[i].created_pc = CODE("main.start");
	}
	NOTHING(finding_leaked);
	process.leaks.leaked = process.leaked;
	NOTHING(finding_leaked);
	process.leaked[1] = process.leaked[2] = true;
	process_finds(finding_leaked, SEVERITY_WARNING, 2,
		      "2 goroutines have leaked, created in main.start. They wait to "
		      "receive from channels in main.leak; "
		      "nothing that is alive refers to them any more.");
	process_shows(finding_leaked, 2, 101, 0);
	receives_from(2, 0);
	process.waits[1].operation = WAIT_SEND;
	process_finds(finding_leaked, SEVERITY_WARNING, 1,
		      "1 goroutine has leaked, created in main.start. It waits to send "
		      "on a channel in main.leak; nothing "
		      "that is alive refers to it any more.");
	process.waits[1] = (struct wait){ .kind = WAIT_SELECT, .case_count = 2 };
	process_finds(finding_leaked, SEVERITY_WARNING, 1,
		      "1 goroutine has leaked, created in main.start. It waits in a "
		      "select for channels in main.leak; "
		      "nothing that is alive refers to them any more.");
	process.waits[1].case_count = 0;
	NOTHING(finding_leaked);
	process.waits[1].kind = WAIT_COND;
	process_finds(finding_leaked, SEVERITY_WARNING, 1,
		      "1 goroutine has leaked, created in main.start. It waits for a "
		      "condition variable in main.leak; "
		      "nothing that is alive refers to it any more.");
	process.is_waiting[1] = false;
	NOTHING(finding_leaked);
	process.is_waiting[1] = true;
	/* Whose lock's holder is known does not count. */
	struct wait_object *o = process_object(WAIT_MUTEX, 0x40);
	process_waits_for(1, o);
	process_holder(0, o, "main.lock");
	NOTHING(finding_leaked);
}

static void test_main_leaked(void **state)
{
	struct findings findings;

	(void)state;
	process_begin();
	receives_from(add("main.main"), 0x80);
	process.goroutines[0].id = 1;
	process.leaks.leaked = process.leaked;
	NOTHING(finding_leaked);
	process.leaked[0] = true;
	process_finds(finding_leaked, SEVERITY_INFO, 1,
		      "The main goroutine will never go on. It waits to receive from a "
		      "channel in main.main; nothing that "
		      "is alive refers to it any more.");
	process_shows(finding_leaked, 1, 1, 0);
	struct finder f = process_finder(&findings);
	f.told[0] = 1;
	finding_leaked(&f);
	assert_int_equal(findings.count, 0);
	process_end(&f);
}

static void test_nil_channel(void **state)
{
	(void)state;
	process_begin();
	for (uint32_t i = 0; i < 2; i++) {
		receives_from(add("main.send"), 0);
		process.waits[i].operation = WAIT_SEND;
	}
	process_finds(
		finding_nil_channel, SEVERITY_WARNING, 2,
		"2 goroutines send to a nil channel in main.send, and will never go on.");
	process_shows(finding_nil_channel, 2, 100, 0);
	process.waits[0].unreadable = "lost";
	process_finds(
		finding_nil_channel, SEVERITY_WARNING, 1,
		"1 goroutine sends to a nil channel in main.send, and will never go on.");
	process.waits[1].channel.addr = 0x80;
	NOTHING(finding_nil_channel);
	receives_from(1, 0);
	NOTHING(finding_nil_channel);
	process.waits[1].operation = WAIT_SEND;
	process.waits[1].kind = WAIT_SELECT;
	NOTHING(finding_nil_channel);
}

/* Ten wait to send, for the only place, which goroutine 0 has. */
static struct wait_object *fill(void)
{
	process_begin();
	struct wait_object *o = process_object(WAIT_CHANNEL, 0x80);

	add("main.work");
	for (uint32_t i = 1; i <= 10; i++) {
		process_waits_for(add("main.limit"), o);
		process.waiters[i - 1].operation = WAIT_SEND;
		if (i > 5)
			process.goroutines[i].waiting_since =
				NOW_NS - LONG_AGO - (i == 7);
	}
	process_collected(60 * SECOND_NS);
	o->channel = (struct wait_channel){
		.addr = 0x80,
		.known = true,
		.has_len = true,
		.len = 1,
		.cap = 1,
		.element_type = "struct {}",
	};
	process_partner(0, o)->operation = OPERATION_RECEIVE;
	return o;
}

static void test_semaphore(void **state)
{
	const char *told = "10 goroutines wait in main.limit for a place in channel 0x80 "
			   "(full, 1), for at least 10 s. "
			   "Goroutine 100 has a place and waits in main.work.";

	(void)state;
	struct wait_object *o = fill();
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10, told);
	process_shows(finding_semaphore_full, 10, 101, 0x80);
	o->channel.element_type = "string";
	NOTHING(finding_semaphore_full);
	o->channel.element_type = NULL;
	NOTHING(finding_semaphore_full);
	o->channel.element_type = "bool";
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10, told);
	o->channel.len = 0;
	NOTHING(finding_semaphore_full);
	o->channel.len = 1;
	o->channel.closed = true;
	NOTHING(finding_semaphore_full);
	o->channel.closed = false;
	process.goroutines[6].waiting_since = 0;
	NOTHING(finding_semaphore_full);
	process.goroutines[6].waiting_since = NOW_NS - LONG_AGO;
	process.waiters[0].operation = WAIT_RECEIVE;
	NOTHING(finding_semaphore_full);
}

static void test_semaphore_stuck(void **state)
{
	(void)state;
	struct wait_object *o = fill();
	receives_from(0, 0x90);
	process.goroutines[0].waiting_since = NOW_NS - LONG_AGO;
	const char *told = "10 goroutines wait in main.limit for a place in channel 0x80 "
			   "(full, 1), for at least 10 s. "
			   "Goroutine 100 has a place and waits to receive from channel "
			   "0x90 (unbuffered) in main.work, "
			   "for at least 10 s.";
	process_finds(finding_semaphore_full, SEVERITY_WARNING, 10, told);
	o->channel.len = o->channel.cap = 2;
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10,
		      "10 goroutines wait in main.limit for a place in channel 0x80 "
		      "(full, 2), for at least 10 s. "
		      "Goroutine 100 has a place and waits to receive from channel 0x90 "
		      "(unbuffered) in main.work, "
		      "for at least 10 s.");
	o->channel.len = o->channel.cap = 1;
	process_partner(3, o)->operation =
		OPERATION_RECEIVE; /* it waits to send itself */
	process_finds(finding_semaphore_full, SEVERITY_WARNING, 10, told);
	process.goroutines[0].waiting_since += JUST_NS;
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10,
		      "10 goroutines wait in main.limit for a place in channel 0x80 "
		      "(full, 1), for at least 10 s. "
		      "Goroutine 100 has a place and waits to receive from channel 0x90 "
		      "(unbuffered) in main.work, "
		      "for at least 9.9 s.");
	process.partners[0].operation = OPERATION_SEND;
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10,
		      "10 goroutines wait in main.limit for a place in channel 0x80 "
		      "(full, 1), for at least 10 s.");
}

/* All who would receive wait to send first. */
static void test_semaphore_lost(void **state)
{
	const char *told = "10 goroutines wait in main.limit for a place in channel 0x80 "
			   "(full, 1), for at least 10 s. "
			   "No goroutine has one: most likely some were not given back.";

	(void)state;
	struct wait_object *o = fill();
	process.partners[0].goroutine = 3;
	process_finds(finding_semaphore_full, SEVERITY_WARNING, 10, told);
	process_finds(finding_wait_cycle, 0, 0, NULL);
	o->waiter_count = 2;
	NOTHING(finding_semaphore_full); /* these two do not wait for long */
	o->waiter_count = 10;
	process_partner(0, o)->operation = OPERATION_SEND; /* it may have one */
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10,
		      "10 goroutines wait in main.limit for a place in channel 0x80 "
		      "(full, 1), for at least 10 s.");
	process.partners[1].goroutine = 4;
	process.partners[0].operation = OPERATION_SEND; /* none of them receives */
	process_finds(finding_semaphore_full, SEVERITY_INFO, 10,
		      "10 goroutines wait in main.limit for a place in channel 0x80 "
		      "(full, 1), for at least 10 s.");
}

static void test_spawning(void **state)
{
	const char *told = "10,000 of 11,111 goroutines come from one place, as do the "
			   "newest ones, created in main.start. "
			   "One of them waits in main.work.";

	(void)state;
	process_begin();
	for (uint32_t i = 0; i < 1111; i++)
		process.goroutines[add("main.other")].created_pc =
			i % 2 ? CODE("main.a") : CODE("main.b");
	for (uint32_t i = 0; i < 10000; i++)
		process.goroutines[add("main.work")].created_pc = CODE("main.start");
	process_finds(finding_spawning, SEVERITY_INFO, 10000, told);
	process_shows(finding_spawning, 1, 11191, 0);
	process.goroutines[11110].created_pc = CODE("main.a");
	NOTHING(finding_spawning);
	process.goroutines[0].created_pc = CODE("main.start");
	process_finds(finding_spawning, SEVERITY_INFO, 10000, told);
	process.goroutines[add("main.other")].created_pc = CODE("main.a");
	NOTHING(finding_spawning);
	process.goroutines[11111].system = true;
	process_finds(finding_spawning, SEVERITY_INFO, 10000, told);
	for (uint32_t i = 11100; i < 11110; i++)
		process.goroutines[i].created_pc = CODE("main.a");
	for (uint32_t i = 0; i < 10; i++)
		process.goroutines[i].created_pc = CODE("main.start");
	NOTHING(finding_spawning);
	/* Where most were created is not known. */
	for (uint32_t i = 0; i < process.count; i++)
		process.goroutines[i].created_pc = 0;
	NOTHING(finding_spawning);
}

static void test_map_race(void **state)
{
	struct fault fault = { .goroutine = &process.goroutines[0] };
	uint64_t others[] = { 101, 102, 55 };
	struct findings findings;

	(void)state;
	process_begin();
	add("main.write");
	add("main.read");
	add("main.range");
	add("main.no");
	fault.runtime = finder_goroutine(&(struct finder){ 0 }, 0).runtime;
	process.runtime_of[3] = OTHER;
	process.goroutines[3].id = 55;
	fault.others = others;
	process.misused_map = "concurrent map writes\n[recovered]";
	const char *texts[] = {
		"Goroutines use a map at the same time, without a lock (concurrent map "
		"writes): goroutine 100 in main.write. "
		"The other one was done with it by the time.",
		"Goroutines use a map at the same time, without a lock (concurrent map "
		"writes): goroutine 100 in main.write. "
		"Who else uses it is not known for sure; a map is in use by goroutine "
		"101 in main.read, goroutine 102 in "
		"main.range, goroutine 55.",
		"Goroutines use a map at the same time, without a lock (concurrent map "
		"writes): goroutine 100 in main.write "
		"and goroutine 101 in main.read, goroutine 102 in main.range, goroutine "
		"55.",
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		fault.other_count = i ? 3 : 0;
		fault.same_map = i == 2;
		struct finder f = process_finder(&findings);
		f.about.fault = &fault;
		finding_map_race(&f);
		assert_int_equal(findings.count, 1);
		assert_string_equal(text_words(&findings.list[0]->text), texts[i]);
		assert_int_equal(findings.list[0]->affected, i == 2 ? 4 : 1);
		assert_int_equal(findings.list[0]->goroutine_count, i ? 3 : 1);
		process_end(&f);
	}
	NOTHING(finding_map_race);
	struct finder f = process_finder(&findings);
	f.about.fault = &fault;
	fault.goroutine = NULL;
	finding_map_race(&f);
	fault.goroutine = process.goroutines;
	process.misused_map = NULL;
	finding_map_race(&f);
	assert_int_equal(findings.count, 0);
	process_end(&f);
}

static void assert_state(uint32_t goroutine, const char *words)
{
	struct findings findings;
	struct finder f = process_finder(&findings);
	struct text text = { 0 };

	say_state(&f, &text, goroutine);
	assert_string_equal(text_words(&text), words);
	text_done(&text);
	process_end(&f);
}

static void test_states(void **state)
{
	static const struct {
		struct wait wait;
		const char *words;
	} waits[] = {
		{ { .kind = WAIT_MUTEX }, "waits for a mutex in main.f" },
		{ { .kind = WAIT_SEMAPHORE }, "waits for a semaphore in main.f" },
		{ { .kind = WAIT_TIMER }, "sleeps in main.f" },
		{ { .kind = WAIT_NETWORK, .operation = WAIT_WRITE, .fd = 0 },
		  "waits to write descriptor 0 in main.f" },
		{ { .kind = WAIT_NETWORK, .operation = WAIT_READ, .fd = -1 },
		  "waits to read in main.f" },
		{ { .kind = WAIT_SELECT, .case_count = 1 },
		  "waits in a select of 1 cases in main.f" },
		{ { .kind = WAIT_CHANNEL, .operation = WAIT_SEND, .channel.addr = 16 },
		  "waits to send on channel 0x10 in main.f" },
		{ { .kind = WAIT_CHANNEL, .channel = { .addr = 16, .has_len = true } },
		  "waits to receive from channel 0x10 in main.f" },
		{ { .kind = WAIT_CHANNEL, .channel = { .addr = 16, .known = true } },
		  "waits to receive from channel 0x10 in main.f" },
		{ { .kind = WAIT_CHANNEL,
		    .channel = { .addr = 16,
				 .known = true,
				 .has_len = true,
				 .closed = true } },
		  "waits to receive from channel 0x10 (closed) in main.f" },
		{ { .kind = WAIT_CHANNEL,
		    .channel = { .addr = 16,
				 .known = true,
				 .has_len = true,
				 .len = 2,
				 .cap = 2 } },
		  "waits to receive from channel 0x10 (full, 2) in main.f" },
		{ { .kind = WAIT_CHANNEL,
		    .channel = { .addr = 16,
				 .known = true,
				 .has_len = true,
				 .len = 1,
				 .cap = 2 } },
		  "waits to receive from channel 0x10 (1 of 2) in main.f" },
	};

	(void)state;
	process_begin();
	add("main.f");
	process.is_waiting[0] = true;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		process.waits[0] = waits[i].wait;
		assert_state(0, waits[i].words);
	}
	process_waits_for(0, process_object(WAIT_RWMUTEX, 0x40));
	assert_state(0, "waits for rwmutex 0x40 in main.f");
	process_waits_since(0, SECOND_NS);
	assert_state(0, "waits for rwmutex 0x40 in main.f, for at least 1.0 s");
	process_waits_since(0, SECOND_NS - 1);
	assert_state(0, "waits for rwmutex 0x40 in main.f");
	process.is_waiting[0] = false;
	assert_state(0, "waits in main.f");
	process.goroutines[0].status = GOROUTINE_SYSCALL;
	assert_state(0, "is in a system call in main.f");
	process.goroutines[0].status = GOROUTINE_RUNNING;
	assert_state(0, "runs in main.f");
	process.goroutines[0].status = GOROUTINE_RUNNABLE;
	assert_state(0, "could run in main.f");
	/* Not where Go's own functions are. */
	static const char *const of_go[] = { "runtime.f",     "sync.f",	   "internal/f",
					     "runtime/f",     "syscall.f", "time.f",
					     "main._Cfunc_f", NULL };
	for (size_t i = 0; i < ARRAY_SIZE(of_go); i++) {
		process.in[0] = of_go[i];
		assert_state(0, "could run");
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaked),
		cmocka_unit_test(test_main_leaked),
		cmocka_unit_test(test_nil_channel),
		cmocka_unit_test(test_semaphore),
		cmocka_unit_test(test_semaphore_stuck),
		cmocka_unit_test(test_semaphore_lost),
		cmocka_unit_test(test_spawning),
		cmocka_unit_test(test_map_race),
		cmocka_unit_test(test_states),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
