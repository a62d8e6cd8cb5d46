/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/unwind/preempted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R15 = 15, RIP };
enum { FRAME = 0x180, CALL = 5 };

static const struct pseudo_func funcs[] = { { "runtime.asyncPreempt", FRAME, 0 } };

/* Up to its call; Go 1.15 to 1.25. */
static const uint8_t preempt[] = {
	0x55, 0x48, 0x89, 0xe5, 0x9c, 0x48, 0x81, 0xec, 0x70, 0x01, 0x00, 0x00, 0x48,
	0x89, 0x04, 0x24, 0x48, 0x89, 0x4c, 0x24, 0x08, 0x48, 0x89, 0x54, 0x24, 0x10,
	0x48, 0x89, 0x5c, 0x24, 0x18, 0x48, 0x89, 0x74, 0x24, 0x20, 0x48, 0x89, 0x7c,
	0x24, 0x28, 0x4c, 0x89, 0x44, 0x24, 0x30, 0x4c, 0x89, 0x4c, 0x24, 0x38, 0x4c,
	0x89, 0x54, 0x24, 0x40, 0x4c, 0x89, 0x5c, 0x24, 0x48, 0x4c, 0x89, 0x64, 0x24,
	0x50, 0x4c, 0x89, 0x6c, 0x24, 0x58, 0x4c, 0x89, 0x74, 0x24, 0x60, 0x4c, 0x89,
	0x7c, 0x24, 0x68, 0x0f, 0x11, 0x44, 0x24, 0x70, 0x0f, 0x11, 0x8c, 0x24, 0x80,
	0x00, 0x00, 0x00, 0x0f, 0x11, 0x94, 0x24, 0x90, 0x00, 0x00, 0x00, 0x0f, 0x11,
	0x9c, 0x24, 0xa0, 0x00, 0x00, 0x00, 0x0f, 0x11, 0xa4, 0x24, 0xb0, 0x00, 0x00,
	0x00, 0x0f, 0x11, 0xac, 0x24, 0xc0, 0x00, 0x00, 0x00, 0x0f, 0x11, 0xb4, 0x24,
	0xd0, 0x00, 0x00, 0x00, 0x0f, 0x11, 0xbc, 0x24, 0xe0, 0x00, 0x00, 0x00, 0x44,
	0x0f, 0x11, 0x84, 0x24, 0xf0, 0x00, 0x00, 0x00, 0x44, 0x0f, 0x11, 0x8c, 0x24,
	0x00, 0x01, 0x00, 0x00, 0x44, 0x0f, 0x11, 0x94, 0x24, 0x10, 0x01, 0x00, 0x00,
	0x44, 0x0f, 0x11, 0x9c, 0x24, 0x20, 0x01, 0x00, 0x00, 0x44, 0x0f, 0x11, 0xa4,
	0x24, 0x30, 0x01, 0x00, 0x00, 0x44, 0x0f, 0x11, 0xac, 0x24, 0x40, 0x01, 0x00,
	0x00, 0x44, 0x0f, 0x11, 0xb4, 0x24, 0x50, 0x01, 0x00, 0x00, 0x44, 0x0f, 0x11,
	0xbc, 0x24, 0x60, 0x01, 0x00, 0x00, 0xe8, 0xa5, 0xe9, 0xfc, 0xff,
};

static const uint64_t cfa = PSEUDO_STACK + 0x1000;

static bool read_registers(struct pseudo *p, uint64_t len, struct kept_registers *ret)
{
	const uint64_t entry = pseudo_pc(p, "runtime.asyncPreempt", 0);
	const struct goroutine g = { .id = 7 };
	const struct code *c = code_at(p->rt->code, entry + len, false);

	assert_non_null(c);
	return preempted_registers(p->rt, &g, c, cfa, ret);
}

static void put_code(struct pseudo *p, uint8_t *code)
{
	memcpy(code, preempt, sizeof(preempt));
	pseudo_map(p, pseudo_pc(p, "runtime.asyncPreempt", 0), code, PSEUDO_FUNC_SIZE);
	for (uint64_t i = 0; i < FRAME / WORD + 1; i++)
		pseudo_put(p, cfa - WORD - FRAME + i * WORD, 1000 + i);
}

static void test_registers(void **state)
{
	static const uint8_t order[] = { RAX, RCX, RDX, RBX, RSI, RDI, R8 };
	struct kept_registers kept;
	uint8_t code[PSEUDO_FUNC_SIZE] = { 0 };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));

	put_code(p, code);
	assert_true(read_registers(p, sizeof(preempt), &kept));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_int_equal(kept.regs.value[order[i]], 1000 + i);
	assert_int_equal(kept.regs.value[R15], 1013);
	assert_int_equal(kept.regs.value[RBP], 1000 + FRAME / WORD - 1);
	assert_int_equal(kept.regs.value[RIP], 1000 + FRAME / WORD);
	assert_int_equal(kept.regs.value[RSP], cfa);
	assert_int_equal(kept.vectors.count, 16);
	for (uint64_t i = 0; i < 16; i++) {
		const uint64_t stored[] = { 1014 + 2 * i, 1015 + 2 * i };
		assert_memory_equal(kept.vectors.value[i], stored, sizeof(stored));
	}
}

/* With any byte another one it is not what we know, and no register is. */
static void test_other_code(void **state)
{
	struct kept_registers kept;
	uint8_t code[PSEUDO_FUNC_SIZE] = { 0 };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));

	put_code(p, code);
	for (size_t i = 0; i <= sizeof(preempt) - CALL; i++) {
		code[i] ^= 0xff;
		if (read_registers(p, sizeof(preempt), &kept))
			fail_msg("with another byte at %zu there are registers", i);
		code[i] ^= 0xff;
	}
	for (uint64_t len = 4; len < sizeof(preempt); len++)
		assert_false(read_registers(p, len, &kept));
}

static void test_unreadable(void **state)
{
	struct kept_registers kept;
	uint8_t code[PSEUDO_FUNC_SIZE] = { 0 };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));

	put_code(p, code);
	pseudo_faults(p, 1);
	assert_false(read_registers(p, sizeof(preempt), &kept));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_other_code),
		cmocka_unit_test(test_unreadable),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
