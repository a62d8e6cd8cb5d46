/* SPDX-License-Identifier: Apache-2.0 */
/* What goroutines wait for, as a hostile subject may have it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/goroutine.h"
#include "goruntime/sched/sched.h"
#include "goruntime/session/runtime_steps.h"
#include "goruntime/symtab/pclntab.h"
#include "goruntime/values/lock.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum {
	ALLGS = PSEUDO_FREE,
	ARRAY = PSEUDO_FREE + 0x100,
	G = PSEUDO_FREE + 0x2000, /* of goroutine 1; the next 0x400 further on */
	G_ROOM = 0x400,
	STACK_ROOM = 0x1000,
	SUDOGS = PSEUDO_FREE + 0x8000, /* 0x100 each */
	CHANNELS = PSEUDO_FREE + 0x10000,
	DECOYS = PSEUDO_FREE + 0x14000,
	LOCKS = PSEUDO_FREE + 0x18000,
	NOWHERE = 0x7654321000,
};

enum reason { RECEIVE = 1, SELECT, SEMACQUIRE, IO_WAIT, SLEEP, COND, MUTEX, NOTHING };

enum { GOROUTINES = 8 };

static const char *const reasons[] = {
	[0] = "",
	[RECEIVE] = "chan receive",
	[SELECT] = "select (durable)",
	[SEMACQUIRE] = "semacquire",
	[IO_WAIT] = "IO wait",
	[SLEEP] = "sleep",
	[COND] = "sync.Cond.Wait",
	[MUTEX] = "sync.Mutex.Lock",
	[NOTHING] = "GC worker (idle)",
};

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "runtime.gopark", 0x18, 0 },
	{ "sync.(*Mutex).lockSlow", 0x28, 0 },
	{ "sync.(*RWMutex).Lock", 0x28, 0 },
	{ "main.main", 0x28, 0 },
	{ "runtime.text", 0, 0 },
};

static uint64_t g_at(size_t i)
{
	return G + i * G_ROOM;
}

static uint64_t sp_at(size_t i)
{
	return PSEUDO_STACK + i * STACK_ROOM + 0x10;
}

static uint64_t sudog_at(size_t i)
{
	return SUDOGS + i * 0x100;
}

static uint64_t channel_at(size_t i)
{
	return CHANNELS + i * 0x100;
}

/* Its stack: gopark, lockSlow, RWMutex.Lock, main. */
static void put_goroutine(struct pseudo *p, size_t i, enum reason reason)
{
	uint64_t g = g_at(i), sp = sp_at(i);

	pseudo_put(p, ARRAY + i * 8, g);
	pseudo_field(p, g, L_g_goid, i + 1);
	pseudo_field(p, g, L_g_status, GOROUTINE_WAITING);
	pseudo_field(p, g, L_g_waitreason, reason);
	pseudo_field(p, g, L_g_stack_lo, sp - 0x10);
	pseudo_field(p, g, L_g_stack_hi, sp - 0x10 + STACK_ROOM);
	pseudo_field(p, g, L_g_sched_sp, sp);
	pseudo_field(p, g, L_g_sched_pc, pseudo_pc(p, "runtime.gopark", 0x40));
	pseudo_field(p, g, L_g_sched_g, g);
	pseudo_field(p, g, L_g_startpc, pseudo_pc(p, "main.main", 0));
	pseudo_put(p, sp + 0x18, pseudo_pc(p, "sync.(*Mutex).lockSlow", 0x40));
	pseudo_put(p, sp + 0x48, pseudo_pc(p, "sync.(*RWMutex).Lock", 0x40));
	pseudo_put(p, sp + 0x78, pseudo_pc(p, "main.main", 0x40));
	pseudo_put(p, sp + 0xa8, pseudo_pc(p, "runtime.goexit", 1));
}

static void put_sudog(struct pseudo *p, size_t i, size_t g, uint64_t channel,
		      uint64_t next_case)
{
	pseudo_field(p, sudog_at(i), L_sudog_g, g_at(g));
	pseudo_field(p, sudog_at(i), L_sudog_c, channel);
	pseudo_field(p, sudog_at(i), L_sudog_waitlink, next_case);
}

static struct pseudo *subject(int minor, const enum reason *list, size_t n)
{
	struct pseudo *p = pseudo_new(minor, funcs, ARRAY_SIZE(funcs));

	for (size_t i = 0; i < n; i++)
		put_goroutine(p, i, list[i]);
	pseudo_put(p, ALLGS, ARRAY);
	pseudo_put(p, ALLGS + 8, n);
	pseudo_put(p, ALLGS + 16, n);
	p->rt->allgs = ALLGS;
	p->rt->wait_reasons = xcalloc(ARRAY_SIZE(reasons), sizeof(char *));
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		p->rt->wait_reasons[i] = xstrdup(reasons[i]);
	p->rt->wait_reason_count = ARRAY_SIZE(reasons);
	return p;
}

#define SUBJECT(minor, ...)                                                              \
	subject(minor, (const enum reason[]){ __VA_ARGS__ },                             \
		ARRAY_SIZE(((const enum reason[]){ __VA_ARGS__ })))

static void look(struct pseudo *p)
{
	struct err err;

	(void)!goroutines_read(p->rt, &err);
	waits_capture(p->rt);
	runtime_decode(p->rt);
}

static struct wait wait_of(struct pseudo *p, size_t i)
{
	struct wait w;

	assert_true(runtime_wait(p->rt, runtime_goroutine(p->rt, i), &w));
	return w;
}

static const int minors[] = { 15, 19, 21, 23, 25, 27 };

static void test_channel(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		AUTO(pseudo_free)
		struct pseudo *p = SUBJECT(minors[i], RECEIVE, NOTHING);
		pseudo_field(p, g_at(0), L_g_waiting, sudog_at(0));
		put_sudog(p, 0, 0, channel_at(0), 0);
		pseudo_field(p, channel_at(0), L_hchan_qcount, 3);
		pseudo_field(p, channel_at(0), L_hchan_dataqsiz, 7);
		look(p);
		struct wait w = wait_of(p, 0), none;
		assert_int_equal(w.kind, WAIT_CHANNEL);
		assert_int_equal(w.operation, WAIT_RECEIVE);
		assert_int_equal(w.addr, channel_at(0));
		assert_true(w.channel.known && w.channel.has_len);
		assert_int_equal(w.channel.len, 3);
		assert_int_equal(w.channel.cap, 7);
		assert_null(w.unreadable);
		assert_false(runtime_wait(p->rt, runtime_goroutine(p->rt, 1), &none));
	}
}

/* A goroutine that still has its thread waits only if its pc is in gopark. The name or the
 * other goroutines show where gopark is. One of the others is damaged. */
static void test_with_thread(void **state)
{
	static const struct {
		bool is_named, is_there;
	} cases[] = {
		{ false, true }, { false, false }, { true, true }, { true, false }
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(pseudo_free)
		struct pseudo *p =
			SUBJECT(24, RECEIVE, NOTHING, RECEIVE, RECEIVE, SEMACQUIRE);
		const uint64_t gopark = pseudo_pc(p, "runtime.gopark", 0);
		if (cases[i].is_named) {
			p->rt->gopark = gopark;
			p->rt->gopark_end = gopark + PSEUDO_FUNC_SIZE;
		}
		pseudo_field(p, g_at(1), L_g_sched_pc, NOWHERE);
		pseudo_field(p, g_at(0), L_g_m, NOWHERE);
		pseudo_field(p, g_at(0), L_g_sched_pc,
			     cases[i].is_there ? gopark + 0x40
					       : pseudo_pc(p, "main.main", 0x40));
		pseudo_field(p, g_at(0), L_g_waiting, sudog_at(0));
		put_sudog(p, 0, 0, channel_at(0), 0);
		look(p);
		struct wait w;
		const struct goroutine *g = runtime_goroutine(p->rt, 0);
		assert_int_equal(runtime_wait(p->rt, g, &w), cases[i].is_there);
		assert_int_equal(runtime_wait_is_over(p->rt, g), !cases[i].is_there);
		if (cases[i].is_there)
			assert_int_equal(w.addr, channel_at(0));
	}
}

/* No function has a name, and no other goroutine waits: gopark is not known. */
static void test_alone_with_thread(void **state)
{
	struct wait none;

	(void)state;
	AUTO(pseudo_free) struct pseudo *p = SUBJECT(24, RECEIVE);
	pseudo_field(p, g_at(0), L_g_m, NOWHERE);
	look(p);
	assert_false(runtime_wait(p->rt, runtime_goroutine(p->rt, 0), &none));
	assert_true(runtime_wait_is_over(p->rt, runtime_goroutine(p->rt, 0)));
}

/* Three cases; the last channel has the goroutine in both of its queues. */
static struct pseudo *select_of_three(int minor)
{
	struct pseudo *p = SUBJECT(minor, SELECT);

	pseudo_field(p, g_at(0), L_g_waiting, sudog_at(0));
	put_sudog(p, 0, 0, channel_at(0), sudog_at(1));
	put_sudog(p, 1, 0, channel_at(1), sudog_at(2));
	put_sudog(p, 2, 0, channel_at(1), 0);
	pseudo_field(p, channel_at(0), L_hchan_sendq, sudog_at(0));
	pseudo_field(p, channel_at(1), L_hchan_sendq, sudog_at(1));
	pseudo_field(p, channel_at(1), L_hchan_recvq, sudog_at(2));
	return p;
}

static void test_select(void **state)
{
	static const enum wait_operation operations[] = { WAIT_SEND, WAIT_SEND,
							  WAIT_RECEIVE };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		AUTO(pseudo_free) struct pseudo *p = select_of_three(minors[i]);
		look(p);
		struct wait w = wait_of(p, 0);
		assert_int_equal(w.kind, WAIT_SELECT);
		assert_null(w.unreadable);
		assert_int_equal(w.case_count, 3);
		for (size_t j = 0; j < 3; j++) {
			struct wait_channel c;
			assert_int_equal(runtime_wait_case(p->rt, w.first_case + j, &c),
					 operations[j]);
			assert_int_equal(c.addr, channel_at(j ? 1 : 0));
		}
	}
}

/* What was good of a chain stays, and that it is not all is said. */
static void test_broken_chains(void **state)
{
	static const struct {
		uint64_t next;
		size_t cases;
	} chains[] = {
		{ NOWHERE, 1 },
		{ UINT64_MAX, 1 },
		{ UINT64_MAX - 7, 1 },
		{ PSEUDO_DATA + PSEUDO_DATA_SIZE - 8, 1 },
		{ SUDOGS + 5, 1 },		/* other bytes */
		{ SUDOGS + 3 * 0x100, 1 },	/* another goroutine's */
		{ SUDOGS + 4 * 0x100, 1 },	/* a channel out of order */
		{ SUDOGS + 5 * 0x100, 1 },	/* no channel */
		{ SUDOGS, LIMIT_SELECT_CASES }, /* itself */
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		AUTO(pseudo_free) struct pseudo *p = SUBJECT(24, SELECT, NOTHING);
		pseudo_field(p, g_at(0), L_g_waiting, sudog_at(0));
		put_sudog(p, 0, 0, channel_at(2), chains[i].next);
		put_sudog(p, 3, 1, channel_at(3), 0);
		put_sudog(p, 4, 0, channel_at(1), 0);
		put_sudog(p, 5, 0, 0, 0);
		look(p);
		struct wait w = wait_of(p, 0);
		assert_non_null(w.unreadable);
		assert_int_equal(w.case_count, chains[i].cases);
	}
}

static void test_bad_sudogs(void **state)
{
	static const uint64_t addresses[] = { NOWHERE, UINT64_MAX, 8, SUDOGS + 0x300,
					      PSEUDO_DATA + PSEUDO_DATA_SIZE - 1 };
	static const enum reason kinds[] = { RECEIVE, SELECT, MUTEX, COND };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			AUTO(pseudo_free) struct pseudo *p = SUBJECT(26, kinds[k]);
			pseudo_field(p, g_at(0), L_g_waiting, addresses[i]);
			look(p);
			struct wait w = wait_of(p, 0);
			assert_non_null(w.unreadable);
			assert_int_equal(w.addr, 0);
			assert_int_equal(w.case_count, 0);
		}
}

/* Receivers in a circle on a channel that has senders, too. */
static void test_circular_queue(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = select_of_three(24);
	pseudo_field(p, sudog_at(2), L_sudog_next, sudog_at(2));
	look(p);
	struct wait w = wait_of(p, 0);
	struct wait_channel c;
	assert_int_equal(runtime_wait_case(p->rt, w.first_case + 2, &c), WAIT_ANY);
}

/* The sudog is in a frame only, among things that look like it. */
static void test_semaphore_in_frame(void **state)
{
	(void)state;
	AUTO(pseudo_free)
	struct pseudo *p = SUBJECT(19, SEMACQUIRE, SEMACQUIRE, SEMACQUIRE, SEMACQUIRE,
				   SEMACQUIRE, SEMACQUIRE, SEMACQUIRE, SEMACQUIRE);
	for (size_t i = 0; i < GOROUTINES; i++) {
		put_sudog(p, i, i, 0, 0);
		pseudo_field(p, sudog_at(i), L_sudog_elem, LOCKS + i * 0x40 + 4);
		pseudo_put(p, sp_at(i) + 0x08, sudog_at((i + 1) % GOROUTINES));
		pseudo_put(p, sp_at(i) + 0x28, NOWHERE);
		/* Points to its g, but what it says is no longer in the frames. */
		pseudo_put(p, DECOYS + i * 0x100, g_at(i));
		pseudo_field(p, DECOYS + i * 0x100, L_sudog_elem, LOCKS);
		pseudo_put(p, sp_at(i) + 0x20, DECOYS + i * 0x100);
		pseudo_put(p, sp_at(i) + 0x50, LOCKS + i * 0x40 + 4);
		if (i != 5)
			pseudo_put(p, sp_at(i) + 0x30, sudog_at(i));
		pseudo_put(p, LOCKS + i * 0x40, 1 | (i << 3));
	}
	look(p);
	for (size_t i = 0; i < GOROUTINES; i++) {
		struct wait w = wait_of(p, i);
		/* Its functions say which lock: there is a RWMutex around the Mutex. */
		assert_int_equal(w.kind, WAIT_RWMUTEX);
		assert_int_equal(w.operation, WAIT_WRITE);
		assert_int_equal(w.addr, i == 5 ? 0 : LOCKS + i * 0x40);
		assert_true((i == 5) == (w.unreadable != NULL));
		if (i == 5)
			continue;
		assert_true(w.lock.has_state && w.lock.locked && w.lock.has_readers);
		assert_int_equal(w.lock.waiters, i);
	}
}

static void test_cond_in_frame(void **state)
{
	uint64_t cond = LOCKS, list = LOCKS + 16;
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = SUBJECT(22, COND, COND, COND, COND);
	pseudo_field(p, list, L_notify_wait, 8);
	pseudo_field(p, list, L_notify_notify, 5);
	pseudo_field(p, list, L_notify_head, sudog_at(0));
	pseudo_field(p, list, L_notify_tail, sudog_at(2));
	for (size_t i = 0; i < 4; i++) {
		put_sudog(p, i, i, 0, 0);
		pseudo_field(p, sudog_at(i), L_sudog_ticket, 5 + i); /* 8: is not in it */
		pseudo_put(p, sp_at(i) + 0x30, sudog_at(i));
		pseudo_put(p, sp_at(i) + 0x60, cond);
	}
	look(p);
	for (size_t i = 0; i < 4; i++) {
		struct wait w = wait_of(p, i);
		assert_int_equal(w.kind, WAIT_COND);
		assert_int_equal(w.addr, i < 3 ? cond : 0);
		assert_true((i == 3) == (w.unreadable != NULL));
		if (i < 3)
			assert_int_equal(w.lock.waiters, 3);
	}
}

static void test_poll(void **state)
{
	uint64_t desc = LOCKS + 0x100, wrong = LOCKS + 0x400;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		AUTO(pseudo_free)
		struct pseudo *p = SUBJECT(minors[i], IO_WAIT, IO_WAIT, IO_WAIT);
		pseudo_field(p, desc, L_poll_fd, 17);
		pseudo_field(p, desc, L_poll_rg, g_at(0));
		pseudo_field(p, desc, L_poll_wg, g_at(1));
		pseudo_field(p, wrong, L_poll_fd, UINT64_MAX); /* no descriptor */
		pseudo_field(p, wrong, L_poll_rg, g_at(2));
		for (size_t j = 0; j < 3; j++)
			pseudo_put(p, sp_at(j) + 0x20, j == 2 ? wrong : desc);
		/* As if an older stack lay there. */
		pseudo_field(p, DECOYS, L_poll_fd, 51);
		pseudo_field(p, DECOYS, L_poll_rg, g_at(0));
		pseudo_put(p, sp_at(0) + 0x28, DECOYS);
		for (size_t j = 0; j < 3; j++) {
			struct slot pointer =
				p->rt->layout.slot[j == 1 ? L_poll_wg : L_poll_rg];
			pseudo_put(p, sp_at(j) + 0x30,
				   (j == 2 ? wrong : desc) + (uint64_t)pointer.off);
		}
		look(p);
		struct wait reader = wait_of(p, 0), writer = wait_of(p, 1);
		assert_int_equal(reader.fd, 17);
		assert_int_equal(reader.operation, WAIT_READ);
		assert_int_equal(writer.fd, 17);
		assert_int_equal(writer.operation, WAIT_WRITE);
		assert_int_equal(wait_of(p, 2).fd, -1);
		assert_non_null(wait_of(p, 2).unreadable);
		assert_true(runtimes_poll(p->all));
	}
}

/* Time in a bubble is made up. */
static void test_sleep(void **state)
{
	uint64_t timer = LOCKS;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(minors); i++) {
		AUTO(pseudo_free) struct pseudo *p = SUBJECT(minors[i], SLEEP, SLEEP);
		for (size_t j = 0; j < 2; j++) {
			pseudo_field(p, g_at(j), L_g_sleep_when, 12345);
			pseudo_field(p, g_at(j), L_g_timer, timer);
		}
		pseudo_field(p, timer, L_timer_when, 12345);
		pseudo_field(p, g_at(1), L_g_bubble, LOCKS);
		look(p);
		assert_int_equal(wait_of(p, 0).when, 12345);
		assert_int_equal(wait_of(p, 1).when,
				 layout_has(&p->rt->layout, L_g_bubble) ? 0 : 12345);
	}
}

/* Locks at both ends of a mapping; the memory beyond is not theirs. */
static void test_edges(void **state)
{
	static const uint64_t semaphores[] = { PSEUDO_IMAGE, 4, UINT64_MAX,
					       PSEUDO_DATA + PSEUDO_DATA_SIZE - 4,
					       PSEUDO_STACK + PSEUDO_STACK_SIZE - 4 };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(semaphores); i++) {
		AUTO(pseudo_free) struct pseudo *p = SUBJECT(27, MUTEX);
		pseudo_field(p, g_at(0), L_g_waiting, sudog_at(0));
		put_sudog(p, 0, 0, 0, sudog_at(0));
		pseudo_field(p, sudog_at(0), L_sudog_elem, semaphores[i]);
		look(p);
		struct wait w = wait_of(p, 0);
		assert_true(semaphores[i] >= WAIT_ADDRESS_END ||
			    w.addr == semaphores[i] - 4 || i == 1);
		assert_true(w.lock.has_state == (i >= 3));
	}
}

static void test_faults(void **state)
{
	(void)state;
	for (uint64_t k = 1; k < 40; k++) {
		AUTO(pseudo_free)
		struct pseudo *p = SUBJECT(23, SELECT, COND, IO_WAIT, MUTEX, SLEEP);
		pseudo_field(p, g_at(0), L_g_waiting, sudog_at(0));
		put_sudog(p, 0, 0, channel_at(0), sudog_at(1));
		put_sudog(p, 1, 0, channel_at(1), 0);
		put_sudog(p, 2, 1, 0, 0);
		pseudo_put(p, sp_at(1) + 0x30, sudog_at(2));
		put_sudog(p, 3, 3, 0, 0);
		pseudo_put(p, sp_at(3) + 0x30, sudog_at(3));
		pseudo_faults(p, k);
		look(p);
		for (size_t i = 0; i < p->rt->goroutine_count; i++)
			wait_of(p, i);
	}
}

/* Addresses of each other and nonsense in all that waiting goroutines refer to. */
static void scramble(struct pseudo *p, uint64_t start, uint64_t end, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t words[] = {
			0,
			(uint64_t)rand() % 16,
			~UINT64_C(0) - (uint64_t)rand() % 64,
			UINT64_C(1) << rand() % 64,
			NOWHERE,
			PSEUDO_DATA + PSEUDO_DATA_SIZE - (uint64_t)rand() % 8,
			PSEUDO_TYPES + (uint64_t)rand() % 0x1000,
			g_at((size_t)rand() % GOROUTINES),
			sudog_at((size_t)rand() % GOROUTINES),
			channel_at((size_t)rand() % GOROUTINES),
			LOCKS + (uint64_t)rand() % 64 * 4,
		};
		pseudo_put(p, start + (uint64_t)rand() % (end - start) / 4 * 4,
			   words[(size_t)rand() % ARRAY_SIZE(words)]);
	}
}

static void test_random(void **state)
{
	(void)state;
	srand(1);
	for (size_t round = 0; round < 600; round++) {
		enum reason list[GOROUTINES];
		for (size_t i = 0; i < GOROUTINES; i++)
			list[i] = (enum reason)(RECEIVE + (int)i % (NOTHING - RECEIVE));
		AUTO(pseudo_free)
		struct pseudo *p =
			subject(minors[round % ARRAY_SIZE(minors)], list, GOROUTINES);
		for (size_t i = 0; i < GOROUTINES; i++) {
			pseudo_field(p, g_at(i), L_g_waiting, sudog_at(i));
			put_sudog(p, i, i, channel_at(i), sudog_at((i + 1) % GOROUTINES));
			pseudo_put(p, sp_at(i) + 0x30, sudog_at(i));
		}
		scramble(p, SUDOGS, SUDOGS + GOROUTINES * 0x100, round % 64);
		scramble(p, CHANNELS, CHANNELS + GOROUTINES * 0x100, 200);
		scramble(p, LOCKS, LOCKS + 0x1000, 200);
		scramble(p, G, G + GOROUTINES * G_ROOM, round % 300);
		scramble(p, PSEUDO_STACK, PSEUDO_STACK + GOROUTINES * STACK_ROOM - 8,
			 round % 200);
		look(p);
		for (size_t i = 0; i < p->rt->goroutine_count; i++) {
			struct wait w;
			struct wait_channel c;
			if (!runtime_wait(p->rt, runtime_goroutine(p->rt, i), &w))
				continue;
			for (size_t k = 0; k < w.case_count; k++)
				runtime_wait_case(p->rt, w.first_case + k, &c);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channel),
		cmocka_unit_test(test_with_thread),
		cmocka_unit_test(test_alone_with_thread),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_broken_chains),
		cmocka_unit_test(test_bad_sudogs),
		cmocka_unit_test(test_circular_queue),
		cmocka_unit_test(test_semaphore_in_frame),
		cmocka_unit_test(test_cond_in_frame),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_random),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
