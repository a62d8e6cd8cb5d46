/* SPDX-License-Identifier: Apache-2.0 */
/* What calls may do that are not followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/operations/effects.h"
#include "tests/unit/goruntime/operations/made_walk.h"
#include "tests/unit/unit.h"

/* Functions 1 and 2 unlock and lock, 3 and 4 do so in calls, 5 returns function 3, 6 starts goroutines. */
enum { UNLOCKS = 1, LOCKS, UNLOCKS_DEEPER, LOCKS_DEEPER, RETURNS, STARTS, SETS };

static struct walk_hidden hidden;

static void calls(unsigned routine, unsigned callee)
{
	add_to(routine, INSTRUCTION_CALL, none(), none())->target = made_entry(callee);
	add_to(routine, INSTRUCTION_RETURN, none(), none());
}

static struct operand function(unsigned routine)
{
	struct operand ret = at(PC, 0);

	ret.number = (int64_t)made_entry(routine);
	return ret;
}

static int open_hidden(void **state)
{
	const int ret = open_stack(state);

	made[UNLOCKS].routine.operation = OPERATION_UNLOCK;
	made[LOCKS].routine.operation = OPERATION_LOCK;
	made[STARTS].routine.starts = made[STARTS].routine.foreign = true;
	calls(UNLOCKS_DEEPER, UNLOCKS);
	calls(LOCKS_DEEPER, LOCKS);
	add_to(RETURNS, INSTRUCTION_ADDRESS, reg(AX), function(UNLOCKS_DEEPER));
	add_to(RETURNS, INSTRUCTION_RETURN, none(), none());
	hidden = (struct walk_hidden){ .effects = effects_new(&runtime, NULL) };
	return ret;
}

static int close_hidden(void **state)
{
	effects_free(hidden.effects);
	return end_walk(state);
}

static void walk_hidden(void)
{
	struct walk_of of = whole();

	of.hidden = &hidden;
	hidden.read_count = hidden.source_count = 0;
	walk_for(&of, 10000);
}

static void test_calls(void **state)
{
	(void)state;
	call(UNLOCKS_DEEPER);
	call(LOCKS_DEEPER);
	walk_all();
	assert_int_equal(events.count, 0);
	walk_hidden();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_UNLOCK, 0, made_pc(0, 0), false);
	assert_event(1, OPERATION_LOCK, 0, made_pc(0, 1), true);
}

/* Of what is not known, it is known if the call before returned it. */
static void test_unknown(void **state)
{
	(void)state;
	add(INSTRUCTION_CALL, reg(CX), none());
	walk_all();
	assert_int_equal(events.count, 0);
	walk_hidden();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNKNOWN, 0, made_pc(0, 0), false);
	made[0].routine.count = 0;
	call(RETURNS);
	move(reg(CX), at(AX, 0));
	add(INSTRUCTION_CALL, reg(CX), none());
	walk_hidden();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, 0, made_pc(0, 2), false);
	/* Another call was between. */
	made[0].list[1] = made[0].list[0];
	made[0].list[1].pc = made_pc(0, 1);
	made[0].list[1].target = made_entry(SETS);
	walk_hidden();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNKNOWN, 0, made_pc(0, 2), false);
}

static void test_started(void **state)
{
	(void)state;
	add(INSTRUCTION_ADDRESS, reg(CX), function(UNLOCKS_DEEPER));
	call(STARTS);
	walk_hidden();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_START, 0, made_pc(0, 1), false);
	made[0].list[0].operand[1] = function(LOCKS_DEEPER);
	walk_hidden();
	assert_int_equal(events.count, 0);
}

/* Words that are written, here and in a function that does little else. */
static void test_written(void **state)
{
	struct instruction *to = add_to(SETS, INSTRUCTION_MOVE, at(AX, 8), reg(BX));

	(void)state;
	add_to(SETS, INSTRUCTION_RETURN, none(), none());
	made[SETS].routine.end = made_entry(SETS) + 2 * MADE_BYTES;
	move(reg(AX), number(0x5000));
	call(SETS);
	move(reg(CX), number(0x6000));
	move(at(CX, 0), reg(BX));
	walk_hidden();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_WRITE, 0x5008, made_pc(0, 1), false);
	assert_event(1, OPERATION_WRITE, 0x6000, made_pc(0, 3), false);
	/* In its frame, or less than a word. */
	to->operand[0].reg = SP;
	made[0].list[3].operand[0].bytes = 4;
	walk_hidden();
	assert_int_equal(events.count, 0);
}

/* Of a function that does more, and where the address is not known, bits say which words. */
static void test_written_somewhere(void **state)
{
	(void)state;
	add_to(SETS, INSTRUCTION_MOVE, at(AX, 8), reg(BX));
	add_to(SETS, INSTRUCTION_RETURN, none(), none());
	made[SETS].routine.opaque = true;
	move(reg(AX), number(0x5000));
	call(SETS);
	move(at(CX, 16), reg(BX));
	walk_hidden();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_WRITES, 2, made_pc(0, 1), false);
	assert_event(1, OPERATION_WRITES, 4, made_pc(0, 2), false);
}

/* Words that lead to what is locked. */
static void test_sources(void **state)
{
	(void)state;
	words[2] = 0x5000;
	words[3] = 0x6000;
	move(reg(CX), number(STACK));
	move(reg(DX), at(CX, 24));
	move(reg(AX), at(CX, 16));
	call(LOCKS);
	walk_hidden();
	assert_int_equal(events.count, 1);
	assert_int_equal(hidden.source_count, 1);
	assert_int_equal(hidden.sources[0].addr, STACK + 16);
	assert_int_equal(hidden.sources[0].value, 0x5000);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_hidden, close_hidden)
	const struct CMUnitTest tests[] = {
		TEST(calls),   TEST(unknown),		TEST(started),
		TEST(written), TEST(written_somewhere), TEST(sources),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
