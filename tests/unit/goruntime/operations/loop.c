/* SPDX-License-Identifier: Apache-2.0 */
/* Loops: which instructions are inside, whether there is a way out, and whether a turn changes anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/operations/loop.h"
#include "tests/unit/goruntime/operations/made_code.h"
#include "tests/unit/unit.h"

static struct loop loop;

/* Those to function 1. */
static bool may_call(void *arg, const struct instruction *in)
{
	(void)arg;
	return in->target == made_entry(1);
}

static bool find(size_t i)
{
	return loop_find(NULL, &made[0].routine, i, may_call, NULL, &loop);
}

/* Which instructions are in the loop that i is in: bits; 0: none. Does it leave? */
static uint64_t inside(size_t i, bool leaves)
{
	uint64_t ret = 0;

	if (find(i)) {
		for (size_t k = 0; k < made[0].routine.count; k++)
			ret |= (uint64_t)loop.inside[k] << k;
		assert_int_equal(loop.leaves, leaves);
	}
	loop_done(&loop);
	return ret;
}

static bool changes(void)
{
	assert_true(find(0));
	bool ret = loop_changes(&loop, &arch_amd64);
	loop_done(&loop);
	return ret;
}

static void move(struct operand to, struct operand from)
{
	add(INSTRUCTION_MOVE, to, from);
}

static void compare(struct operand a, struct operand b)
{
	add(INSTRUCTION_COMPARE, a, b);
}

static void branch(size_t to)
{
	add_jump(INSTRUCTION_BRANCH, made_pc(0, to));
}

static void jump(size_t to)
{
	add_jump(INSTRUCTION_JUMP, made_pc(0, to));
}

static void test_inside(void **state)
{
	(void)state;
	made_begin();
	compare(at(AX, 0), number(0)); /* 0 */
	compare(at(AX, 8), number(0));
	branch(6);
	compare(at(AX, 16), number(0));
	branch(1);
	add_jump(INSTRUCTION_RETURN, 0);
	add(INSTRUCTION_OTHER, none(), none()); /* 6 */
	jump(3);
	jump(8); /* 8: nothing leads here */
	assert_int_equal(inside(0, false), 0);
	assert_int_equal(inside(1, true), 0xde);
	assert_int_equal(inside(3, true), 0xde);
	assert_int_equal(inside(7, true), 0xde);
	assert_int_equal(inside(5, false), 0);
	assert_int_equal(inside(8, false), 0x100);
	assert_int_equal(inside(9, false), 0);
}

static void test_ways_out(void **state)
{
	(void)state;
	made_begin();
	branch(0);
	jump(0);
	assert_int_equal(inside(0, false), 3);
	made[0].list[0].kind = INSTRUCTION_OTHER;
	assert_int_equal(inside(0, false), 3);
	/* Out of the function. */
	made[0].list[0].kind = INSTRUCTION_BRANCH;
	made[0].list[0].target = made_entry(2);
	assert_int_equal(inside(0, true), 3);
	made[0].list[0].target = 0;
	assert_int_equal(inside(0, true), 3);
	made[0].list[1].kind = INSTRUCTION_RETURN;
	assert_int_equal(inside(0, true), 0);
	made[0].list[0].target = made_pc(0, 0);
	assert_int_equal(inside(0, true), 1);
	made[0].routine.list = NULL;
	assert_int_equal(inside(0, true), 0);
}

static void test_calls(void **state)
{
	(void)state;
	made_begin();
	add_jump(INSTRUCTION_CALL, made_entry(1));
	jump(0);
	assert_int_equal(inside(0, false), 3);
	assert_int_equal(inside(1, false), 3);
	made[0].list[0].target = made_entry(2); /* which may wait */
	assert_int_equal(inside(0, false), 0);
	assert_int_equal(inside(1, false), 0);
	made[0].list[0].target = made_entry(1);
	made[1].routine.operation = OPERATION_NEVER;
	assert_int_equal(inside(0, false), 0);
}

static void test_checks(void **state)
{
	static const char *const checks[] = {
		"runtime.panicIndex",	    "runtime.panicIndexU",
		"runtime.panicSliceAlen",   "runtime.panicBounds",
		"runtime.panicExtendIndex", "runtime.panicdivide",
		"runtime.panicshift"
	};
	static const struct {
		const char *name;
		unsigned before;
		bool leaves;
	} others[] = {
		{ "runtime.panicIndex", 31, false },
		{ "runtime.panicIndex", 32, true },
		{ "runtime.panicmem", 0, true },
		{ "main.panicIndex", 0, true },
		{ NULL, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(checks) + ARRAY_SIZE(others); i++) {
		const size_t k = i - ARRAY_SIZE(checks);
		const bool is_other = i >= ARRAY_SIZE(checks);
		made_begin();
		made[2].name = is_other ? others[k].name : checks[i];
		branch(2);
		jump(0);
		for (unsigned n = 0; n < (is_other ? others[k].before : 0); n++)
			add(INSTRUCTION_OTHER, none(), none());
		add_jump(INSTRUCTION_CALL, made_entry(2));
		assert_int_equal(inside(0, is_other && others[k].leaves), 3);
	}
	/* Not straight to it. */
	made_begin();
	made[2].name = "runtime.panicIndex";
	branch(2);
	jump(0);
	branch(4);
	add_jump(INSTRUCTION_CALL, made_entry(2));
	add_jump(INSTRUCTION_RETURN, 0);
	assert_int_equal(inside(0, true), 3);
	made[0].list[2].kind = INSTRUCTION_JUMP;
	made[0].list[2].target = made_pc(0, 3);
	assert_int_equal(inside(0, false), 3);
	made[0].list[3].target = 0;
	assert_int_equal(inside(0, true), 3);
}

/* A loop of at most three instructions and a jump. */
#define LOOP(...)                                                                        \
	do {                                                                             \
		made_begin();                                                            \
		__VA_ARGS__;                                                             \
		jump(0);                                                                 \
	} while (0)

static void test_changes_registers(void **state)
{
	(void)state;
	LOOP(compare(at(AX, 0), number(0)));
	assert_false(changes());
	LOOP(move(reg(CX), reg(AX)));
	assert_false(changes());
	LOOP(move(reg(CX), reg(AX)); move(reg(AX), reg(CX)));
	assert_true(changes());
	/* Through two others, of which none is the next. */
	LOOP(move(reg(R8), reg(AX)); move(reg(CX), reg(R8)); move(reg(AX), reg(CX)));
	assert_true(changes());
	LOOP(move(reg(AX), at(AX, 8)));
	assert_true(changes());
	LOOP(move(reg(AX), at(CX, 8)));
	assert_false(changes());
	LOOP(add(INSTRUCTION_ADD, reg(AX), number(1)));
	assert_true(changes());
	LOOP(add(INSTRUCTION_ADDRESS, reg(AX), at(AX, 8)));
	assert_true(changes());
	LOOP(add(INSTRUCTION_ADDRESS, reg(AX), at(SP, 8)));
	assert_false(changes());
	/* It becomes 0. */
	LOOP(add(INSTRUCTION_OTHER, reg(AX), reg(AX)));
	assert_false(changes());
	/* By an index. */
	LOOP(move(reg(AX), at(CX, 8)));
	made[0].list[0].operand[1].index = AX;
	assert_true(changes());
	/* It writes another one, too. */
	LOOP(move(reg(AX), reg(CX)));
	made[0].list[0].written |= UINT64_C(1) << DX;
	assert_true(changes());
	LOOP(add(INSTRUCTION_OTHER, none(), none()));
	assert_false(changes());
	made[0].list[0].written = 1;
	assert_true(changes());
	/* An operand of 16 bytes is a vector register. */
	LOOP(add(INSTRUCTION_OTHER, none(), none()));
	made[0].list[0].operand[0].bytes = 16;
	assert_true(changes());
}

static void test_changes_memory(void **state)
{
	(void)state;
	LOOP(move(at(CX, 8), reg(AX)));
	assert_true(changes());
	LOOP(move(at(SP, 8), reg(AX)));
	assert_false(changes());
	LOOP(move(at(SP, 8), reg(AX)); move(reg(AX), at(SP, 8)));
	assert_true(changes());
	LOOP(move(at(SP, 8), reg(AX)); move(reg(AX), at(SP, 16)));
	assert_false(changes());
	LOOP(move(at(SP, 8), reg(AX)); move(reg(AX), at(SP, 0)));
	assert_false(changes());
	/* A part of the word. */
	LOOP(move(at(SP, 8), reg(AX)); move(reg(AX), at(SP, 4)));
	assert_true(changes());
	LOOP(move(at(SP, 4), reg(AX)); move(reg(AX), at(SP, 8)));
	assert_true(changes());
	LOOP(move(at(SP, 4), reg(AX)); move(reg(AX), at(SP, 16)));
	assert_false(changes());
	LOOP(move(at(SP, 8), reg(AX)); move(reg(AX), at(SP, 8)));
	made[0].list[0].operand[0].index = CX;
	assert_true(changes());
	/* Only what is inside counts. */
	made_begin();
	branch(0);
	move(at(CX, 8), reg(AX));
	assert_false(changes());
	/* Words of the frame, of which 32 are kept apart. */
	for (int words = 32; words <= 33; words++) {
		made_begin();
		for (int i = 0; i < words; i++)
			move(at(SP, 8 * i), reg(CX));
		jump(0);
		assert_int_equal(changes(), words > 32);
	}
}

static bool keeps(size_t i, struct operand of)
{
	assert_true(find(i));
	bool ret = loop_keeps(&loop, &arch_amd64, i, of);
	loop_done(&loop);
	return ret;
}

static void test_keeps(void **state)
{
	(void)state;
	LOOP(move(reg(AX), at(PC, 0x5000)); compare(reg(CX), number(0)));
	assert_true(keeps(1, reg(AX)));
	assert_true(keeps(2, reg(AX)));
	assert_true(keeps(0, at(PC, 0x10)));
	made[0].list[0].operand[1].index = CX;
	assert_false(keeps(1, reg(AX)));
	LOOP(move(reg(AX), at(SP, 16)); compare(reg(CX), number(0)));
	assert_true(keeps(1, reg(AX)));
	assert_true(keeps(1, at(SP, 8)));
	/* Through a pointer that is kept. */
	LOOP(move(reg(AX), at(SP, 16)); move(reg(CX), at(AX, 8));
	     compare(reg(CX), number(0)));
	assert_true(keeps(2, reg(CX)));
	assert_true(keeps(2, at(CX, 8)));
	/* What is written. */
	LOOP(move(reg(AX), at(SP, 16)); move(at(SP, 16), reg(CX));
	     compare(reg(CX), number(0)));
	assert_false(keeps(2, reg(AX)));
	made[0].list[1].operand[0].number = 24;
	assert_true(keeps(2, reg(AX)));
	made[0].list[1].operand[0].number = 23;
	assert_false(keeps(2, reg(AX)));
	made[0].list[1].operand[0].number = 9;
	assert_false(keeps(2, reg(AX)));
	made[0].list[1].operand[0].number = 8;
	assert_true(keeps(2, reg(AX)));
	/* Whose address is taken. */
	made[0].list[1] = made[0].list[0];
	made[0].list[1].pc += MADE_BYTES;
	made[0].list[1].kind = INSTRUCTION_ADDRESS;
	made[0].list[1].operand[0] = reg(DX);
	made[0].list[1].written = 1 << DX;
	assert_false(keeps(2, reg(AX)));
	made[0].list[1].operand[1].number = 24;
	assert_true(keeps(2, reg(AX)));
	/* It is computed. */
	LOOP(add(INSTRUCTION_ADD, reg(AX), number(1)); compare(reg(CX), number(0)));
	assert_false(keeps(1, reg(AX)));
	LOOP(move(reg(AX), number(1)); compare(reg(CX), number(0)));
	assert_false(keeps(1, reg(AX)));
	/* A call has a word of the frame as it was, but no register. */
	LOOP(add_jump(INSTRUCTION_CALL, made_entry(1)); compare(reg(CX), number(0)));
	assert_false(keeps(1, reg(AX)));
	assert_true(keeps(1, at(SP, 8)));
}

static void test_keeps_ways(void **state)
{
	(void)state;
	/* Two ways come to instruction 3. */
	LOOP(move(reg(AX), at(PC, 0x5000)); branch(3); compare(reg(CX), number(0));
	     compare(reg(CX), number(1)));
	assert_false(keeps(3, reg(AX)));
	assert_true(keeps(2, reg(AX)));
	/* One of them from outside. */
	made_begin();
	branch(2);
	move(reg(AX), at(PC, 0x5000));
	compare(reg(CX), number(1));
	jump(1);
	assert_true(keeps(2, reg(AX)));
	/* A word that is stored first. */
	LOOP(move(reg(CX), at(PC, 0x5000)); move(at(SP, 8), reg(CX));
	     compare(reg(CX), number(1)));
	assert_true(keeps(2, at(SP, 8)));
	made[0].list[1].kind = INSTRUCTION_ADD;
	assert_false(keeps(2, at(SP, 8)));
	/* A part of it. */
	made[0].list[1].kind = INSTRUCTION_MOVE;
	made[0].list[1].operand[0].number = 12;
	assert_false(keeps(2, at(SP, 8)));
	/* It looks back 32 instructions, of which the last one is what it comes from. */
	for (unsigned n = 31; n <= 32; n++) {
		made_begin();
		move(reg(AX), at(PC, 0x5000));
		for (unsigned i = 1; i < n; i++)
			compare(reg(CX), number(0));
		jump(0);
		assert_int_equal(keeps(n, reg(AX)), n < 32);
	}
}

/* 0: the address of a word of the frame; 1: the call that receives there; then what is done with that. */
static void receive(void)
{
	made_begin();
	add(INSTRUCTION_ADDRESS, reg(CX), at(SP, 16));
	add_jump(INSTRUCTION_CALL, made_entry(1));
}

static bool comes_back(size_t from, bool second)
{
	assert_true(find(from));
	bool ret = loop_comes_back(&loop, &arch_amd64, 1, second);
	loop_done(&loop);
	return ret;
}

static struct instruction *branch_if(enum branch_when when, size_t to)
{
	struct instruction *in = add_jump(INSTRUCTION_BRANCH, made_pc(0, to));

	in->when = when;
	return in;
}

/* The word, or a register that has it, is compared with zero. Another way writes to memory. */
static void skips(struct operand what, struct operand with, enum branch_when when)
{
	receive();
	move(reg(DX), at(SP, 16)); /* 2 */
	compare(what, with);
	if (when == BRANCH_EQUAL) {
		branch_if(when, 0);
		move(at(AX, 0), number(1)); /* 5 */
	} else {
		branch_if(when, 6);
		jump(0);
		move(at(AX, 0), number(1)); /* 6 */
	}
	jump(0);
}

static void test_comes_back(void **state)
{
	(void)state;
	skips(at(SP, 16), number(0), BRANCH_EQUAL);
	assert_true(comes_back(1, false));
	assert_true(comes_back(3, false));
	/* It is on the other way at the moment. */
	assert_false(comes_back(5, false));
	skips(reg(DX), reg(DX), BRANCH_EQUAL);
	assert_true(comes_back(1, false));
	skips(reg(DX), reg(DX), BRANCH_NOT_EQUAL);
	assert_true(comes_back(1, false));
	/* Not known: another word, another register, another number, another comparison. */
	skips(at(SP, 24), number(0), BRANCH_EQUAL);
	assert_false(comes_back(1, false));
	skips(reg(AX), reg(AX), BRANCH_EQUAL);
	assert_false(comes_back(1, false));
	/* Of a second result it is. */
	assert_true(comes_back(1, true));
	skips(reg(DX), number(1), BRANCH_EQUAL);
	assert_false(comes_back(1, false));
	skips(reg(DX), reg(DX), BRANCH_ABOVE);
	assert_false(comes_back(1, false));
}

static void test_comes_back_changed(void **state)
{
	(void)state;
	/* The other way is the one that zero takes: it writes to memory. */
	skips(reg(DX), reg(DX), BRANCH_EQUAL);
	made[0].list[4].when = BRANCH_NOT_EQUAL;
	assert_false(comes_back(1, false));
	/* Something else is put where it was received, or into the register. */
	skips(at(SP, 16), number(0), BRANCH_EQUAL);
	made[0].list[2].operand[0] = at(SP, 16);
	made[0].list[2].operand[1] = reg(AX);
	assert_false(comes_back(1, false));
	made[0].list[2].operand[1] = number(0);
	assert_true(comes_back(1, false));
	skips(reg(DX), reg(DX), BRANCH_EQUAL);
	made[0].list[2].operand[1] = reg(AX);
	assert_false(comes_back(1, false));
	/* The comparison is not the instruction before. */
	made[0].list[2].operand[1] = at(SP, 16);
	made[0].list[3].kind = INSTRUCTION_OTHER;
	assert_false(comes_back(1, false));
	/* Nothing says where it receives. */
	skips(at(SP, 16), number(0), BRANCH_EQUAL);
	made[0].list[0].kind = INSTRUCTION_MOVE;
	assert_false(comes_back(1, false));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_ways_out),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_changes_registers),
		cmocka_unit_test(test_changes_memory),
		cmocka_unit_test(test_keeps),
		cmocka_unit_test(test_keeps_ways),
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_comes_back_changed),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
