/* SPDX-License-Identifier: Apache-2.0 */
/* Ways through code: from one instruction to another, past operations that undo one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/goruntime/operations/made_walk.h"
#include "tests/unit/unit.h"

static bool locks(void *arg, const struct event *e)
{
	(void)arg;
	return e->operation == OPERATION_LOCK;
}

static void test_ways(void **state)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct event same = { .operation = OPERATION_UNLOCK, .addr = LOCK };

	(void)state;
	*walker_budget(w) = 1000;
	made[1].routine.operation = OPERATION_UNLOCK;
	move(reg(AX), number(LOCK));
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 4));
	call(1);
	add_jump(INSTRUCTION_RETURN, 0);
	call(1); /* 4 */
	add_jump(INSTRUCTION_JUMP, made_entry(3));
	walk_all();
	assert_int_equal(events.count, 2);
	struct walk_of of = whole();
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &same));
	events.list[0].surely = false;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	events.list[0].surely = true;
	events.list[1].surely = false;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	events.list[1].surely = true;
	assert_true(walk_always(w, &of, &events, event_is_same, locks, &same));
	events.list[1].operation = OPERATION_LOCK;
	assert_false(walk_always(w, &of, &events, event_is_same, locks, &same));
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	events.list[1].operation = OPERATION_UNLOCK;
	same.addr = LOCK + 8;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	same.addr = LOCK;
	of.end = made_pc(0, 5);
	assert_false(walk_reaches(w, &of, &events, made_pc(0, 0), event_is_same, &same));
	assert_true(walk_reaches(w, &of, &events, made_pc(0, 4), event_is_same, &same));
	assert_false(walk_reaches(w, &of, &events, made_pc(0, 2), event_is_same, &same));
	/* Where nothing more may be done, it may be so. */
	*walker_budget(w) = 1;
	assert_true(walk_reaches(w, &of, &events, made_pc(0, 2), event_is_same, &same));
	*walker_budget(w) = 2;
	assert_false(walk_reaches(w, &of, &events, made_pc(0, 2), event_is_same, &same));
	/* What never returns is no way out. */
	*walker_budget(w) = 1000;
	made[3].routine.operation = OPERATION_NEVER;
	made[0].list[4].target = made_entry(3);
	of.end = 0;
	events.count = 1;
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].routine.list = NULL;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	walker_free(w);
}

/* The first part of Lock, inlined, has locked it, or what follows does. */
static void test_ways_if_free(void **state)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct event lock = { .operation = OPERATION_LOCK, .addr = LOCK };
	struct walk_of of = whole();

	(void)state;
	*walker_budget(w) = 1000;
	runtime.layout.slot[L_mutex_state].off = 0;
	move(reg(CX), number(LOCK));
	add(INSTRUCTION_LOCKED_EXCHANGE, at(CX, 0), number(1));
	add_jump(INSTRUCTION_RETURN, 0);
	walk_all();
	assert_int_equal(events.count, 1);
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &lock));
	events.list[0].if_free = false;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &lock));
	walker_free(w);
}

/* A register that is 0, or is not, says where a branch goes that looks at it. */
static void test_ways_known(void **state)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct event same = { .operation = OPERATION_UNLOCK, .addr = LOCK };
	struct walk_of of = whole();

	(void)state;
	*walker_budget(w) = 10000;
	made[1].routine.operation = OPERATION_UNLOCK;
	move(reg(CX), number(0));
	add(INSTRUCTION_COMPARE, reg(CX), reg(CX));
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 6))->when = BRANCH_NOT_EQUAL;
	move(reg(AX), number(LOCK));
	call(1);
	add_jump(INSTRUCTION_RETURN, 0);
	add_jump(INSTRUCTION_RETURN, 0); /* 6 */
	walk_all();
	assert_int_equal(events.count, 1);
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[2].when = BRANCH_EQUAL;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[0].operand[1] = number(1);
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[0].operand[1] = number(0xff);
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[2].when = BRANCH_NOT_EQUAL;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[0].operand[1] = number(0);
	/* Of another register, a number with more bytes, another condition or comparison: either way. */
	made[0].list[0].operand[0] = reg(BX);
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[0].operand[0] = reg(CX);
	made[0].list[0].operand[1] = number(0x100);
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[0].operand[1] = number(0);
	made[0].list[2].when = BRANCH_OTHERWISE;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[2].when = BRANCH_NOT_EQUAL;
	made[0].list[1].operand[1] = reg(DX);
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[1].operand[1] = reg(CX);
	/* Not if it was written since. */
	of.begin = made_pc(0, 1);
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	of.begin = made_entry(0);
	made[0].list[1].written = UINT64_C(1) << CX;
	assert_false(walk_always(w, &of, &events, event_is_same, NULL, &same));
	made[0].list[1].written = UINT64_C(1) << BX;
	assert_true(walk_always(w, &of, &events, event_is_same, NULL, &same));
	walker_free(w);
}

/* Two ways come to the same branch, and each knows where it goes. */
static void test_ways_joined(void **state)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct event same = { .operation = OPERATION_UNLOCK, .addr = LOCK };
	struct walk_of of = whole();

	(void)state;
	*walker_budget(w) = 10000;
	made[1].routine.operation = OPERATION_UNLOCK;
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 3));
	move(reg(CX), number(0));
	add_jump(INSTRUCTION_JUMP, made_pc(0, 5));
	move(reg(AX), number(LOCK)); /* 3 */
	move(reg(CX), number(1));
	add(INSTRUCTION_COMPARE, reg(CX), reg(CX)); /* 5 */
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 8))->when = BRANCH_NOT_EQUAL;
	add_jump(INSTRUCTION_RETURN, 0);
	move(reg(AX), number(LOCK)); /* 8 */
	call(1);
	walk_all();
	assert_int_equal(events.count, 1);
	of.begin = made_pc(0, 3);
	of.end = made_pc(0, 7);
	assert_false(walk_reaches(w, &of, &events, 0, locks, &same));
	of.begin = made_pc(0, 1);
	assert_true(walk_reaches(w, &of, &events, 0, locks, &same));
	of.begin = made_entry(0);
	assert_true(walk_reaches(w, &of, &events, 0, locks, &same));
	of.end = 0;
	assert_true(walk_finds(w, &of, &events, event_is_same, locks, &same));
	of.begin = made_pc(0, 1);
	assert_false(walk_finds(w, &of, &events, event_is_same, locks, &same));
	walker_free(w);
}

static struct walk_of slots_of;

/* Function 0 unlocks, unless what it compares is 0. */
static void open_slots(struct operand of, struct operand with)
{
	made[1].routine.operation = OPERATION_UNLOCK;
	add(INSTRUCTION_OTHER, none(), none());
	add(INSTRUCTION_COMPARE, of, with);
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 5))->when = BRANCH_EQUAL;
	move(reg(AX), number(LOCK));
	call(1);
	add_jump(INSTRUCTION_RETURN, 0); /* 5 */
	slots_of = whole();
	slots_of.goes_on = true;
}

static bool unlocks(void)
{
	struct event same = { .operation = OPERATION_UNLOCK, .addr = LOCK };
	struct walker *w = walker_new(&runtime, NULL);

	walk_for(&slots_of, 1000);
	*walker_budget(w) = 10000;
	const bool ret = walk_always(w, &slots_of, &events, event_is_same, NULL, &same);
	walker_free(w);
	return ret;
}

/* What is in the frame says where a branch goes, if nothing ahead changes it. */
static void test_slots(void **state)
{
	struct instruction *first = &made[0].list[0];

	(void)state;
	open_slots(at(SP, 16), number(0));
	assert_false(unlocks());
	words[(FRAME + 16 - STACK) / WORD] = 1;
	assert_true(unlocks());
	made[0].list[1].operand[1] = number(1);
	assert_false(unlocks());
	made[0].list[1].operand[1] = number(0);
	/* Of other registers, or memory that is not the frame's, nothing is known. */
	made[0].list[1].operand[0].reg = CX;
	assert_false(unlocks());
	made[0].list[1].operand[0].reg = SP;
	made[0].list[1].operand[0].index = CX;
	assert_false(unlocks());
	made[0].list[1].operand[0].index = -1;
	slots_of.stack_valid = FRAME + 17;
	assert_false(unlocks());
	slots_of.stack_valid = FRAME + 16;
	assert_true(unlocks());
	/* Something ahead writes there, or beside it. */
	first->operand[0] = at(SP, 16);
	assert_false(unlocks());
	first->operand[0].number = 24;
	assert_true(unlocks());
	first->operand[0].number = 23;
	assert_false(unlocks());
	first->operand[0].number = 9;
	assert_false(unlocks());
	first->operand[0].number = 8;
	assert_true(unlocks());
	first->operand[0].number = 16;
	first->kind = INSTRUCTION_COMPARE;
	assert_true(unlocks());
	/* What has run already no longer matters. */
	first->kind = INSTRUCTION_OTHER;
	slots_of.begin = made_pc(0, 1);
	assert_true(unlocks());
	/* Its address was taken, or that of something before it. */
	first->kind = INSTRUCTION_ADDRESS;
	first->operand[0] = reg(BX);
	first->operand[1] = at(SP, 16);
	assert_false(unlocks());
	first->operand[1].number = 8;
	assert_false(unlocks());
	first->operand[1].number = 24;
	assert_true(unlocks());
	first->operand[1].number = 8;
	first->operand[0] = reg((int)arch_amd64.fp);
	assert_true(unlocks());
}

/* A copy of the stack pointer is the address of what is there. */
static void test_slots_stack_pointer(void **state)
{
	struct instruction *first = &made[0].list[0];

	(void)state;
	open_slots(at(SP, 16), number(0));
	words[(FRAME + 16 - STACK) / WORD] = 1;
	assert_true(unlocks());
	first->kind = INSTRUCTION_MOVE;
	first->operand[0] = reg(BX);
	first->operand[1] = reg(SP);
	assert_false(unlocks());
	/* It may have been copied before the frame goes on. */
	slots_of.begin = made_pc(0, 1);
	assert_false(unlocks());
	first->operand[0] = reg((int)arch_amd64.fp);
	assert_true(unlocks());
	first->operand[0] = reg(BX);
	first->operand[1] = reg(CX);
	assert_true(unlocks());
	first->operand[1] = reg(SP);
	first->kind = INSTRUCTION_COMPARE;
	assert_true(unlocks());
}

/* Arguments are above the return address; what is before that does not go on there. */
static void test_slots_arguments(void **state)
{
	struct instruction *first = &made[0].list[0];
	const int64_t argument = MADE_FRAME + 8 + 8;

	(void)state;
	open_slots(at(SP, argument), number(0));
	words[(CFA + 8 - STACK) / WORD] = 1;
	assert_true(unlocks());
	first->kind = INSTRUCTION_ADDRESS;
	first->operand[0] = reg(BX);
	first->operand[1] = at(SP, 8);
	assert_true(unlocks());
	first->operand[1].number = argument - 8;
	assert_false(unlocks());
	first->kind = INSTRUCTION_OTHER;
	first->operand[0] = none();
	words[(CFA + 15 * WORD - STACK) / WORD] = 1;
	made[0].list[1].operand[0].number = MADE_FRAME + 8 + 15 * 8;
	assert_true(unlocks());
	made[0].list[1].operand[0].number += 8;
	assert_false(unlocks());
}

/* By way of a register. */
static void test_slots_loaded(void **state)
{
	(void)state;
	open_slots(reg(CX), reg(CX));
	made[0].list[0] = *add(INSTRUCTION_EXTEND, reg(CX), at(SP, 16));
	made[0].list[0].pc = made_pc(0, 0);
	made[0].list[0].operand[1].bytes = 1;
	made[0].routine.count--;
	words[(FRAME + 16 - STACK) / WORD] = 0x101;
	assert_true(unlocks());
	words[(FRAME + 16 - STACK) / WORD] = 0x100;
	assert_false(unlocks());
	/* A word that is not 0 may have a byte that is. */
	made[0].list[0].kind = INSTRUCTION_MOVE;
	made[0].list[0].operand[1].bytes = 8;
	assert_false(unlocks());
	words[(FRAME + 16 - STACK) / WORD] = 0xff;
	assert_true(unlocks());
}

/* An operation that is found only past one that undoes it is not found. */
static void test_finds(void **state)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct event same = { .operation = OPERATION_UNLOCK, .addr = LOCK };
	struct walk_of of = whole();

	(void)state;
	*walker_budget(w) = 1000;
	made[1].routine.operation = OPERATION_UNLOCK;
	made[2].routine.operation = OPERATION_LOCK;
	move(reg(AX), number(LOCK));
	call(2);
	move(reg(AX), number(LOCK));
	call(1);
	walk_all();
	assert_int_equal(events.count, 2);
	assert_false(walk_finds(w, &of, &events, event_is_same, locks, &same));
	of.begin = made_pc(0, 2);
	assert_true(walk_finds(w, &of, &events, event_is_same, locks, &same));
	same.addr++;
	assert_false(walk_finds(w, &of, &events, event_is_same, locks, &same));
	walker_free(w);
}

/* What is unlocked is not known, and nothing was locked that is not known. */
static void test_unknown(void **state)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct walk_of of = whole();

	(void)state;
	*walker_budget(w) = 1000;
	made[1].routine.operation = OPERATION_UNLOCK;
	made[2].routine.operation = OPERATION_LOCK;
	call(2);
	call(1);
	add_jump(INSTRUCTION_RETURN, 0);
	of.end = made_pc(0, 2);
	walk_all();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_LOCK, 0, made_pc(0, 0), true);
	assert_event(1, OPERATION_UNLOCK, 0, made_pc(0, 1), true);
	assert_false(walk_unlocks_unknown(w, &of, &events, &events.list[1], false));
	of.begin = made_pc(0, 1);
	assert_true(walk_unlocks_unknown(w, &of, &events, &events.list[1], false));
	of.end = made_pc(0, 0);
	assert_false(walk_unlocks_unknown(w, &of, &events, &events.list[1], false));
	/* A callee that does both has changed nothing; one that only unlocks has. */
	made[3].leads = true;
	add_to(3, INSTRUCTION_CALL, none(), none())->target = made_entry(2);
	add_to(3, INSTRUCTION_CALL, none(), none())->target = made_entry(1);
	add_to(3, INSTRUCTION_RETURN, none(), none());
	made[0].routine.count = 0;
	call(3);
	walk_all();
	assert_int_equal(events.count, 0);
	made[3].list[0].target = made_entry(1);
	walk_all();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_UNLOCK, 0, made_pc(0, 0), true);
	made[3].list[0].target = made[3].list[1].target = made_entry(2);
	walk_all();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_LOCK, 0, made_pc(0, 0), true);
	walker_free(w);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_stack, end_walk)
	const struct CMUnitTest tests[] = {
		TEST(ways),	    TEST(ways_if_free),
		TEST(ways_known),   TEST(ways_joined),
		TEST(slots),	    TEST(slots_arguments),
		TEST(slots_loaded), TEST(finds),
		TEST(unknown),	    TEST(slots_stack_pointer),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
