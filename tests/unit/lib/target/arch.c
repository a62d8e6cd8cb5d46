/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/arch.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ucontext.h>
#include <sys/user.h>

#include "tests/unit/unit.h"

/* The table is written down by hand; the system's headers are the check. */
static void test_amd64_prstatus(void **state)
{
	struct user_regs_struct raw;
	struct regs regs;
	(void)state;
	for (size_t i = 0; i < sizeof(raw) / 8; i++)
		((unsigned long long *)&raw)[i] = 100 + i;
	arch_regs_from(arch_amd64.prstatus, &arch_amd64, &raw, sizeof(raw), &regs);
	const unsigned long long want[] = {
		raw.rax, raw.rdx, raw.rcx, raw.rbx,    raw.rsi,	     raw.rdi,	  raw.rbp,
		raw.rsp, raw.r8,  raw.r9,  raw.r10,    raw.r11,	     raw.r12,	  raw.r13,
		raw.r14, raw.r15, raw.rip, raw.eflags, raw.orig_rax, raw.cs,	  raw.ss,
		raw.ds,	 raw.es,  raw.fs,  raw.gs,     raw.fs_base,  raw.gs_base,
	};
	assert_int_equal(sizeof(want) / 8, arch_amd64.reg_count);
	for (unsigned i = 0; i < arch_amd64.reg_count; i++) {
		assert_true(reg_known(&regs, i));
		assert_int_equal(regs.value[i], want[i]);
		assert_non_null(arch_amd64.reg_names[i]);
	}
	assert_string_equal(arch_amd64.reg_names[arch_amd64.pc], "rip");
	assert_string_equal(arch_amd64.reg_names[arch_amd64.sp], "rsp");
	assert_string_equal(arch_amd64.reg_names[arch_amd64.fp], "rbp");
	assert_string_equal(arch_amd64.reg_names[arch_amd64.tls], "fs_base");
	assert_int_equal(arch_amd64.dwarf_count, arch_amd64.pc + 1);
}

static void test_amd64_ucontext(void **state)
{
	static const int order[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP, REG_EFL,
	};
	enum { COUNT = sizeof(order) / sizeof(order[0]) };
	ucontext_t context;
	struct regs regs;
	(void)state;
	memset(&context, 0, sizeof(context));
	for (int i = 0; i < COUNT; i++)
		context.uc_mcontext.gregs[order[i]] = 100 + i;
	arch_regs_from(arch_amd64.ucontext, &arch_amd64, &context,
		       arch_amd64.ucontext_size, &regs);
	for (unsigned i = 0; i < arch_amd64.reg_count; i++) {
		assert_int_equal(reg_known(&regs, i), i < COUNT);
		assert_int_equal(regs.value[i], i < COUNT ? 100 + i : 0);
	}
}

static void test_find(void **state)
{
	struct regs regs;
	(void)state;
	assert_ptr_equal(arch_find(EM_X86_64), &arch_amd64);
	assert_null(arch_find(EM_386));
	/* Short of bytes: only what is there is known. */
	arch_regs_from(arch_amd64.prstatus, &arch_amd64, (uint64_t[2]){ 15, 14 }, 16,
		       &regs);
	assert_int_equal(regs.valid, 3 << 14);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_amd64_prstatus),
		cmocka_unit_test(test_amd64_ucontext),
		cmocka_unit_test(test_find),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
