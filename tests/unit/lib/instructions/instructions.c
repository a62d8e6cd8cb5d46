/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/instructions/instructions.h"
#include "tests/unit/unit.h"

enum { RAX = 0, RCX = 2, RBX = 3, RSP = 7, R8 = 8, RIP = 16 };
enum { AT = 0x1000 };

static struct instruction one(const char *code, size_t len)
{
	struct err err;
	size_t n;
	struct instruction *list =
		instructions_decode(&arch_amd64, code, len, AT, &n, &err);
	assert_non_null(list);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].pc, AT);
	assert_int_equal(list[0].len, len);
	struct instruction ret = list[0];
	xfree(list);
	return ret;
}
#define ONE(code) one(code, sizeof(code) - 1)

static void sums(void **state)
{
	(void)state;
	struct instruction i = ONE("\x48\x8d\x48\x18"); /* lea 0x18(%rax),%rcx */
	assert_int_equal(i.kind, INSTRUCTION_ADDRESS);
	assert_int_equal(i.operand[1].reg, RAX);
	assert_int_equal(i.operand[1].number, 0x18);
	i = ONE("\x48\x83\xc0\x08"); /* add $8,%rax */
	assert_int_equal(i.kind, INSTRUCTION_ADD);
	assert_int_equal(i.operand[1].number, 8);
	i = ONE("\xf0\x0f\xc1\x08"); /* lock xadd %ecx,(%rax) */
	assert_int_equal(i.kind, INSTRUCTION_LOCKED_ADD);
	assert_int_equal(i.operand[0].kind, OPERAND_MEMORY);
	assert_int_equal(i.operand[1].reg, RCX);
	i = ONE("\x0f\xc1\x08"); /* xadd %ecx,(%rax): others may come between */
	assert_int_equal(i.kind, INSTRUCTION_OTHER);
	i = ONE("\xb9\xff\xff\xff\xff"); /* mov $-1,%ecx */
	assert_int_equal(i.kind, INSTRUCTION_MOVE);
	assert_int_equal(i.operand[1].number, 0xffffffff);
	i = ONE("\x31\xc9"); /* xor %ecx,%ecx */
	assert_int_equal(i.kind, INSTRUCTION_MOVE);
	assert_int_equal(i.operand[0].reg, RCX);
	assert_int_equal(i.operand[1].kind, OPERAND_NUMBER);
	assert_int_equal(i.operand[1].number, 0);
	i = ONE("\x30\xc9"); /* xor %cl,%cl: the rest stays */
	assert_int_equal(i.kind, INSTRUCTION_OTHER);
	i = ONE("\x31\xc1"); /* xor %eax,%ecx */
	assert_int_equal(i.kind, INSTRUCTION_OTHER);
	i = ONE("\xc6\x44\x24\x0f\x00"); /* movb $0,0xf(%rsp) */
	assert_int_equal(i.kind, INSTRUCTION_OTHER);
	assert_int_equal(i.operand[0].bytes, 1);
}

static void moves(void **state)
{
	(void)state;
	struct instruction i = ONE("\x48\x8b\x48\x18"); /* mov 0x18(%rax),%rcx */
	assert_int_equal(i.kind, INSTRUCTION_MOVE);
	assert_int_equal(i.operand[0].kind, OPERAND_REGISTER);
	assert_int_equal(i.operand[0].reg, RCX);
	assert_int_equal(i.operand[1].kind, OPERAND_MEMORY);
	assert_int_equal(i.operand[1].reg, RAX);
	assert_int_equal(i.operand[1].index, -1);
	assert_int_equal(i.operand[1].number, 0x18);
	assert_true(i.written == UINT64_C(1) << RCX);
	i = ONE("\x48\x89\x5c\x24\x40"); /* mov %rbx,0x40(%rsp) */
	assert_int_equal(i.operand[0].reg, RSP);
	assert_int_equal(i.operand[0].number, 0x40);
	assert_int_equal(i.operand[1].reg, RBX);
	assert_true(i.written == 0);
	i = ONE("\x48\x8b\x05\x10\x00\x00\x00"); /* mov 0x10(%rip),%rax */
	assert_int_equal(i.operand[1].reg, RIP);
	assert_int_equal(i.operand[1].number, AT + 7 + 0x10);
	i = ONE("\x48\x8b\x04\xc8"); /* mov (%rax,%rcx,8),%rax */
	assert_int_equal(i.operand[1].index, RCX);
	i = ONE("\x8b\x48\x18"); /* mov 0x18(%rax),%ecx: not a whole word */
	assert_int_equal(i.kind, INSTRUCTION_EXTEND);
	assert_true(i.written == UINT64_C(1) << RCX);
	i = ONE("\x0f\xb6\x44\x24\x28"); /* movzbl 0x28(%rsp),%eax */
	assert_int_equal(i.kind, INSTRUCTION_EXTEND);
	assert_int_equal(i.operand[1].bytes, 1);
	i = ONE("\x66\x0f\xb6\xc1"); /* movzbw %cl,%ax: the rest stays */
	assert_int_equal(i.kind, INSTRUCTION_OTHER);
	i = ONE("\x8a\x48\x18"); /* mov 0x18(%rax),%cl: likewise */
	assert_int_equal(i.kind, INSTRUCTION_OTHER);
	i = ONE("\x64\x48\x8b\x04\x25\xf8\xff\xff\xff"); /* mov %fs:-8,%rax */
	assert_int_equal(i.operand[1].kind, OPERAND_NONE);
}

static void control(void **state)
{
	(void)state;
	struct instruction i = ONE("\x4c\x39\xc0"); /* cmp %r8,%rax */
	assert_int_equal(i.kind, INSTRUCTION_COMPARE);
	assert_int_equal(i.operand[1].reg, R8);
	i = ONE("\x73\x10"); /* jae */
	assert_int_equal(i.kind, INSTRUCTION_BRANCH);
	assert_int_equal(i.target, AT + 2 + 0x10);
	assert_int_equal(i.when, BRANCH_ABOVE);
	i = ONE("\x76\x10"); /* jbe */
	assert_int_equal(i.when, BRANCH_BELOW);
	i = ONE("\x7e\x10"); /* jle */
	assert_int_equal(i.kind, INSTRUCTION_BRANCH);
	assert_int_equal(i.when, BRANCH_OTHERWISE);
	i = ONE("\x74\x10"); /* je */
	assert_int_equal(i.when, BRANCH_EQUAL);
	i = ONE("\x75\x10"); /* jne */
	assert_int_equal(i.when, BRANCH_NOT_EQUAL);
	i = ONE("\xeb\xfe"); /* jmp */
	assert_int_equal(i.kind, INSTRUCTION_JUMP);
	assert_int_equal(i.target, AT);
	i = ONE("\xe8\x00\x01\x00\x00"); /* call */
	assert_int_equal(i.kind, INSTRUCTION_CALL);
	assert_int_equal(i.target, AT + 5 + 0x100);
	assert_true(i.written == UINT64_MAX);
	i = ONE("\xff\xd1"); /* call *%rcx */
	assert_int_equal(i.target, 0);
	i = ONE("\xc3");
	assert_int_equal(i.kind, INSTRUCTION_RETURN);
}

static void ends(void **state)
{
	(void)state;
	static const char code[] = "\x90\x90\x06\x90"; /* 06 is no instruction */
	struct err err;
	size_t n;
	struct instruction *list =
		instructions_decode(&arch_amd64, code, 4, AT, &n, &err);
	assert_int_equal(n, 2);
	xfree(list);
	list = instructions_decode(&arch_amd64, code, 0, AT, &n, &err);
	assert_non_null(list);
	assert_int_equal(n, 0);
	xfree(list);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves),
		cmocka_unit_test(sums),
		cmocka_unit_test(control),
		cmocka_unit_test(ends),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
