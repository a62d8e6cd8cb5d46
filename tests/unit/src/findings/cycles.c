/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of goroutines that do not only wait for locks: one has a mutex that others need to let it go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/program/program.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

#define NOTHING process_finds(finding_wait_cycle, 0, 0, NULL)

static struct wait_object *lock, *other;
static struct partner *holder, *partner;

/* Goroutine 0 has the mutex and waits for the other object, which goroutine 1 is to do something to; it waits
 * for the mutex. So do as many more as there are waiters. */
static void begin(enum wait_kind kind, enum operation operation, size_t waiters)
{
	process_begin();
	process_add(GOROUTINE_WAITING, "main.first");
	process_add(GOROUTINE_WAITING, "main.second");
	lock = process_object(WAIT_MUTEX, 0x40);
	holder = process_holder(0, lock, "main.lock");
	process_waits_for(1, lock);
	for (size_t i = 0; i < waiters; i++)
		process_waits_for(process_add(GOROUTINE_WAITING, "main.more"), lock);
	other = process_object(kind, 0x60);
	process_waits_for(0, other);
	partner = process_partner(1, other);
	partner->operation = operation;
	partner->ahead = true;
	partner->ahead_pc = CODE("main.ahead");
	other->channel = (struct wait_channel){ .addr = 0x60, .known = true };
}

static void test_group(void **state)
{
	const char *told = "2 goroutines wait for each other: a deadlock; goroutine 100 "
			   "waits for wait group 0x60 in "
			   "main.first, which goroutine 101 is to finish in main.ahead; "
			   "goroutine 101 waits for mutex 0x40 "
			   "in main.second, which goroutine 100 locked in main.lock";
	char all[400];

	(void)state;
	begin(WAIT_WAITGROUP, OPERATION_DONE, 0);
	snprintf(all, sizeof(all), "%s.", told);
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 2, all);
	partner->ahead = false;
	NOTHING;
	partner->deferred = true;
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 2, all);
	partner->operation = OPERATION_ADD;
	NOTHING;
	begin(WAIT_WAITGROUP, OPERATION_DONE, 1);
	snprintf(all, sizeof(all), "%s; 1 other waits behind them.", told);
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 3, all);
	begin(WAIT_WAITGROUP, OPERATION_DONE, 2);
	snprintf(all, sizeof(all), "%s; 2 others wait behind them.", told);
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 4, all);
	lock->holder_count = 0;
	NOTHING;
	lock->holder_count = 1;
	other->kind = WAIT_COND;
	NOTHING;
}

/* One that moves may finish it, unless one has deferred that. */
static void test_group_moves(void **state)
{
	struct partner *moves;

	(void)state;
	begin(WAIT_WAITGROUP, OPERATION_DONE, 0);
	moves = process_partner(process_add(GOROUTINE_RUNNING, "main.work"), other);
	moves->operation = OPERATION_DONE;
	NOTHING;
	partner->deferred = true;
	holder->certainty = CERTAINTY_PROBABLE;
	process_finds(finding_wait_cycle, SEVERITY_WARNING, 2,
		      "2 goroutines wait for each other, it seems; goroutine 100 waits "
		      "for wait group 0x60 in main.first, "
		      "which goroutine 101 is to finish in main.ahead; goroutine 101 "
		      "waits for mutex 0x40 in main.second, "
		      "which goroutine 100 probably locked in main.lock.");
}

static void test_group_of_one(void **state)
{
	(void)state;
	process_begin();
	process_add(GOROUTINE_WAITING, "main.first");
	other = process_object(WAIT_WAITGROUP, 0x60);
	process_waits_for(0, other);
	partner = process_partner(0, other);
	partner->operation = OPERATION_DONE;
	partner->ahead = true;
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 1,
		      "1 goroutine waits for itself: a deadlock; goroutine 100 waits for "
		      "wait group 0x60 in main.first, "
		      "which goroutine 100 is to finish.");
	process_shows(finding_wait_cycle, 1, 100, 0x60);
}

static void send(void)
{
	process.waits[0].operation = WAIT_SEND;
}

static void test_channel(void **state)
{
	const char *words = "; goroutine 100 waits to send on channel 0x60 in "
			    "main.first, which goroutine 101 would receive "
			    "from in main.ahead; goroutine 101 waits for mutex 0x40 in "
			    "main.second, which goroutine 100 "
			    "locked in main.lock.";
	char seems[400], sure[400];

	(void)state;
	snprintf(seems, sizeof(seems), "2 goroutines wait for each other, it seems%s",
		 words);
	snprintf(sure, sizeof(sure), "2 goroutines wait for each other: a deadlock%s",
		 words);
	begin(WAIT_CHANNEL, OPERATION_RECEIVE, 0);
	NOTHING; /* it receives, too */
	send();
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2, seems);
	process.graph.is_partial = true;
	NOTHING;
	process_waits_since(0, LONG_AGO);
	NOTHING;
	process_waits_since(1, LONG_AGO);
	process_finds(finding_wait_cycle, SEVERITY_WARNING, 2, seems);
	process_collected(LONG_AGO - JUST_NS);
	NOTHING;
	/* How long it waits at the channel is not known, but how long the other one waits for the lock. */
	process.goroutines[0].waiting_since = 0;
	process.lock_wait_since[1] = NOW_NS - LONG_AGO;
	process_finds(finding_wait_cycle, SEVERITY_WARNING, 2, seems);
	process.lock_wait_since[1] = NOW_NS - LONG_AGO + JUST_NS;
	NOTHING;
	process.leaks.leaked = process.leaked;
	NOTHING;
	process.leaked[0] = true;
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 2, sure);
	holder->certainty = CERTAINTY_PROBABLE;
	process.leaked[0] = false;
	process.leaked[1] = true; /* not at a channel */
	NOTHING;
	process.leaked[0] = true;
	partner->operation = OPERATION_CLOSE; /* in a panic it would end */
	NOTHING;
}

static void test_channel_partners(void **state)
{
	struct partner *more;

	(void)state;
	begin(WAIT_CHANNEL, OPERATION_SEND, 0);
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2,
		      "2 goroutines wait for each other, it seems; goroutine 100 waits "
		      "to receive from channel 0x60 in "
		      "main.first, which goroutine 101 would send on in main.ahead; "
		      "goroutine 101 waits for mutex 0x40 in "
		      "main.second, which goroutine 100 locked in main.lock.");
	partner->operation = OPERATION_CLOSE;
	const char *told = "2 goroutines wait for each other, it seems; goroutine 100 "
			   "waits to receive from channel 0x60 in "
			   "main.first, which goroutine 101 would close in main.ahead; "
			   "goroutine 101 waits for mutex 0x40 "
			   "in main.second, which goroutine 100 locked in main.lock.";
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2, told);
	other->channel.closed = true;
	NOTHING;
	other->channel.closed = false;
	other->channel.known = false;
	NOTHING;
	other->channel.known = true;
	other->channel.when = 1;
	NOTHING;
	other->channel.when = 0;
	other->channel.element_type = "time.Time";
	NOTHING;
	other->channel.element_type = "int";
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2, told);
	/* Each other one that comes there has to be stuck as well. */
	more = process_partner(process_add(GOROUTINE_RUNNING, "main.more"), other);
	more->operation = OPERATION_RECEIVE;
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2, told);
	more->operation = OPERATION_SEND;
	NOTHING;
}

/* Who waits there is not who lets itself go on: the next one is asked. */
static void test_channel_itself(void **state)
{
	(void)state;
	process_begin();
	for (int i = 0; i < 2; i++)
		process_add(GOROUTINE_WAITING, "main.both");
	other = process_object(WAIT_CHANNEL, 0x60);
	other->channel = (struct wait_channel){ .addr = 0x60, .known = true };
	process_waits_for(0, other);
	process_waits_for(1, other);
	process_partner(0, other)->operation = OPERATION_SEND;
	process_partner(1, other)->operation = OPERATION_SEND;
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2,
		      "2 goroutines wait for each other, it seems; goroutine 100 waits "
		      "to receive from channel 0x60 in "
		      "main.both, which goroutine 101 would send on; goroutine 101 waits "
		      "to receive from channel 0x60 in "
		      "main.both, which goroutine 100 would send on.");
	process.graph.partner_count = other->partner_count = 1;
	NOTHING;
}

/* A server sends to a channel that only itself receives from, while others wait for it alone. */
static void test_channel_of_server(void **state)
{
	struct wait_object *requests;

	(void)state;
	process_begin();
	process_add(GOROUTINE_WAITING, "main.serve");
	process_add(GOROUTINE_WAITING, "main.request");
	other = process_object(WAIT_CHANNEL, 0x60);
	other->channel = (struct wait_channel){ .addr = 0x60, .known = true };
	process_waits_for(0, other);
	process_partner(0, other)->operation = OPERATION_RECEIVE;
	requests = process_object(WAIT_CHANNEL, 0x80);
	requests->channel = (struct wait_channel){ .addr = 0x80, .known = true };
	process_waits_for(1, requests);
	partner = process_partner(0, requests);
	partner->operation = OPERATION_RECEIVE;
	NOTHING; /* it receives there first */
	process.waits[0].operation = process.waits[1].operation = WAIT_SEND;
	process.waiters[0].operation = process.waiters[1].operation = WAIT_SEND;
	const char *told =
		"1 goroutine waits for itself, it seems; goroutine 100 waits to "
		"send on channel 0x60 in main.serve, which goroutine 100 would "
		"receive from; 1 other waits behind them.";
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2, told);
	process_waits_since(0, LONG_AGO);
	process_finds(finding_wait_cycle, SEVERITY_WARNING, 2, told);
	process_waits_since(0, LONG_AGO - JUST_NS);
	process_finds(finding_wait_cycle, SEVERITY_INFO, 2, told);
	other->channel.cap = 1;
	NOTHING;
	other->channel.cap = 0;
	process.waiters[1].one_of = true;
	NOTHING;
	process.waiters[1].one_of = false;
	partner->operation = OPERATION_SEND;
	NOTHING;
	partner->operation = OPERATION_RECEIVE;
	process_partner(process_add(GOROUTINE_RUNNING, "main.more"), requests)
		->operation = OPERATION_RECEIVE;
	NOTHING;
}

static void server_with(size_t behind)
{
	process_begin();
	process_add(GOROUTINE_WAITING, "main.serve");
	other = process_object(WAIT_CHANNEL, 0x60);
	other->channel = (struct wait_channel){ .addr = 0x60, .known = true };
	process_waits_for(0, other);
	for (size_t i = 0; i < behind; i++)
		process_waits_for(process_add(GOROUTINE_WAITING, "main.leave"), other);
	for (size_t i = 0; i <= behind; i++)
		process.waits[i].operation = process.waiters[i].operation = WAIT_SEND;
	process_partner(0, other)->operation = OPERATION_RECEIVE;
}

/* Many who wait for it tell of it at once, unless a second look did not. */
static void test_channel_of_busy_server(void **state)
{
	uint64_t stayed[20] = { 0 };
	struct findings findings;

	(void)state;
	server_with(9);
	process_finds(finding_wait_cycle, SEVERITY_INFO, 10,
		      "1 goroutine waits for itself, it seems; goroutine 100 waits to "
		      "send on channel 0x60 in main.serve, which goroutine 100 would "
		      "receive from; 9 others wait behind them.");
	server_with(10);
	process_finds(finding_wait_cycle, SEVERITY_WARNING, 11,
		      "1 goroutine waits for itself, it seems; goroutine 100 waits to "
		      "send on channel 0x60 in main.serve, which goroutine 100 would "
		      "receive from; 10 others wait behind them.");
	struct finder f = process_finder(&findings);
	f.about.stayed_ns = stayed;
	finding_wait_cycle(&f);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0]->severity, SEVERITY_INFO);
	process_end(&f);
}

/* Of five in the ring four are told; a ring of locks alone is another finding. */
static void test_long_ring(void **state)
{
	(void)state;
	process_begin();
	for (int i = 0; i < 5; i++)
		process_add(GOROUTINE_WAITING, "main.f");
	for (uint32_t i = 0; i < 5; i++) {
		struct wait_object *o = process_object(WAIT_MUTEX, 0x10 + i);
		process_holder((i + 1) % 5, o, "main.lock")->passed = false;
		process_waits_for(i, o);
	}
	NOTHING;
	process.objects[4].kind = WAIT_WAITGROUP;
	process.partners[4].operation = OPERATION_DONE;
	process.partners[4].ahead = true;
	process_finds(finding_wait_cycle, SEVERITY_CRITICAL, 5,
		      "5 goroutines wait for each other: a deadlock; goroutine 100 waits "
		      "for mutex 0x10 in main.f, which "
		      "goroutine 101 locked; goroutine 101 waits for mutex 0x11 in "
		      "main.f, which goroutine 102 locked; "
		      "goroutine 102 waits for mutex 0x12 in main.f, which goroutine 103 "
		      "locked; goroutine 103 waits for "
		      "mutex 0x13 in main.f, which goroutine 104 locked.");
	process_shows(finding_wait_cycle, 5, 100, 0x10);
}

static void test_told(void **state)
{
	struct findings findings;

	(void)state;
	begin(WAIT_WAITGROUP, OPERATION_DONE, 1);
	struct finder f = process_finder(&findings);
	finding_wait_cycle(&f);
	assert_true(f.told[0] && f.told[1] && !f.told[2]);
	process_end(&f);
	begin(WAIT_CHANNEL, OPERATION_SEND, 0);
	f = process_finder(&findings);
	finding_wait_cycle(&f);
	assert_int_equal(findings.count, 1);
	assert_false(f.told[0] || f.told[1]);
	f.is_idle = false;
	finding_wait_cycle(&f);
	f.is_idle = true;
	f.about.has_memory = false;
	finding_wait_cycle(&f);
	assert_int_equal(findings.count, 1);
	process_end(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_group_moves),
		cmocka_unit_test(test_group_of_one),
		cmocka_unit_test(test_channel),
		cmocka_unit_test(test_channel_partners),
		cmocka_unit_test(test_channel_itself),
		cmocka_unit_test(test_channel_of_server),
		cmocka_unit_test(test_channel_of_busy_server),
		cmocka_unit_test(test_long_ring),
		cmocka_unit_test(test_told),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
