/* SPDX-License-Identifier: Apache-2.0 */
/* Code that is followed: what is known of registers and memory, and which operations it comes across. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/operations/symbolic.h"
#include "tests/unit/goruntime/operations/made_walk.h"
#include "tests/unit/unit.h"

/* It comes across one operation. */
static void assert_only(enum operation operation, uint64_t addr, size_t at_instruction)
{
	walk_all();
	assert_int_equal(events.count, 1);
	assert_event(0, operation, addr, made_pc(0, at_instruction), true);
}

/* It comes across the unlocking of what is not known. */
static void assert_not_known(size_t at_instruction)
{
	assert_only(OPERATION_UNLOCK, 0, at_instruction);
}

static void test_operations(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_UNLOCK;
	move(reg(AX), number(LOCK));
	call(1);
	assert_only(OPERATION_UNLOCK, LOCK, 1);
	/* No register is known after a call. */
	call(1);
	walk_all();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_UNLOCK, LOCK, made_pc(0, 1), true);
	assert_event(1, OPERATION_UNLOCK, 0, made_pc(0, 2), true);
	/* In the middle of a function it is none. */
	made[0].list[1].target += MADE_BYTES;
	assert_not_known(2);
	made[0].list[1].target -= MADE_BYTES;
	made[1].routine.operation = OPERATION_RECEIVE_SECOND;
	walk_all();
	assert_int_equal(events.count, 0);
	made[0].list[0].operand[0] = reg(BX);
	assert_only(OPERATION_RECEIVE, LOCK, 1);
}

static void test_add(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_ADD;
	move(reg(AX), number(LOCK));
	move(reg(BX), number(1));
	call(1);
	assert_only(OPERATION_ADD, LOCK, 2);
	made[0].list[1].operand[1].number = 0;
	assert_only(OPERATION_ADD, LOCK, 2);
	made[0].list[1].operand[1].number = -1;
	assert_only(OPERATION_DONE, LOCK, 2);
	made[0].list[1].operand[1] = reg(CX);
	assert_only(OPERATION_ADD, LOCK, 2);
}

/* Up to 1.16 arguments are on the stack. */
static void test_stack_arguments(void **state)
{
	(void)state;
	runtime.layout.slot[L_funcdata_arg_info].off = -1;
	made[1].routine.operation = OPERATION_ADD;
	move(at(SP, 0), number(LOCK));
	move(at(SP, 8), number(-1));
	call(1);
	assert_only(OPERATION_DONE, LOCK, 2);
	words[(FRAME - STACK) / WORD] = 0x6000;
	made[0].list[0].operand[0].number = 16;
	assert_only(OPERATION_DONE, 0x6000, 2);
	/* Nobody knows what the callee has left there. */
	made[1].routine.argument_bytes = 16;
	call(1);
	assert_only(OPERATION_DONE, 0x6000, 2);
	made[1].routine.argument_bytes = 0;
	walk_all();
	assert_int_equal(events.count, 2);
	assert_event(1, OPERATION_DONE, 0x6000, made_pc(0, 3), true);
}

/* What is called may leave so many words: of an unknown function 16. */
static void test_results(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_UNLOCK;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = LOCK;
	add_jump(INSTRUCTION_CALL, 0);
	move(reg(AX), at(SP, 7 * WORD));
	call(1);
	assert_not_known(2);
	/* Not beyond its frame. */
	made[0].list[1].operand[1] = at(SP, 9 * WORD);
	assert_only(OPERATION_UNLOCK, LOCK, 2);
	for (size_t i = 0; i < made[0].routine.count; i++)
		made[0].frame_sizes[i] = 20 * WORD;
	made[0].list[1].operand[1] = at(SP, 15 * WORD);
	assert_not_known(2);
	made[0].list[1].operand[1] = at(SP, 16 * WORD);
	assert_only(OPERATION_UNLOCK, LOCK, 2);
	made[0].list[0].target = made_entry(2);
	made[2].routine.argument_bytes = 2 * WORD;
	made[0].list[1].operand[1] = at(SP, 2 * WORD);
	assert_only(OPERATION_UNLOCK, LOCK, 2);
	made[0].list[1].operand[1] = at(SP, WORD);
	assert_not_known(2);
}

/* The write barrier leaves registers as they are. */
static void test_write_barrier(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_UNLOCK;
	move(reg(AX), number(LOCK));
	call(2);
	call(1);
	assert_not_known(2);
	made[2].routine.changes_nothing = true;
	assert_only(OPERATION_UNLOCK, LOCK, 2);
}

static void test_calls(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_UNLOCK;
	made[2].routine.operation = OPERATION_NEVER;
	move(reg(AX), number(LOCK));
	call(2);
	call(1);
	walk_all();
	assert_int_equal(events.count, 0);
	/* By a pointer that is known. */
	made[0].list[1] = made[0].list[2];
	made[0].list[1].pc = made_pc(0, 1);
	made[0].list[1].target = 0;
	made[0].list[1].operand[0] = at(SP, 0);
	made[0].routine.count = 2;
	words[(FRAME - STACK) / WORD] = made_entry(1);
	assert_only(OPERATION_UNLOCK, LOCK, 1);
	/* What is called begins there: what is left there of something else does not. */
	words[(FRAME - STACK) / WORD] = made_entry(1) + 1;
	walk_all();
	assert_int_equal(events.count, 0);
	words[(FRAME - STACK) / WORD] = 0;
	walk_all();
	assert_int_equal(events.count, 0);
	/* A jump to a function is a call of it. */
	made[0].list[1].kind = INSTRUCTION_JUMP;
	made[0].list[1].target = made_entry(1);
	assert_only(OPERATION_UNLOCK, LOCK, 1);
}

/* What is called is followed, two calls deep; what it comes across is at the call. */
static void test_inner(void **state)
{
	(void)state;
	made[4].routine.operation = OPERATION_UNLOCK;
	for (unsigned i = 1; i < 4; i++) {
		made[i].leads = true;
		add_to(i, INSTRUCTION_CALL, none(), none())->target = made_entry(i + 1);
		add_to(i, INSTRUCTION_RETURN, none(), none());
	}
	move(reg(AX), number(LOCK));
	call(2);
	assert_only(OPERATION_UNLOCK, LOCK, 1);
	made[2].leads = false;
	walk_all();
	assert_int_equal(events.count, 0);
	made[2].leads = true;
	made[2].routine.foreign = true;
	walk_all();
	assert_int_equal(events.count, 0);
	made[2].routine.foreign = false;
	made[0].list[1].target = made_entry(1);
	walk_all();
	assert_int_equal(events.count, 0);
	/* Not on every way. */
	made[0].list[1].target = made_entry(3);
	made[3].routine.count = 0;
	add_to(3, INSTRUCTION_BRANCH, none(), none())->target = made_pc(3, 2);
	add_to(3, INSTRUCTION_CALL, none(), none())->target = made_entry(4);
	add_to(3, INSTRUCTION_RETURN, none(), none());
	walk_all();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, LOCK, made_pc(0, 1), false);
}

/* What an inner function has below its frame is not what memory has there. */
static void test_inner_stack(void **state)
{
	(void)state;
	runtime.layout.slot[L_funcdata_arg_info].off = -1;
	made[2].routine.operation = OPERATION_UNLOCK;
	made[1].leads = true;
	add_to(1, INSTRUCTION_CALL, none(), none())->target = made_entry(2);
	words[(FRAME - WORD - MADE_FRAME - STACK) / WORD] = LOCK;
	call(1);
	walk_all();
	assert_int_equal(events.count, 0);
}

static void test_branches(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_UNLOCK;
	move(reg(AX), number(LOCK));
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 5));
	move(reg(AX), number(LOCK + 1));
	call(1);
	add_jump(INSTRUCTION_RETURN, 0);
	call(1); /* 5 */
	add_jump(INSTRUCTION_JUMP, made_pc(0, 8));
	call(1);
	move(reg(AX), number(LOCK + 2)); /* 8 */
	call(1);
	walk_all();
	assert_int_equal(events.count, 3);
	assert_event(0, OPERATION_UNLOCK, LOCK + 1, made_pc(0, 3), true);
	assert_event(1, OPERATION_UNLOCK, LOCK, made_pc(0, 5), true);
	assert_event(2, OPERATION_UNLOCK, LOCK + 2, made_pc(0, 9), true);
	/* Only so far. */
	struct walk_of of = whole();
	of.end = made_pc(0, 9);
	walk_for(&of, 100);
	assert_int_equal(events.count, 2);
	walk_for(&of, 4);
	assert_int_equal(events.count, 1);
	walk_for(&of, 3);
	assert_int_equal(events.count, 0);
	/* From there on. */
	of = whole();
	of.begin = made_pc(0, 8);
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, LOCK + 2, made_pc(0, 9), true);
}

static void test_locked(void **state)
{
	(void)state;
	runtime.layout.slot[L_mutex_state].off = 0;
	runtime.layout.slot[L_rwmutex_reader_count].off = 16;
	move(reg(CX), number(LOCK));
	add(INSTRUCTION_LOCKED_ADD, at(CX, 0), number(-1));
	walk_all();
	assert_int_equal(events.count, 2);
	assert_event(0, OPERATION_UNLOCK, LOCK, made_pc(0, 1), true);
	assert_event(1, OPERATION_READ_UNLOCK, LOCK - 16, made_pc(0, 1), true);
	made[0].list[1].operand[1] = number(UINT32_MAX);
	walk_all();
	assert_int_equal(events.count, 2);
	made[0].list[1].operand[1] = number(1);
	assert_only(OPERATION_READ_LOCK, LOCK - 16, 1);
	made[0].list[1].operand[1] = number(2);
	walk_all();
	assert_int_equal(events.count, 0);
	made[0].list[1].operand[1] = reg(DX);
	walk_all();
	assert_int_equal(events.count, 0);
	made[0].list[1].operand[1] = number(-1);
	runtime.layout.slot[L_rwmutex_reader_count].off = -1;
	assert_only(OPERATION_UNLOCK, LOCK, 1);
	runtime.layout.slot[L_mutex_state].off = -1;
	walk_all();
	assert_int_equal(events.count, 0);
}

static void test_locked_exchange(void **state)
{
	(void)state;
	runtime.layout.slot[L_mutex_state].off = 8;
	move(reg(CX), number(LOCK));
	move(reg(DX), number(1));
	add(INSTRUCTION_LOCKED_EXCHANGE, at(CX, 8), reg(DX));
	walk_all();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_LOCK, LOCK, made_pc(0, 2), false);
	assert_true(events.list[0].if_free);
	made[0].list[1].operand[1] = number(2);
	walk_all();
	assert_int_equal(events.count, 0);
	/* To what is not known: TryLock. */
	made[0].list[1].operand[1] = reg(BX);
	assert_only(OPERATION_TRY_LOCK, LOCK, 2);
	assert_false(events.list[0].if_free);
	made[0].list[0].operand[1] = reg(BX);
	walk_all();
	assert_int_equal(events.count, 0);
	/* Of a lock that is not known. */
	made[0].list[1].operand[1] = number(1);
	walk_all();
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_LOCK, 0, made_pc(0, 2), false);
	made[0].list[0].operand[1] = number(LOCK);
	runtime.layout.slot[L_mutex_state].off = -1;
	walk_all();
	assert_int_equal(events.count, 0);
}

/* A select's cases are on the stack: a channel each 16 bytes. */
static void test_select(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_SELECT;
	move(at(SP, 0), number(LOCK));
	move(at(SP, 8), number(1));
	move(at(SP, 32), number(LOCK + 8));
	add(INSTRUCTION_ADDRESS, reg(AX), at(SP, 0));
	call(1);
	words[(FRAME + 16 - STACK) / WORD] = LOCK; /* not stored by this code */
	walk_all();
	assert_int_equal(events.count, 4);
	assert_event(0, OPERATION_SEND, LOCK, made_pc(0, 4), false);
	assert_event(1, OPERATION_RECEIVE, LOCK, made_pc(0, 4), false);
	assert_event(2, OPERATION_SEND, LOCK + 8, made_pc(0, 4), false);
	assert_event(3, OPERATION_RECEIVE, LOCK + 8, made_pc(0, 4), false);
	made[0].list[2].operand[0].number = 15 * 16;
	walk_all();
	assert_int_equal(events.count, 4);
	made[0].list[2].operand[0].number = 16 * 16;
	walk_all();
	assert_int_equal(events.count, 2);
	made[0].list[2].operand[0].number = 32;
	runtime.layout.slot[L_scase_releasetime].off = 24;
	walk_all();
	assert_int_equal(events.count, 4);
	runtime.layout.slot[L_scase_releasetime].off = 16;
	walk_all();
	assert_int_equal(events.count, 2);
}

static void test_context(void **state)
{
	(void)state;
	struct walk_of of = whole();
	made[1].routine.operation = OPERATION_UNLOCK;
	move(reg(AX), reg(DX));
	call(1);
	assert_not_known(1);
	of.context = LOCK;
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, LOCK, made_pc(0, 1), true);
}

/* An argument that the function saves is known from where it has saved it. */
static void test_infer(void **state)
{
	(void)state;
	struct walk_of of = whole();
	made[1].routine.operation = OPERATION_UNLOCK;
	words[(FRAME + 8 - STACK) / WORD] = LOCK;
	move(at(SP, 8), reg(AX));
	call(1);
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, 0, made_pc(0, 1), true);
	of.infer = true;
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, LOCK, made_pc(0, 1), true);
	of.stack_valid = FRAME + 8;
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	of.stack_valid++;
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, 0, made_pc(0, 1), true);
	of.stack_valid = STACK;
	made[0].list[0].operand[1] = none();
	walk_for(&of, 100);
	assert_int_equal(events.count, 1);
	assert_event(0, OPERATION_UNLOCK, 0, made_pc(0, 1), true);
}

static struct symbolic symbolic;

/* Function 0 is followed with stand-ins, until its last instruction; then they are resolved. */
static void resolve(void)
{
	struct walker *w = walker_new(&runtime, NULL);
	struct walk_of of = whole();

	of.end = made_pc(0, made[0].routine.count - 1);
	of.symbolic = &symbolic;
	symbolic_init(&symbolic, STACK, STACK + sizeof(words));
	*walker_budget(w) = 1000;
	events.count = 0;
	walk_code(w, &of, &events);
	walk_resolve(w, &of);
	walker_free(w);
}

/* The value of the only event's address, after that; 0: not known. */
static uint64_t resolved(void)
{
	uint64_t ret = 0;

	resolve();
	assert_int_equal(events.count, 1);
	return symbolic_true(&symbolic, events.list[0].addr, &ret) ? ret : 0;
}

static void test_symbolic(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_LOCK;
	words[(FRAME + 8 - STACK) / WORD] = LOCK;
	move(at(SP, 8), reg(AX));
	move(reg(CX), number(1));
	call(1);
	add_jump(INSTRUCTION_RETURN, 0);
	assert_int_equal(resolved(), LOCK);
	/* A field of it. */
	add(INSTRUCTION_OTHER, none(), none());
	made[0].list[1].kind = INSTRUCTION_ADDRESS;
	made[0].list[1].operand[0] = reg(AX);
	made[0].list[1].operand[1] = at(AX, 16);
	made[0].list[3].kind = INSTRUCTION_OTHER;
	assert_int_equal(resolved(), LOCK + 16);
	made[0].list[1].kind = INSTRUCTION_ADD;
	made[0].list[1].operand[1] = number(24);
	assert_int_equal(resolved(), LOCK + 24);
	/* What it points to: here, the stack. */
	words[(FRAME + 8 - STACK) / WORD] = STACK + 0x180;
	words[0x188 / WORD] = LOCK + 1;
	made[0].list[1].kind = INSTRUCTION_MOVE;
	made[0].list[1].operand[1] = at(AX, 8);
	assert_int_equal(resolved(), LOCK + 1);
	/* Something else was stored there afterwards. */
	made[0].list[3].kind = INSTRUCTION_MOVE;
	made[0].list[3].operand[0] = at(SP, 8);
	made[0].list[3].operand[1] = number(5);
	assert_int_equal(resolved(), 0);
	made[0].list[3].operand[0] = at(SP, 16);
	assert_int_equal(resolved(), LOCK + 1);
}

/* Where it may not have been stored, it is not known. */
static void test_symbolic_ways(void **state)
{
	(void)state;
	made[1].routine.operation = OPERATION_LOCK;
	words[(FRAME + 8 - STACK) / WORD] = LOCK;
	add_jump(INSTRUCTION_BRANCH, made_pc(0, 2));
	move(at(SP, 8), reg(AX));
	call(1);
	add(INSTRUCTION_OTHER, none(), none());
	assert_int_equal(resolved(), 0);
	made[0].list[0].kind = INSTRUCTION_OTHER;
	assert_int_equal(resolved(), LOCK);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_stack, end_walk)
	const struct CMUnitTest tests[] = {
		TEST(operations),      TEST(add),
		TEST(stack_arguments), TEST(results),
		TEST(calls),	       TEST(write_barrier),
		TEST(inner),	       TEST(inner_stack),
		TEST(branches),	       TEST(locked),
		TEST(locked_exchange), TEST(select),
		TEST(context),	       TEST(infer),
		TEST(symbolic),	       TEST(symbolic_ways),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
