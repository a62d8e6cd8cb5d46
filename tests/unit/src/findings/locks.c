/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about locks and wait groups: who waits for whom, and the sentence of each. */
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

/* Goroutine 0 has a mutex that others wait for. */
static struct wait_object *hold(size_t waiters)
{
	struct wait_object *o = process_object(WAIT_MUTEX, 0x40);

	add("main.hold");
	process_holder(0, o, "main.lock");
	for (size_t i = 0; i < waiters; i++)
		process_waits_for(add("main.wait"), o);
	return o;
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

/* 0 and 1 wait for each other, 2 behind 3, which waits for 0; 4 has another lock that 5 waits for. */
static void make_cycle(void)
{
	process_begin();
	for (int i = 0; i < 6; i++)
		add("main.f");
	struct wait_object *o = process_object(WAIT_MUTEX, 0x10);
	process_holder(0, o, "main.lock0");
	process_waits_for(1, o);
	process_waits_for(3, o);
	o = process_object(WAIT_RWMUTEX, 0x20);
	process_holder(1, o, "main.lock1");
	process_waits_for(0, o);
	o = process_object(WAIT_MUTEX, 0x30);
	process_holder(3, o, "main.lock3");
	process_waits_for(2, o);
	o = process_object(WAIT_MUTEX, 0x40);
	process_holder(4, o, "main.lock4");
	process_waits_for(5, o);
}

static void test_chains(void **state)
{
	static const uint32_t roots[] = {
		NO_GOROUTINE, NO_GOROUTINE, NO_GOROUTINE, NO_GOROUTINE, 4, 4
	};
	static const uint64_t behind[] = { 2, 0, 0, 0, 1, 0 };
	struct findings findings;

	(void)state;
	make_cycle();
	struct finder f = process_finder(&findings);
	assert_int_equal(f.chains.count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(f.chains.root[i], roots[i]);
		assert_int_equal(f.chains.behind[i], behind[i]);
		assert_int_equal(f.chains.in_cycle[i], i < 2);
	}
	assert_ptr_equal(chain_next(&process.graph, 2), &process.partners[2]);
	assert_null(chain_next(&process.graph, 4));
	process_end(&f);
	process.objects[2].kind = WAIT_CHANNEL;
	assert_null(chain_next(&process.graph, 2));
	process.objects[2].kind = WAIT_MUTEX;
	process.objects[2].holder_count = 0;
	assert_null(chain_next(&process.graph, 2));
}

/* A chain that begins with a later goroutine: what was found before is used. */
static void test_chains_met(void **state)
{
	struct findings findings;

	(void)state;
	process_begin();
	for (int i = 0; i < 4; i++)
		add("main.f");
	for (uint32_t i = 0; i < 3; i++) {
		struct wait_object *o = process_object(WAIT_MUTEX, 0x10 * (i + 1));
		process_holder((i + 2) % 4, o, "main.lock");
		process_waits_for((i + 3) % 4, o);
	}
	struct finder f = process_finder(&findings);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(f.chains.root[i], 2);
		assert_int_equal(f.chains.behind[i], i == 2 ? 3 : 0);
		assert_false(f.chains.in_cycle[i]);
	}
	process_end(&f);
}

static void test_cycle(void **state)
{
	const char *words = "; goroutine 100 waits for rwmutex 0x20 in main.f, which "
			    "goroutine 101 locked in main.lock1; "
			    "goroutine 101 waits for mutex 0x10 in main.f, which "
			    "goroutine 100 locked in main.lock0";
	char all[400];

	(void)state;
	make_cycle();
	snprintf(all, sizeof(all),
		 "2 goroutines wait for each other: a deadlock%s; 2 others wait behind "
		 "them.",
		 words);
	process_finds(finding_lock_cycle, SEVERITY_CRITICAL, 4, all);
	process.partners[1].certainty = CERTAINTY_PROBABLE;
	snprintf(all, sizeof(all),
		 "2 goroutines wait for each other, it seems%s; 2 others wait behind "
		 "them.",
		 words);
	process_finds(finding_lock_cycle, SEVERITY_WARNING, 4, all);
	process.object_of[2] = 0;
	snprintf(all, sizeof(all),
		 "2 goroutines wait for each other, it seems%s; 1 other waits behind "
		 "them.",
		 words);
	process_finds(finding_lock_cycle, SEVERITY_WARNING, 3, all);
	NOTHING(finding_lock_held);
}

static void test_cycle_of_one(void **state)
{
	(void)state;
	process_begin();
	add("main.f");
	struct wait_object *o = process_object(WAIT_MUTEX, 0x10);
	struct partner *p = process_holder(0, o, "main.lock");
	process_waits_for(0, o);
	process_finds(finding_lock_cycle, SEVERITY_CRITICAL, 1,
		      "1 goroutine waits for itself: a deadlock; goroutine 100 waits for "
		      "mutex 0x10 in main.f, which "
		      "goroutine 100 locked in main.lock.");
	process_shows(finding_lock_cycle, 1, 100, 0x10);
	p->certainty = CERTAINTY_PROBABLE;
	p->passed = false;
	process_waits_since(0, LONG_AGO - JUST_NS);
	const char *told = "1 goroutine waits for itself, it seems; goroutine 100 waits "
			   "for mutex 0x10 in main.f, which "
			   "goroutine 100 locked.";
	process_finds(finding_lock_cycle, SEVERITY_INFO, 1, told);
	process_waits_since(0, LONG_AGO);
	process_finds(finding_lock_cycle, SEVERITY_WARNING, 1, told);
}

/* Each of five waits for the next; four links are told. */
static void test_long_cycle(void **state)
{
	(void)state;
	process_begin();
	for (int i = 0; i < 5; i++)
		add("main.f");
	for (uint32_t i = 0; i < 5; i++) {
		struct wait_object *o = process_object(WAIT_MUTEX, 0x10 + i);
		process_holder((i + 1) % 5, o, "main.lock")->passed = false;
		process_waits_for(i, o);
	}
	process_finds(finding_lock_cycle, SEVERITY_CRITICAL, 5,
		      "5 goroutines wait for each other: a deadlock; goroutine 100 waits "
		      "for mutex 0x10 in main.f, which "
		      "goroutine 101 locked; goroutine 101 waits for mutex 0x11 in "
		      "main.f, which goroutine 102 locked; "
		      "goroutine 102 waits for mutex 0x12 in main.f, which goroutine 103 "
		      "locked; goroutine 103 waits for "
		      "mutex 0x13 in main.f, which goroutine 104 locked.");
}

static void test_held_for_ever(void **state)
{
	const char *told = "1 goroutine waits for goroutine 100, which has mutex 0x40, "
			   "locked in main.lock. It waits to "
			   "receive from a nil channel in main.hold; that never ends.";

	(void)state;
	process_begin();
	hold(1);
	receives_from(0, 0);
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 1, told);
	process_shows(finding_lock_held, 1, 100, 0x40);
	process.partners[0].certainty = CERTAINTY_PROBABLE;
	process_finds(finding_lock_held, SEVERITY_WARNING, 1,
		      "1 goroutine waits for goroutine 100, which probably has mutex "
		      "0x40, locked in main.lock. It waits "
		      "to receive from a nil channel in main.hold; that never ends.");
	process.partners[0].certainty = CERTAINTY_CERTAIN;
	process.waits[0].unreadable = "lost";
	NOTHING(finding_lock_held);
	process.waits[0] = (struct wait){ .kind = WAIT_SELECT };
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 1,
		      "1 goroutine waits for goroutine 100, which has mutex 0x40, locked "
		      "in main.lock. It waits for ever "
		      "in a select in main.hold; that never ends.");
	process.waits[0].unreadable = "lost";
	NOTHING(finding_lock_held);
	process.waits[0] = (struct wait){ .kind = WAIT_SELECT, .case_count = 2 };
	NOTHING(finding_lock_held);
	process.leaks.leaked = process.leaked;
	NOTHING(finding_lock_held);
	process.leaked[0] = true;
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 1,
		      "1 goroutine waits for goroutine 100, which has mutex 0x40, locked "
		      "in main.lock. It waits in a select "
		      "of 2 cases in main.hold; that never ends.");
	process.is_waiting[0] = false;
	NOTHING(finding_lock_held);
}

static void test_held_for_long(void **state)
{
	(void)state;
	process_begin();
	hold(9);
	receives_from(0, 0x80);
	process_waits_since(0, LONG_AGO - JUST_NS);
	NOTHING(finding_lock_held);
	process_waits_since(0, LONG_AGO);
	const char *rest =
		"goroutines wait for goroutine 100, which has mutex 0x40, locked in "
		"main.lock. It waits to "
		"receive from channel 0x80 (unbuffered) in main.hold, for at least 10 s.";
	char all[300];
	snprintf(all, sizeof(all), "9 %s", rest);
	process_finds(finding_lock_held, SEVERITY_WARNING, 9, all);
	process_waits_for(add("main.wait"), &process.objects[0]);
	snprintf(all, sizeof(all), "10 %s", rest);
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 10, all);
	/* That comes by itself. */
	process.waits[0].channel.when = 1;
	NOTHING(finding_lock_held);
	process.waits[0].channel.when = 0;
	process.waits[0].channel.element_type = "time.Time";
	NOTHING(finding_lock_held);
	/* Unless it has come already. */
	process.waits[0].channel.is_stopped = true;
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 10, all);
	process.waits[0] = (struct wait){ .kind = WAIT_TIMER };
	NOTHING(finding_lock_held);
	process.waits[0] =
		(struct wait){ .kind = WAIT_NETWORK, .operation = WAIT_READ, .fd = 5 };
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 10,
		      "10 goroutines wait for goroutine 100, which has mutex 0x40, "
		      "locked in main.lock. It waits to read "
		      "descriptor 5 in main.hold, for at least 10 s.");
	process.in[0] = "net.(*TCPListener).Accept";
	NOTHING(finding_lock_held);
	process.in[0] = "main.hold";
	process.waits[0] = (struct wait){ .kind = WAIT_SELECT, .case_count = 2 };
	process_finds(finding_lock_held, SEVERITY_WARNING, 10,
		      "10 goroutines wait for goroutine 100, which has mutex 0x40, "
		      "locked in main.lock. It waits in a "
		      "select of 2 cases in main.hold, for at least 10 s.");
}

/* How long the holder waits is not known, but how long one waits for it. */
static void test_held_long_behind(void **state)
{
	(void)state;
	process_begin();
	hold(9);
	receives_from(0, 0x80);
	process.lock_wait_since[3] = NOW_NS - LONG_AGO + JUST_NS;
	NOTHING(finding_lock_held);
	process.lock_wait_since[3] = NOW_NS - LONG_AGO - 2 * SECOND_NS;
	process_finds(finding_lock_held, SEVERITY_WARNING, 9,
		      "9 goroutines wait for goroutine 100, which has mutex 0x40, locked "
		      "in main.lock. It waits to receive from channel 0x80 (unbuffered) "
		      "in main.hold; one of them has waited for at least 12 s.");
	/* It is known that it has not waited as long. */
	process_waits_since(0, LONG_AGO - SECOND_NS);
	NOTHING(finding_lock_held);
}

/* That the holder has leaked is not told once more. */
static void test_held_is_told(void **state)
{
	struct findings findings;

	(void)state;
	process_begin();
	hold(2);
	receives_from(0, 0);
	struct finder f = process_finder(&findings);
	finding_lock_held(&f);
	assert_int_equal(findings.count, 1);
	assert_true(f.told[0] && !f.told[1]);
	process_end(&f);
}

static void test_held_idle(void **state)
{
	const char *told = "10 goroutines wait for goroutine 100, which has mutex 0x40, "
			   "locked in main.lock. It waits to "
			   "receive from channel 0x80 (unbuffered) in main.hold; no "
			   "other goroutine's code leads there.";

	(void)state;
	process_begin();
	hold(10);
	receives_from(0, 0x80);
	process_finds(finding_lock_held, SEVERITY_WARNING, 10, told);
	process.graph.is_partial = true;
	NOTHING(finding_lock_held);
	process.graph.is_partial = false;
	struct wait_object *o = process_object(WAIT_CHANNEL, 0x80);
	struct partner *p = process_partner(1, o);
	p->operation = OPERATION_RECEIVE;
	process_finds(finding_lock_held, SEVERITY_WARNING, 10, told);
	p->operation = OPERATION_SEND;
	NOTHING(finding_lock_held);
	p->operation = OPERATION_CLOSE;
	NOTHING(finding_lock_held);
	process.waits[0].operation = WAIT_SEND;
	p->operation = OPERATION_RECEIVE;
	NOTHING(finding_lock_held);
	process.objects[0].waiter_count = 9;
	process.object_of[10] = 0;
	p->operation = OPERATION_SEND;
	NOTHING(finding_lock_held);
}

/* Of two locks it is told of that for which most wait. */
static void test_held_best(void **state)
{
	(void)state;
	process_begin();
	hold(1);
	process.partners[0].passed_is_one = false;
	struct wait_object *o = process_object(WAIT_RWMUTEX, 0x50);
	process_holder(0, o, "main.read")->operation = OPERATION_READ_UNLOCK;
	process_waits_for(add("main.wait"), o);
	receives_from(0, 0);
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 2,
		      "2 goroutines wait for goroutine 100, which has mutex 0x40. It "
		      "waits to receive from a nil channel in "
		      "main.hold; that never ends.");
	process_waits_for(add("main.wait"), o);
	process_finds(finding_lock_held, SEVERITY_CRITICAL, 3,
		      "3 goroutines wait for goroutine 100, which has rwmutex 0x50, "
		      "read-locked in main.read. It waits to "
		      "receive from a nil channel in main.hold; that never ends.");
}

static void test_lock_abandoned(void **state)
{
	const char *told = "2 goroutines wait for mutex 0x40 in main.wait, for at least "
			   "10 s. It is locked, and no "
			   "goroutine's code leads to its unlocking.";

	(void)state;
	process_begin();
	add("main.first");
	struct wait_object *o = process_object(WAIT_MUTEX, 0x40);
	process_waits_for(add("main.early"), o);
	process_waits_for(add("main.wait"), o);
	process_waits_since(1, LONG_AGO);
	process_waits_since(2, LONG_AGO + JUST_NS);
	o->lock = (struct wait_lock){ .has_state = true, .locked = true };
	process_finds(finding_lock_abandoned, SEVERITY_WARNING, 2, told);
	process_shows(finding_lock_abandoned, 2, 101, 0x40);
	process.graph.is_partial = true;
	NOTHING(finding_lock_abandoned);
	process.graph.is_partial = false;
	process.leaks.leaked = process.leaked;
	process_finds(finding_lock_abandoned, SEVERITY_WARNING, 2, told);
	process.leaked[2] = true;
	NOTHING(finding_lock_abandoned);
	process.leaks.leaked = NULL;
	o->lock.locked = false;
	NOTHING(finding_lock_abandoned);
	/* It is not locked, whatever is noted of readers. */
	o->lock.has_readers = o->lock.writer = true;
	NOTHING(finding_lock_abandoned);
	o->lock.has_state = false;
	process_finds(finding_lock_abandoned, SEVERITY_WARNING, 2, told);
	o->lock.writer = false;
	NOTHING(finding_lock_abandoned);
	o->lock.readers = 1;
	process_finds(finding_lock_abandoned, SEVERITY_WARNING, 2, told);
	o->lock.has_readers = false;
	NOTHING(finding_lock_abandoned);
}

static void leaves_unexplained(const char *words)
{
	struct findings findings;
	struct finder f = process_finder(&findings);

	finding_lock_abandoned(&f);
	assert_string_equal(text_words(&findings.unexplained), words);
	process_end(&f);
}

/* Some goroutine's code leads to the unlocking, and yet none is known to have the lock. */
static void test_lock_unexplained(void **state)
{
	(void)state;
	process_begin();
	struct wait_object *o = process_object(WAIT_MUTEX, 0x40);
	process_waits_for(add("main.wait"), o);
	process_waits_since(0, LONG_AGO);
	o->lock = (struct wait_lock){ .has_state = true, .locked = true };
	process_partner(0, o);
	leaves_unexplained("the holder of a lock: 1 goroutine waits for mutex 0x40 in "
			   "main.wait, for at least 10 s");
	o->holder_count = 1;
	leaves_unexplained("");
	o->holder_count = 0;
	process_waits_since(0, LONG_AGO - JUST_NS);
	leaves_unexplained("");
}

static void test_lock_claimed(void **state)
{
	const char *told = "1 goroutine waits for mutex 0x40 in main.wait, for at least "
			   "10 s. It is locked, and no "
			   "goroutine's code leads to its unlocking.";
	struct findings findings;

	(void)state;
	process_begin();
	struct wait_object *o = process_object(WAIT_MUTEX, 0x40);
	process_waits_for(add("main.wait"), o);
	process_waits_since(0, LONG_AGO);
	o->lock = (struct wait_lock){ .has_state = true, .locked = true };
	struct partner *p = process_partner(0, o);
	NOTHING(finding_lock_abandoned);
	p->waits = true;
	process_finds(finding_lock_abandoned, SEVERITY_WARNING, 1, told);
	p->deferred = true;
	NOTHING(finding_lock_abandoned);
	p->deferred = false;
	p->passed = true;
	NOTHING(finding_lock_abandoned);
	p->passed = false;
	struct finder f = process_finder(&findings);
	f.is_idle = false;
	finding_lock_abandoned(&f);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0]->severity, SEVERITY_INFO);
	f.about.has_memory = false;
	finding_lock_abandoned(&f);
	assert_int_equal(findings.count, 1);
	process_end(&f);
	process_waits_since(0, LONG_AGO - JUST_NS);
	NOTHING(finding_lock_abandoned);
	process_waits_since(0, LONG_AGO);
	o->kind = WAIT_WAITGROUP;
	NOTHING(finding_lock_abandoned);
}

static struct wait_object *wait_for_group(uint32_t waiters)
{
	struct wait_object *o = process_object(WAIT_WAITGROUP, 0x60);

	add("main.work");
	for (uint32_t i = 0; i < waiters; i++)
		process_waits_for(add("main.wait"), o);
	o->lock = (struct wait_lock){ .has_counter = true, .counter = 1 };
	return o;
}

static void test_group_abandoned(void **state)
{
	const char *told = "1 goroutine waits for wait group 0x60 in main.wait, for at "
			   "least 10 s. It counts 1, and no "
			   "goroutine's code leads to Done.";

	(void)state;
	process_begin();
	struct wait_object *o = wait_for_group(1);
	process_waits_since(1, LONG_AGO);
	process_finds(finding_group_abandoned, SEVERITY_INFO, 1, told);
	process_shows(finding_group_abandoned, 1, 101, 0x60);
	process.graph.is_partial = true;
	NOTHING(finding_group_abandoned);
	process.graph.is_partial = false;
	process_waits_since(1, LONG_AGO - JUST_NS);
	NOTHING(finding_group_abandoned);
	process_waits_since(1, LONG_AGO);
	o->lock.counter = 0;
	NOTHING(finding_group_abandoned);
	o->lock.counter = 1;
	o->lock.has_counter = false;
	NOTHING(finding_group_abandoned);
	o->lock.has_counter = true;
	process.goroutines[1].id = 1; /* it may be on purpose */
	NOTHING(finding_group_abandoned);
	o->lock.counter = 2;
	process_finds(finding_group_abandoned, SEVERITY_INFO, 1,
		      "1 goroutine waits for wait group 0x60 in main.wait, for at least "
		      "10 s. It counts 2, and no "
		      "goroutine's code leads to Done.");
	struct partner *p = process_partner(0, o);
	p->operation = OPERATION_DONE;
	NOTHING(finding_group_abandoned);
	p->operation = OPERATION_UNLOCK;
	o->kind = WAIT_MUTEX;
	NOTHING(finding_group_abandoned);
}

static void test_group_held(void **state)
{
	const char *told = "2 goroutines wait for wait group 0x60 in main.wait, which is "
			   "never done: goroutine 100 is to "
			   "finish it in main.done, and waits to receive from a nil "
			   "channel in main.work; that never ends.";
	struct findings findings;

	(void)state;
	process_begin();
	struct wait_object *o = wait_for_group(2);
	struct partner *p = process_partner(0, o);
	p->operation = OPERATION_DONE;
	p->ahead = true;
	p->ahead_pc = CODE("main.done");
	NOTHING(finding_group_held);
	receives_from(0, 0);
	process_finds(finding_group_held, SEVERITY_WARNING, 2, told);
	process_shows(finding_group_held, 2, 100, 0x60);
	process.waits[0].unreadable = "lost";
	NOTHING(finding_group_held);
	process.waits[0].unreadable = NULL;
	p->ahead = false;
	NOTHING(finding_group_held);
	p->ahead = true;
	p->operation = OPERATION_UNLOCK;
	NOTHING(finding_group_held);
	p->operation = OPERATION_DONE;
	receives_from(0, 0x80);
	NOTHING(finding_group_held);
	process.leaks.leaked = process.leaked;
	NOTHING(finding_group_held);
	process.leaked[0] = true;
	p->ahead_pc = 0;
	process_finds(finding_group_held, SEVERITY_WARNING, 2,
		      "2 goroutines wait for wait group 0x60 in main.wait, which is "
		      "never done: goroutine 100 is to finish "
		      "it, and waits to receive from channel 0x80 (unbuffered) in "
		      "main.work; that never ends.");
	process.leaks.leaked = NULL;
	process.waits[0] = (struct wait){ .kind = WAIT_SELECT, .case_count = 1 };
	NOTHING(finding_group_held);
	process.waits[0].case_count = 0;
	/* Those who wait are told with it. */
	struct finder f = process_finder(&findings);
	finding_group_held(&f);
	assert_int_equal(findings.count, 1);
	assert_true(f.told[1] && f.told[2] && !f.told[0]);
	/* Not once more, as after a ring that leads through the group. */
	finding_group_held(&f);
	assert_int_equal(findings.count, 1);
	f.told[0] = 1;
	finding_group_held(&f);
	assert_int_equal(findings.count, 1);
	process_end(&f);
}

/* Also who waits for what those have who wait for the group. */
static void test_group_held_behind(void **state)
{
	(void)state;
	process_begin();
	struct wait_object *o = wait_for_group(1);
	struct partner *p = process_partner(0, o);
	p->operation = OPERATION_DONE;
	p->ahead = true;
	receives_from(0, 0);
	o = process_object(WAIT_MUTEX, 0x70);
	process_holder(1, o, "main.lock");
	process_waits_for(add("main.behind"), o);
	process_finds(finding_group_held, SEVERITY_WARNING, 2,
		      "2 goroutines wait for wait group 0x60 in main.wait, which is "
		      "never done: goroutine 100 is to finish "
		      "it, and waits to receive from a nil channel in main.work; that "
		      "never ends.");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_chains_met),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_cycle_of_one),
		cmocka_unit_test(test_long_cycle),
		cmocka_unit_test(test_held_for_ever),
		cmocka_unit_test(test_held_for_long),
		cmocka_unit_test(test_held_long_behind),
		cmocka_unit_test(test_held_is_told),
		cmocka_unit_test(test_held_idle),
		cmocka_unit_test(test_held_best),
		cmocka_unit_test(test_lock_abandoned),
		cmocka_unit_test(test_lock_unexplained),
		cmocka_unit_test(test_lock_claimed),
		cmocka_unit_test(test_group_abandoned),
		cmocka_unit_test(test_group_held),
		cmocka_unit_test(test_group_held_behind),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
