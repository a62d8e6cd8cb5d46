/* SPDX-License-Identifier: Apache-2.0 */
/* What functions do to locks, with all that they call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/operations/effects.h"
#include "tests/unit/goruntime/operations/made_stack.h"
#include "tests/unit/unit.h"

/* Functions 1 and 2 unlock and lock. */
enum { UNLOCK = 1, LOCK = 2 };

static struct effects *effects;

static int open_effects(void **state)
{
	const int ret = open_stack(state);

	made[UNLOCK].routine.operation = OPERATION_UNLOCK;
	made[LOCK].routine.operation = OPERATION_LOCK;
	effects = effects_new(&runtime, NULL);
	return ret;
}

static int close_effects(void **state)
{
	effects_free(effects);
	return close_stack(state);
}

static void calls(unsigned routine, unsigned callee)
{
	add_to(routine, INSTRUCTION_CALL, none(), none())->target = made_entry(callee);
}

static void returns(unsigned routine)
{
	add_to(routine, INSTRUCTION_RETURN, none(), none());
}

/* u: it unlocks; l: it locks; b: both; -: neither. */
static char effect(unsigned routine)
{
	const struct effect e = effect_of(effects, &made[routine].routine);

	return e.unlocks && e.locks ? 'b' : e.unlocks ? 'u' : e.locks ? 'l' : '-';
}

static void test_one(void **state)
{
	(void)state;
	calls(3, UNLOCK);
	returns(3);
	calls(4, LOCK);
	returns(4);
	calls(5, LOCK);
	calls(5, UNLOCK);
	returns(5);
	calls(6, UNLOCK);
	calls(6, LOCK);
	returns(6);
	returns(7);
	assert_int_equal(effect(3), 'u');
	assert_int_equal(effect(4), 'l');
	assert_int_equal(effect(5), '-');
	assert_int_equal(effect(6), 'b');
	assert_int_equal(effect(7), '-');
	/* It is known now. */
	made[3].list[0].target = made_entry(LOCK);
	assert_int_equal(effect(3), 'u');
}

static void test_deep(void **state)
{
	(void)state;
	for (unsigned i = 3; i < 6; i++) {
		calls(i, i + 1);
		returns(i);
	}
	calls(6, UNLOCK);
	/* It calls those that call it, too. */
	calls(6, 3);
	returns(6);
	assert_int_equal(effect(3), 'u');
	assert_int_equal(effect(6), 'u');
	/* What callees lock is what others unlock. */
	calls(7, LOCK);
	calls(7, 3);
	returns(7);
	assert_int_equal(effect(7), '-');
}

/* A function without instructions, and one that is not to be followed. */
static void test_not_followed(void **state)
{
	(void)state;
	made[3].routine.list = NULL;
	assert_int_equal(effect(3), '-');
	calls(4, UNLOCK);
	made[4].routine.foreign = true;
	assert_int_equal(effect(4), '-');
}

/* On some way only. */
static void test_ways(void **state)
{
	(void)state;
	add_to(3, INSTRUCTION_BRANCH, none(), none())->target = made_pc(3, 2);
	calls(3, LOCK);
	calls(3, UNLOCK); /* 2 */
	returns(3);
	assert_int_equal(effect(3), 'u');
	add_to(4, INSTRUCTION_BRANCH, none(), none())->target = made_pc(4, 3);
	calls(4, LOCK);
	returns(4);
	calls(4, UNLOCK); /* 3 */
	returns(4);
	assert_int_equal(effect(4), 'b');
	/* Where calls are deferred, bits in the frame say which of them were reached. */
	made[6].routine.defers = made[6].routine.foreign = true;
	add_to(5, INSTRUCTION_BRANCH, none(), none())->target = made_pc(5, 2);
	calls(5, LOCK);
	calls(5, UNLOCK); /* 2 */
	returns(5);
	calls(5, 6);
	returns(5);
	assert_int_equal(effect(5), '-');
}

/* What is left of Lock and Unlock where they were inlined: the call is their slow part. */
static void test_inlined(void **state)
{
	(void)state;
	for (unsigned i = 3; i < 6; i++) {
		add_to(i, INSTRUCTION_MOVE, reg(CX), number(i == 5 ? 2 : -1));
		add_to(i, INSTRUCTION_LOCKED_ADD, at(AX, 0), reg(CX));
		add_to(i, INSTRUCTION_BRANCH, none(), none())->target = made_pc(i, 4);
		if (i == 3)
			calls(i, UNLOCK);
		else
			add_to(i, INSTRUCTION_OTHER, none(), none());
		returns(i);
	}
	assert_int_equal(effect(3), 'u');
	/* A counter is no lock. */
	assert_int_equal(effect(4), '-');
	assert_int_equal(effect(5), '-');
	add_to(6, INSTRUCTION_LOCKED_EXCHANGE, at(AX, 0), reg(CX));
	add_to(6, INSTRUCTION_BRANCH, none(), none())->target = made_pc(6, 3);
	calls(6, LOCK);
	calls(6, 3); /* 3 */
	returns(6);
	assert_int_equal(effect(6), '-');
}

static struct operand place(uint64_t addr)
{
	struct operand ret = at(PC, 0);

	ret.number = (int64_t)addr;
	return ret;
}

/* A function whose address is loaded is called by what defers it, or starts a goroutine with it. */
static void test_loaded(void **state)
{
	(void)state;
	calls(3, UNLOCK);
	returns(3);
	add_to(4, INSTRUCTION_ADDRESS, reg(AX), place(made_entry(3)));
	returns(4);
	add_to(5, INSTRUCTION_ADDRESS, reg(AX), place(made_entry(3)));
	calls(5, 6);
	returns(5);
	made[6].routine.starts = made[6].routine.foreign = true;
	assert_int_equal(effect(4), '-');
	assert_int_equal(effect(5), 'u');
	assert_ptr_equal(effect_loaded(effects, &made[4].list[0]), &made[3].routine);
	assert_null(effect_loaded(effects, &made[4].list[1]));
	made[4].list[0].operand[1] = place(made_pc(3, 1));
	assert_null(effect_loaded(effects, &made[4].list[0]));
	/* A constant that is no function. */
	made[4].list[0].operand[1] = place(0x900);
	assert_null(effect_loaded(effects, &made[4].list[0]));
}

static void test_result(void **state)
{
	struct effect ret;

	(void)state;
	calls(3, UNLOCK);
	returns(3);
	returns(4);
	assert_false(effect_of_result(effects, &made[4].routine, 0, &ret));
	add_to(5, INSTRUCTION_ADDRESS, reg(AX), place(made_entry(3)));
	returns(5);
	assert_true(effect_of_result(effects, &made[5].routine, 0, &ret));
	assert_true(ret.unlocks);
	assert_false(ret.locks);
	made[4].routine.list = NULL;
	assert_false(effect_of_result(effects, &made[4].routine, 0, &ret));
}

/* Words that are written, by where they are from a pointer on. */
static void test_writes(void **state)
{
	struct instruction *first = add_to(3, INSTRUCTION_MOVE, at(AX, 8), reg(BX));

	(void)state;
	assert_true(effect_writes(&arch_amd64, first));
	assert_int_equal(effect_word(&arch_amd64, &first->operand[0]), 2);
	first->kind = INSTRUCTION_COMPARE;
	assert_false(effect_writes(&arch_amd64, first));
	first->kind = INSTRUCTION_MOVE;
	first->operand[1] = number(0);
	assert_false(effect_writes(&arch_amd64, first));
	first->operand[1] = reg(BX);
	first->operand[0].bytes = 4;
	assert_false(effect_writes(&arch_amd64, first));
	first->operand[0] = at(SP, 8);
	assert_false(effect_writes(&arch_amd64, first));
	/* Where pointers are noted for the collector. */
	first->operand[0] = at(11, 8);
	assert_false(effect_writes(&arch_amd64, first));
	first->operand[0] = at(AX, 0x1000);
	assert_int_equal(effect_word(&arch_amd64, &first->operand[0]), UINT64_C(1) << 63);
	first->operand[0] = at(AX, -8);
	assert_int_equal(effect_word(&arch_amd64, &first->operand[0]), UINT64_C(1) << 63);
	first->operand[0] = at(AX, 16);
	returns(3);
	add_to(4, INSTRUCTION_MOVE, at(CX, 0), reg(BX));
	calls(4, 3);
	returns(4);
	assert_int_equal(effect_of(effects, &made[4].routine).writes, 5);
	made[5].name = "sync/atomic.StorePointer";
	assert_true(effect_of(effects, &made[5].routine).writes == EFFECT_WRITES_ANY);
}

int main(int argc, char **argv)
{
#define TEST(name)                                                                       \
	cmocka_unit_test_setup_teardown(test_##name, open_effects, close_effects)
	const struct CMUnitTest tests[] = {
		TEST(one),     TEST(deep),   TEST(not_followed), TEST(ways),
		TEST(inlined), TEST(loaded), TEST(result),	 TEST(writes),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
