/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of registers and memory after each instruction, and the stand-ins for what is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/operations/machine_state.h"
#include "goruntime/operations/symbolic.h"
#include "goruntime/runtime/runtime_priv.h"
#include "tests/unit/goruntime/operations/made_code.h"
#include "tests/unit/goruntime/operations/made_stack.h"
#include "tests/unit/unit.h"

static struct symbolic symbolic;

static void test_stand_ins(void **state)
{
	uint64_t n, last, again;
	int64_t offset;

	(void)state;
	symbolic_init(&symbolic, 100, 200);
	assert_true(symbolic_new(&symbolic, &n));
	assert_null(symbolic_split(&symbolic, 0x1000, &offset));
	assert_ptr_equal(symbolic_split(&symbolic, n + 40, &offset), &symbolic.values[0]);
	assert_int_equal(offset, 40);
	assert_ptr_equal(symbolic_split(&symbolic, n - 40, &offset), &symbolic.values[0]);
	assert_int_equal(offset, -40);
	assert_null(symbolic_split(&symbolic, n + (UINT64_C(1) << 40), &offset));
	assert_true(symbolic_new(&symbolic, &last));
	assert_ptr_equal(symbolic_split(&symbolic, last, &offset), &symbolic.values[1]);
	assert_false(symbolic_load(&symbolic, 0x1000, &last));
	assert_true(symbolic_load(&symbolic, n + 8, &last));
	assert_true(symbolic_load(&symbolic, n + 16, &again));
	assert_true(last != again);
	assert_true(symbolic_load(&symbolic, n + 8, &again));
	assert_int_equal(last, again);
	assert_int_equal(symbolic.values[2].loaded_from, n + 8);
	assert_false(symbolic_true(&symbolic, n, &again));
	assert_true(symbolic_true(&symbolic, 5, &again));
	assert_int_equal(again, 5);
	symbolic.values[0] = (struct symbolic_value){ .known = true, .value = 1000 };
	assert_true(symbolic_true(&symbolic, n + 3, &again));
	assert_int_equal(again, 1003);
	while (symbolic.count < SYMBOLIC_MAX)
		assert_true(symbolic_new(&symbolic, &last));
	assert_false(symbolic_new(&symbolic, &last));
	assert_false(symbolic_load(&symbolic, n + 24, &last));
	symbolic_note_store(&symbolic, 1, 99, true, 5);
	symbolic_note_store(&symbolic, 1, 200, true, 5);
	assert_int_equal(symbolic.store_count, 0);
	symbolic_note_store(&symbolic, 1, 100, true, 5);
	symbolic_note_store(&symbolic, 2, 199, false, 6);
	assert_int_equal(symbolic.store_count, 2);
	assert_int_equal(symbolic.stores[1].pc, 2);
	assert_int_equal(symbolic.stores[1].addr, 199);
	assert_int_equal(symbolic.stores[0].value, 5);
	assert_true(symbolic.stores[0].known && !symbolic.stores[1].known);
	while (symbolic.store_count < SYMBOLIC_STORES_MAX)
		symbolic_note_store(&symbolic, 1, 100, true, 5);
	assert_false(symbolic.lossy);
	symbolic_note_store(&symbolic, 1, 100, true, 5);
	assert_true(symbolic.lossy);
	symbolic_init(&symbolic, 0, 0);
	assert_false(symbolic.lossy || symbolic.count || symbolic.store_count);
}

static struct machine_state machine;

static void step(enum instruction_kind kind, struct operand to, struct operand from)
{
	made[0].routine.count = 0;
	machine_step(&machine, add(kind, to, from), FRAME);
}

static uint64_t loaded(uint64_t addr)
{
	uint64_t ret;

	return machine_load(&machine, addr, &ret) ? ret : 0;
}

static uint64_t held(int number)
{
	uint64_t ret;

	return machine_register(&machine, number, &ret) ? ret : 0;
}

static void test_machine(void **state)
{
	uint64_t value;

	(void)state;
	machine_init(&machine, &runtime);
	machine.stack_low = STACK;
	machine.stack_valid = FRAME;
	words[(FRAME + 8 - STACK) / WORD] = 40;
	words[(FRAME - 8 - STACK) / WORD] = 50;
	assert_int_equal(loaded(FRAME + 8), 40);
	assert_int_equal(loaded(FRAME - 8), 0);
	assert_int_equal(loaded(0x900), 0x77);
	assert_int_equal(loaded(0x800), 0);
	assert_false(machine_stored(&machine, FRAME + 8, &value));
	step(INSTRUCTION_MOVE, reg(AX), at(SP, 8));
	assert_int_equal(held(AX), 40);
	step(INSTRUCTION_ADD, reg(AX), number(2));
	assert_int_equal(held(AX), 42);
	step(INSTRUCTION_MOVE, at(SP, -8), reg(AX));
	assert_int_equal(loaded(FRAME - 8), 42);
	assert_true(machine_stored(&machine, FRAME - 8, &value));
	step(INSTRUCTION_ADD, at(SP, -8), number(1));
	assert_int_equal(loaded(FRAME - 8), 43);
	step(INSTRUCTION_ADDRESS, reg(CX), at(SP, -8));
	assert_int_equal(held(CX), FRAME - 8);
	step(INSTRUCTION_MOVE, at(SP, -8), reg(DX));
	assert_int_equal(loaded(FRAME - 8), 0);
	step(INSTRUCTION_MOVE, reg(AX), reg(DX));
	assert_int_equal(held(AX), 0);
	step(INSTRUCTION_OTHER, reg(CX), number(1));
	assert_int_equal(held(CX), 0);
	/* By an index; an address that is not known changes nothing. */
	machine_set(&machine, AX, 2);
	struct operand indexed = at(SP, 8);
	indexed.index = AX;
	indexed.scale = 8;
	assert_true(machine_address(&machine, &indexed, FRAME, &value));
	assert_int_equal(value, FRAME + 24);
	assert_false(machine_address(&machine, &indexed, 0, &value));
	indexed.index = DX;
	assert_false(machine_address(&machine, &indexed, FRAME, &value));
	assert_false(machine_address(
		&machine, &(struct operand){ .kind = OPERAND_NUMBER, .index = -1 }, FRAME,
		&value));
	assert_true(machine_address(
		&machine,
		&(struct operand){
			.kind = OPERAND_MEMORY, .reg = PC, .index = -1, .number = 0x900 },
		FRAME, &value));
	assert_int_equal(value, 0x900);
	machine_forget_registers(&machine);
	assert_int_equal(held(AX), 0);
	machine_set(&machine, MACHINE_REGISTERS - 1, 9);
	assert_int_equal(held(MACHINE_REGISTERS - 1), 9);
	machine_set(&machine, MACHINE_REGISTERS, 9);
	machine_set(&machine, AX, 9);
	assert_int_equal(held(MACHINE_REGISTERS), 0);
	assert_int_equal(held(-1), 0);
}

static void test_machine_forgets(void **state)
{
	struct instruction *in;

	(void)state;
	machine_init(&machine, &runtime);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = 1;
	machine_forget(&machine, FRAME, 16);
	assert_int_equal(loaded(FRAME), 0);
	assert_int_equal(loaded(FRAME + 8), 0);
	assert_int_equal(loaded(FRAME + 16), 1);
	/* Words of which a part is written, by what is not followed. */
	step(INSTRUCTION_OTHER, at(SP, 28), number(1));
	assert_int_equal(loaded(FRAME + 24), 0);
	assert_int_equal(loaded(FRAME + 32), 0);
	assert_int_equal(loaded(FRAME + 40), 1);
	step(INSTRUCTION_COMPARE, at(SP, 40), number(1));
	assert_int_equal(loaded(FRAME + 40), 1);
	machine.infer = true;
	step(INSTRUCTION_OTHER, at(SP, 40), number(1));
	assert_int_equal(loaded(FRAME + 40), 1);
	machine.infer = false;
	machine_set(&machine, AX, 1);
	machine_set(&machine, CX, 1);
	made[0].routine.count = 0;
	in = add(INSTRUCTION_OTHER, none(), none());
	in->written = 1 << CX;
	machine_step(&machine, in, FRAME);
	assert_int_equal(held(AX), 1);
	assert_int_equal(held(CX), 0);
	/* There is room for so many words. */
	machine_init(&machine, &runtime);
	machine_forget(&machine, FRAME - 8 * 4, WORD * MACHINE_CELLS);
	assert_false(machine.lossy);
	assert_int_equal(loaded(STACK), 1);
	machine_forget(&machine, FRAME - 8 * 4, WORD);
	assert_false(machine.lossy);
	machine_forget(&machine, STACK, WORD);
	assert_true(machine.lossy);
	assert_int_equal(loaded(STACK), 0);
	assert_int_equal(loaded(STACK + 0x1f8), 0);
}

/* To a stand-in only a small number is added, which is the offset. */
static void test_machine_symbolic(void **state)
{
	uint64_t one, two;
	struct operand o = at(AX, 0);

	(void)state;
	machine_init(&machine, &runtime);
	symbolic_init(&symbolic, STACK, STACK + sizeof(words));
	machine.symbolic = &symbolic;
	assert_true(symbolic_new(&symbolic, &one));
	assert_true(symbolic_new(&symbolic, &two));
	machine_set(&machine, AX, one);
	machine_set(&machine, CX, 3);
	step(INSTRUCTION_ADD, reg(AX), reg(CX));
	assert_int_equal(held(AX), one + 3);
	o.index = CX;
	o.scale = 8;
	assert_true(machine_address(&machine, &o, FRAME, &one));
	assert_int_equal(one, held(AX) + 24);
	machine_set(&machine, CX, two);
	assert_false(machine_address(&machine, &o, FRAME, &one));
	machine_set(&machine, CX, UINT64_C(1) << 27);
	assert_false(machine_address(&machine, &o, FRAME, &one));
	machine_set(&machine, CX, (UINT64_C(1) << 27) - 1);
	assert_true(machine_address(&machine, &o, FRAME, &one));
	machine_set(&machine, CX, 1);
	machine_set(&machine, AX, 5);
	assert_true(machine_address(&machine, &o, FRAME, &one));
	/* The sum of two is another one. */
	machine_set(&machine, CX, two);
	machine_set(&machine, AX, held(CX) - (UINT64_C(1) << 40));
	const size_t count = symbolic.count;
	step(INSTRUCTION_ADD, reg(AX), reg(CX));
	assert_int_equal(symbolic.count, count + 1);
	assert_true(held(AX) != 0);
	/* What is stored is noted, with where. */
	machine.pc = 77;
	step(INSTRUCTION_MOVE, at(SP, 8), number(4));
	assert_int_equal(symbolic.store_count, 1);
	assert_int_equal(symbolic.stores[0].pc, 77);
	assert_int_equal(symbolic.stores[0].addr, FRAME + 8);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_stack, close_stack)
	const struct CMUnitTest tests[] = {
		TEST(stand_ins),
		TEST(machine),
		TEST(machine_forgets),
		TEST(machine_symbolic),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
