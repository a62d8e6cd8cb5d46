/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds a lock, by what the code of goroutines says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/src/analysis/scene.h"
#include "tests/unit/unit.h"

enum { LOCK = 0x1000, OTHER = 0x2000, ONES = 3 };

/* What the code of a goroutine says of LOCK. */
enum {
	PASSED_IT = 1,
	TRIED = 2,
	SURELY = 4,
	DEFERRED = 8,
	MAYBE = 16,
	READS = 32,	 /* all of this is as a reader */
	WAITS = 64,	 /* it waits for LOCK itself */
	ELSEWHERE = 128, /* it waits for another lock */
	ALWAYS = 256,	 /* it was passed on every way */
	GIVEN = 512,	 /* it was unlocked, on some way */
	HAS_IT = PASSED_IT | SURELY,
};

/* By certainty. */
static const char letters[] = "-pc";

static const struct judgement {
	enum wait_kind kind;
	struct wait_lock lock;
	unsigned says[ONES];
	const char *expected; /* of these letters */
} judgements[] = {
	/* Two signs are certain, if nobody else has both. */
	{ WAIT_MUTEX, { 0 }, { HAS_IT }, "c" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | DEFERRED }, "c" },
	{ WAIT_MUTEX, { 0 }, { TRIED | SURELY }, "c" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | ALWAYS }, "p" },
	{ WAIT_MUTEX, { 0 }, { SURELY }, "p" },
	{ WAIT_MUTEX, { 0 }, { DEFERRED }, "p" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | ALWAYS | MAYBE }, "p" },
	/* A variable says whether it has it. */
	{ WAIT_MUTEX, { 0 }, { PASSED_IT }, "-" },
	{ WAIT_MUTEX, { 0 }, { MAYBE }, "-" },
	{ WAIT_MUTEX, { 0 }, { TRIED }, "-" },
	{ WAIT_MUTEX, { 0 }, { TRIED | ALWAYS }, "-" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | MAYBE }, "-" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | ALWAYS | GIVEN | MAYBE }, "-" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | GIVEN | SURELY }, "c" },
	{ WAIT_MUTEX, { 0 }, { GIVEN | SURELY }, "-" },
	{ WAIT_MUTEX, { 0 }, { HAS_IT, HAS_IT }, "--" },
	{ WAIT_MUTEX, { 0 }, { SURELY, SURELY }, "--" },
	{ WAIT_MUTEX, { 0 }, { MAYBE, 0, MAYBE }, "---" },
	/* The better claim, whoever has it. */
	{ WAIT_MUTEX, { 0 }, { SURELY, HAS_IT, PASSED_IT | ALWAYS }, "-c-" },
	{ WAIT_MUTEX, { 0 }, { PASSED_IT | ALWAYS, SURELY }, "-p" },
	{ WAIT_MUTEX, { 0 }, { TRIED, PASSED_IT | ALWAYS, MAYBE }, "-p-" },
	{ WAIT_MUTEX, { 0 }, { MAYBE, 0, SURELY }, "--p" },
	/* What the lock's own state says. */
	{ WAIT_MUTEX, { .has_state = true, .locked = true }, { HAS_IT }, "c" },
	{ WAIT_MUTEX, { .has_state = true }, { HAS_IT }, "-" },
	{ WAIT_MUTEX, { .has_state = true }, { PASSED_IT | ALWAYS }, "-" },
	{ WAIT_RWMUTEX, { 0 }, { HAS_IT }, "c" },
	{ WAIT_RWMUTEX, { .has_readers = true }, { HAS_IT }, "-" },
	{ WAIT_RWMUTEX, { .has_readers = true, .writer = true }, { HAS_IT }, "c" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .writer = true },
	  { HAS_IT, HAS_IT },
	  "--" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .writer = true, .leaving = 1 },
	  { HAS_IT },
	  "-" },
	/* Readers. */
	{ WAIT_RWMUTEX,
	  { 0 },
	  { READS | HAS_IT, READS | HAS_IT, READS | TRIED | DEFERRED },
	  "ccc" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .readers = 2 },
	  { READS | HAS_IT, READS | HAS_IT },
	  "cc" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .readers = 2 },
	  { READS | HAS_IT, READS | HAS_IT, READS | HAS_IT },
	  "---" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .readers = 2 },
	  { READS | SURELY, READS | SURELY },
	  "pp" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .writer = true, .readers = 2, .leaving = 1 },
	  { READS | HAS_IT },
	  "c" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .writer = true, .readers = 2, .leaving = 1 },
	  { READS | HAS_IT, READS | HAS_IT },
	  "--" },
	{ WAIT_RWMUTEX,
	  { .has_readers = true, .readers = 1 },
	  { HAS_IT, READS | HAS_IT },
	  "-c" },
	/* There are no readers of a mutex. */
	{ WAIT_MUTEX, { 0 }, { READS | HAS_IT }, "-" },
	/* Who waits for it unlocks it later, as he does not have it yet. */
	{ WAIT_MUTEX, { 0 }, { WAITS | SURELY }, "-" },
	{ WAIT_MUTEX, { 0 }, { WAITS | DEFERRED }, "-" },
	{ WAIT_MUTEX, { 0 }, { WAITS | HAS_IT | ALWAYS }, "p" },
	{ WAIT_MUTEX, { 0 }, { WAITS | PASSED_IT | DEFERRED }, "c" },
	{ WAIT_MUTEX, { 0 }, { WAITS | TRIED }, "-" },
	{ WAIT_RWMUTEX, { 0 }, { WAITS | READS | TRIED | DEFERRED }, "-" },
	{ WAIT_MUTEX, { 0 }, { ELSEWHERE | MAYBE }, "-" },
	{ WAIT_MUTEX, { 0 }, { ELSEWHERE | SURELY }, "p" },
	{ WAIT_MUTEX, { 0 }, { ELSEWHERE | HAS_IT }, "c" },
};

static uint32_t add_one(unsigned says, enum wait_kind kind, const struct wait_lock *lock)
{
	const bool reads = says & READS;
	const enum operation release = reads ? OPERATION_READ_UNLOCK : OPERATION_UNLOCK;
	const uint32_t i = says & WAITS	      ? scene_waiter(kind, LOCK)
			   : says & ELSEWHERE ? scene_waiter(WAIT_MUTEX, OTHER)
					      : scene_add();

	if (says & WAITS)
		scene.goroutines[i].wait.lock = *lock;
	const enum operation_when passed = says & ALWAYS ? PASSED_SURELY : PASSED;
	if (says & PASSED_IT)
		scene_says(i, reads ? OPERATION_READ_LOCK : OPERATION_LOCK, passed, LOCK);
	if (says & TRIED)
		scene_says(i, reads ? OPERATION_TRY_READ_LOCK : OPERATION_TRY_LOCK,
			   passed, LOCK);
	if (says & GIVEN)
		scene_says(i, release, PASSED, LOCK);
	if (says & MAYBE)
		scene_says(i, release, AHEAD_MAYBE, LOCK);
	if (says & SURELY)
		scene_says(i, release, AHEAD_SURELY, LOCK);
	if (says & DEFERRED)
		scene_says(i, release, AHEAD_DEFERRED, LOCK);
	return i;
}

static enum certainty certainty_of(const struct wait_graph *w, uint32_t goroutine)
{
	const struct partner *p = scene_partner(w, LOCK, goroutine);

	return p ? p->certainty : CERTAINTY_UNKNOWN;
}

/* Those that hold it come first, the certain ones before the others. */
static void expect_order(const struct wait_graph *w)
{
	const struct wait_object *o = wait_graph_object(w, LOCK);
	const struct partner *p = &w->partners[o->first_partner];

	for (uint32_t i = 0; i < o->partner_count; i++) {
		assert_int_equal(i < o->holder_count,
				 p[i].certainty != CERTAINTY_UNKNOWN);
		if (i == 0)
			continue;
		assert_true(p[i - 1].certainty >= p[i].certainty);
		if (p[i - 1].certainty == p[i].certainty)
			assert_true(p[i - 1].goroutine < p[i].goroutine);
	}
}

static void judge(const struct judgement *j)
{
	struct wait_graph w;
	uint32_t ones[ONES];

	scene_begin();
	for (size_t i = 0; i < ONES; i++)
		ones[i] = add_one(j->says[i], j->kind, &j->lock);
	scene.goroutines[scene_waiter(j->kind, LOCK)].wait.lock = j->lock;
	scene_look(&w);
	for (size_t i = 0; j->expected[i]; i++)
		if (letters[certainty_of(&w, ones[i])] != j->expected[i])
			fail_msg("judgement %zu: goroutine %zu: %c, not %c",
				 (size_t)(j - judgements), i,
				 letters[certainty_of(&w, ones[i])], j->expected[i]);
	expect_order(&w);
	assert_false(w.is_partial);
	wait_graph_done(&w);
	assert_int_equal(scene.known, 0);
}

static void test_judgements(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(judgements); i++)
		judge(&judgements[i]);
}

static size_t partner_count(const struct wait_graph *w, uint64_t addr)
{
	return wait_graph_object(w, addr)->partner_count;
}

/* A waiter that does not have the lock is no partner of it. */
static void test_waiters(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	const uint32_t waiter = scene_waiter(WAIT_MUTEX, LOCK);
	scene_says(waiter, OPERATION_UNLOCK, AHEAD_SURELY, LOCK);
	scene_says(waiter, OPERATION_UNLOCK, AHEAD_SURELY, OTHER);
	scene_waiter(WAIT_MUTEX, OTHER);
	const uint32_t channel = scene_waiter(WAIT_CHANNEL, 0x3000);
	scene_says(channel, OPERATION_SEND, AHEAD_SURELY, 0x3000);
	scene_says(channel, OPERATION_UNLOCK, AHEAD_SURELY, LOCK);
	scene_look(&w);
	assert_null(scene_partner(&w, LOCK, waiter));
	assert_false(scene_partner(&w, OTHER, waiter)->waits);
	assert_true(scene_partner(&w, 0x3000, channel)->waits);
	assert_non_null(scene_partner(&w, LOCK, channel));
	assert_int_equal(w.partner_count, 3);
	wait_graph_done(&w);
}

/* Who waits on a condition has unlocked the lock that he unlocks later. */
static void test_condition(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	const uint32_t on_it = scene_waiter(WAIT_COND, OTHER);
	scene_says(on_it, OPERATION_LOCK, PASSED, LOCK);
	scene_says(on_it, OPERATION_UNLOCK, AHEAD_DEFERRED, LOCK);
	scene_says(on_it, OPERATION_DONE, AHEAD_DEFERRED, 0x3000);
	scene_waiter(WAIT_MUTEX, LOCK);
	scene_waiter(WAIT_WAITGROUP, 0x3000);
	scene_look(&w);
	assert_int_equal(partner_count(&w, LOCK), 0);
	assert_int_equal(partner_count(&w, 0x3000), 1);
	wait_graph_done(&w);
}

/* Where the code of Cond.Wait shows which lock it has unlocked, others are still the goroutine's. */
static void test_known_condition(void **state)
{
	const struct operation_at locks = {
		OPERATION_LOCK, AHEAD_SURELY, 0x4000, SCENE_IN_WAIT, 0, false
	};
	struct wait_graph w;

	(void)state;
	scene_begin();
	const uint32_t on_it = scene_waiter(WAIT_COND, OTHER);
	scene_says_at(on_it, &locks);
	scene_says(on_it, OPERATION_LOCK, PASSED, LOCK);
	scene_says(on_it, OPERATION_UNLOCK, AHEAD_DEFERRED, LOCK);
	scene_waiter(WAIT_MUTEX, LOCK);
	scene_look(&w);
	assert_int_equal(certainty_of(&w, on_it), CERTAINTY_CERTAIN);
	wait_graph_done(&w);
}

/* What the code of a frame says of LOCK, innermost first. */
static const struct inner_judgement {
	struct operation_at says[4];
	char expected;
} inner_judgements[] = {
#define AT(operation, when, frame)                                                       \
	{                                                                                \
		OPERATION_##operation, when, LOCK, 1, frame, false                       \
	}
#define OUTER AT(LOCK, PASSED_SURELY, 2), AT(UNLOCK, AHEAD_DEFERRED, 2)
	{ { OUTER }, 'c' },
	/* Given up by an inner frame, or by this one. */
	{ { OUTER, AT(UNLOCK, PASSED_SURELY, 1) }, '-' },
	{ { OUTER, AT(UNLOCK, PASSED_SURELY, 2) }, 'c' },
	{ { AT(UNLOCK, PASSED_SURELY, 2), AT(UNLOCK, AHEAD_DEFERRED, 2) }, '-' },
	{ { OUTER, AT(LOCK, AHEAD_SURELY, 1) }, '-' },
	{ { OUTER, AT(LOCK, AHEAD_DEFERRED, 1) }, '-' },
	{ { OUTER, AT(LOCK, AHEAD_SURELY, 2) }, '-' },
	/* On some way only; or what it tries does not tell. */
	{ { OUTER, AT(UNLOCK, PASSED, 1) }, '-' },
	{ { OUTER, AT(LOCK, AHEAD_MAYBE, 1) }, 'c' },
	{ { OUTER, AT(TRY_LOCK, AHEAD_SURELY, 1) }, 'c' },
	/* By a frame further out, before. */
	{ { OUTER, AT(UNLOCK, PASSED_SURELY, 3), AT(LOCK, AHEAD_SURELY, 3) }, 'c' },
	/* And taken again. */
	{ { OUTER, AT(UNLOCK, PASSED_SURELY, 1), AT(LOCK, PASSED_SURELY, 0) }, 'p' },
	/* As a reader it is another one. */
	{ { OUTER, AT(READ_UNLOCK, PASSED_SURELY, 1) }, 'c' },
	/* A lock that is not known was unlocked. */
	{ { OUTER, { OPERATION_UNLOCK, PASSED, 0, 1, 1, false } }, 'p' },
	{ { OUTER, { OPERATION_UNLOCK, PASSED, 0, 1, 3, false } }, 'c' },
	{ { AT(LOCK, PASSED_SURELY, 2), { OPERATION_UNLOCK, PASSED, 0, 1, 1, false } },
	  '-' },
#undef OUTER
#undef AT
};

static void test_inner_frames(void **state)
{
	struct wait_graph w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(inner_judgements); i++) {
		const struct inner_judgement *j = &inner_judgements[i];
		scene_begin();
		scene_waiter(WAIT_RWMUTEX, LOCK);
		const uint32_t one = scene_add();
		for (size_t k = 0; k < ARRAY_SIZE(j->says); k++)
			if (j->says[k].operation)
				scene_says_at(one, &j->says[k]);
		scene_look(&w);
		const struct partner *list = w.partners;
		enum certainty best = CERTAINTY_UNKNOWN;
		for (size_t k = 0; k < w.partner_count; k++)
			if (list[k].certainty > best)
				best = list[k].certainty;
		if (letters[best] != j->expected)
			fail_msg("inner judgement %zu: %c, not %c", i, letters[best],
				 j->expected);
		wait_graph_done(&w);
	}
}

/* Each operation is one of a kind of object. */
static void test_fits(void **state)
{
	static const enum wait_kind kinds[] = {
		WAIT_MUTEX, WAIT_RWMUTEX, WAIT_WAITGROUP,
		WAIT_COND,  WAIT_CHANNEL, WAIT_SEMAPHORE
	};
	static const struct {
		enum operation operation;
		const char *fits; /* by kinds */
	} all[] = {
		{ OPERATION_LOCK, "yy----" },
		{ OPERATION_TRY_LOCK, "yy----" },
		{ OPERATION_UNLOCK, "yy----" },
		{ OPERATION_READ_LOCK, "-y----" },
		{ OPERATION_READ_UNLOCK, "-y----" },
		{ OPERATION_TRY_READ_LOCK, "-y----" },
		{ OPERATION_DONE, "--y---" },
		{ OPERATION_SIGNAL, "---y--" },
		{ OPERATION_SEND, "----y-" },
		{ OPERATION_RECEIVE, "----y-" },
		{ OPERATION_CLOSE, "----y-" },
		{ OPERATION_ADD, "------" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			struct wait_graph w;
			scene_begin();
			scene_waiter(kinds[k], LOCK);
			scene_says(scene_add(), all[i].operation,
				   is_lock(all[i].operation) ? PASSED : AHEAD_SURELY,
				   LOCK);
			scene_look(&w);
			assert_int_equal(partner_count(&w, LOCK), all[i].fits[k] == 'y');
			wait_graph_done(&w);
		}
}

/* The claim of each frame is one; of a channel the whole goroutine is asked. */
static void test_frames(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_MUTEX, LOCK);
	scene_waiter(WAIT_CHANNEL, OTHER);
	const uint32_t one = scene_add();
	for (uint32_t frame = 0; frame < 2; frame++) {
		const struct operation_at lock = { OPERATION_LOCK, PASSED, LOCK, 1,
						   frame,	   false };
		const struct operation_at unlock = {
			OPERATION_UNLOCK, AHEAD_SURELY, LOCK, 1, frame, false
		};
		const struct operation_at send = { OPERATION_SEND, AHEAD_MAYBE, OTHER, 1,
						   frame,	   false };
		scene_says_at(one, &lock);
		scene_says_at(one, &unlock);
		scene_says_at(one, &send);
	}
	scene_look(&w);
	assert_int_equal(partner_count(&w, LOCK), 2);
	assert_int_equal(partner_count(&w, OTHER), 1);
	assert_int_equal(wait_graph_object(&w, LOCK)->holder_count, 1);
	assert_int_equal(certainty_of(&w, one), CERTAINTY_CERTAIN);
	wait_graph_done(&w);
}

/* What is said of one lock says nothing of the next. */
static void test_neighbours(void **state)
{
	const struct wait_lock lock = { 0 };
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_MUTEX, LOCK);
	scene_waiter(WAIT_MUTEX, OTHER);
	const uint32_t one = add_one(HAS_IT, WAIT_MUTEX, &lock);
	for (size_t i = 0; i < 2; i++) {
		const uint32_t either = scene_add();
		scene_says(either, OPERATION_LOCK, PASSED, OTHER);
		scene_says(either, OPERATION_UNLOCK, AHEAD_SURELY, OTHER);
	}
	scene_look(&w);
	assert_int_equal(certainty_of(&w, one), CERTAINTY_CERTAIN);
	assert_int_equal(wait_graph_object(&w, LOCK)->holder_count, 1);
	assert_int_equal(wait_graph_object(&w, OTHER)->holder_count, 0);
	wait_graph_done(&w);
}

/* What it has ahead and has passed, and where. */
static void test_places(void **state)
{
	static const struct operation_at said[] = {
		{ OPERATION_LOCK, PASSED, LOCK, 1, 0, false },
		{ OPERATION_UNLOCK, AHEAD_MAYBE, LOCK, 2, 0, false },
		{ OPERATION_UNLOCK, AHEAD_SURELY, LOCK, 3, 0, false },
		{ OPERATION_UNLOCK, AHEAD_MAYBE, LOCK, 4, 0, false },
	};
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_MUTEX, LOCK);
	const uint32_t one = scene_add();
	for (size_t i = 0; i < ARRAY_SIZE(said); i++)
		scene_says_at(one, &said[i]);
	scene_look(&w);
	const struct partner *p = scene_partner(&w, LOCK, one);
	assert_true(p->passed && p->passed_is_one && p->ahead && p->maybe);
	assert_false(p->deferred || p->tried || p->waits);
	assert_int_equal(p->passed_pc, 1);
	assert_int_equal(p->ahead_pc, 3);
	assert_int_equal(p->operation, OPERATION_UNLOCK);
	wait_graph_done(&w);
}

static bool one_place(const uint64_t *pcs, size_t n)
{
	struct wait_graph w;

	scene_begin();
	scene_waiter(WAIT_MUTEX, LOCK);
	const uint32_t one = scene_add();
	for (size_t i = 0; i < n; i++) {
		const struct operation_at at = { OPERATION_LOCK, PASSED, LOCK,
						 pcs[i],	 0,	 false };
		scene_says_at(one, &at);
	}
	scene_look(&w);
	const bool ret = scene_partner(&w, LOCK, one)->passed_is_one;
	wait_graph_done(&w);
	return ret;
}

static void test_one_place(void **state)
{
	(void)state;
	assert_true(one_place((const uint64_t[]){ 1 }, 1));
	assert_true(one_place((const uint64_t[]){ 1, 1, 1 }, 3));
	assert_false(one_place((const uint64_t[]){ 1, 2 }, 2));
	assert_false(one_place((const uint64_t[]){ 1, 2, 2 }, 3));
}

/* Who surely sends comes before who may, and else who was there first. */
static void test_channel_order(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_CHANNEL, LOCK);
	const uint32_t may = scene_add(), sends = scene_add(), too = scene_add();
	scene_says(may, OPERATION_SEND, AHEAD_MAYBE, LOCK);
	scene_says(sends, OPERATION_SEND, AHEAD_SURELY, LOCK);
	scene_says(too, OPERATION_CLOSE, AHEAD_DEFERRED, LOCK);
	scene_look(&w);
	const struct wait_object *o = wait_graph_object(&w, LOCK);
	const struct partner *p = &w.partners[o->first_partner];
	assert_int_equal(o->partner_count, 3);
	assert_int_equal(o->holder_count, 0);
	assert_int_equal(p[0].goroutine, sends);
	assert_int_equal(p[1].goroutine, too);
	assert_int_equal(p[2].goroutine, may);
	wait_graph_done(&w);
}

/* So many have one stack, all of which say this. */
static size_t asked_of(size_t n, void (*say)(uint32_t goroutine), bool system)
{
	struct wait_graph w;

	scene_begin();
	scene_waiter(WAIT_MUTEX, LOCK);
	for (size_t i = 0; i < n; i++) {
		const uint32_t one = scene_waiter(WAIT_CHANNEL, OTHER);
		scene.goroutines[one].record.stack = 1;
		scene.goroutines[one].record.system = system;
		if (say)
			say(one);
	}
	scene_look(&w);
	assert_false(w.is_partial);
	wait_graph_done(&w);
	return scene.asked - 1;
}

static void receives(uint32_t goroutine)
{
	scene_says(goroutine, OPERATION_RECEIVE, AHEAD_SURELY, OTHER);
}

static void sees_unwaited(uint32_t goroutine)
{
	scene_says(goroutine, OPERATION_SEND, AHEAD_SURELY, 0x5000);
}

static void unlocks(uint32_t goroutine)
{
	scene_says(goroutine, OPERATION_UNLOCK, AHEAD_MAYBE, LOCK);
}

/* Of many with the same stack only as many are asked as may say something. */
static void test_asked(void **state)
{
	(void)state;
	assert_int_equal(asked_of(3, NULL, false), 3);
	assert_int_equal(asked_of(100, NULL, false), 4);
	assert_int_equal(asked_of(64, receives, false), 64);
	assert_int_equal(asked_of(100, receives, false), 64);
	assert_int_equal(asked_of(100, sees_unwaited, false), 64);
	assert_int_equal(asked_of(100, unlocks, false), 100);
	assert_int_equal(asked_of(100, unlocks, true), 0);
	assert_int_equal(asked_of(1, unlocks, true), 0);
}

/* Nobody waits for anything: nobody is asked. */
static void test_nobody_waits(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_says(scene_add(), OPERATION_UNLOCK, AHEAD_SURELY, LOCK);
	scene_look(&w);
	assert_int_equal(scene.asked, 0);
	assert_int_equal(w.object_count, 0);
	assert_null(wait_graph_object(&w, LOCK));
	wait_graph_done(&w);
}

/* The smallest group is asked first, until the work allowed is done. */
static void test_partial(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene.allowed = 2;
	for (size_t i = 0; i < 3; i++)
		scene.goroutines[scene_waiter(WAIT_MUTEX, LOCK)].record.stack = 0;
	const uint32_t one = scene_add();
	scene_says(one, OPERATION_UNLOCK, AHEAD_SURELY, LOCK);
	scene_look(&w);
	assert_true(w.is_partial);
	assert_int_equal(scene.asked, 2);
	assert_int_equal(scene.first_asked, one);
	assert_int_equal(certainty_of(&w, one), CERTAINTY_PROBABLE);
	wait_graph_done(&w);
}

/* Of two runtimes each has its own code. */
static void test_runtimes(void **state)
{
	struct wait_graph w;
	uint32_t ones[4];

	(void)state;
	scene_begin();
	scene.runtimes = 3;
	for (size_t i = 0; i < ARRAY_SIZE(ones); i++) {
		const uint64_t addr = LOCK + 0x100 * i;
		ones[i] = scene_waiter(WAIT_MUTEX, addr + 0x10);
		scene.goroutines[ones[i]].runtime = i / 2;
		scene_says(ones[i], OPERATION_UNLOCK, AHEAD_DEFERRED, addr);
		scene.goroutines[scene_waiter(WAIT_MUTEX, addr)].runtime = i / 2;
	}
	scene_look(&w);
	for (size_t i = 0; i < ARRAY_SIZE(ones); i++) {
		const uint64_t addr = LOCK + 0x100 * i;
		assert_int_equal(wait_graph_object(&w, addr)->runtime, i / 2);
		assert_non_null(scene_partner(&w, addr, ones[i]));
		assert_int_equal(wait_graph_object(&w, addr)->holder_count, 1);
	}
	wait_graph_done(&w);
	assert_int_equal(scene.known, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judgements),
		cmocka_unit_test(test_waiters),
		cmocka_unit_test(test_condition),
		cmocka_unit_test(test_known_condition),
		cmocka_unit_test(test_inner_frames),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_one_place),
		cmocka_unit_test(test_channel_order),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_nobody_waits),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_runtimes),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
