/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/arch.h"

#include <elf.h>

/* System V psABI, figure 3.36; from EFLAGS on our own numbers. */
enum {
	RAX,
	RDX,
	RCX,
	RBX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RIP,
	DWARF_COUNT,
	EFLAGS = DWARF_COUNT,
	ORIG_RAX,
	CS,
	SS,
	DS,
	ES,
	FS,
	GS,
	FS_BASE,
	GS_BASE,
	COUNT,
};

static const char *const reg_names[COUNT] = {
	[RAX] = "rax",
	[RDX] = "rdx",
	[RCX] = "rcx",
	[RBX] = "rbx",
	[RSI] = "rsi",
	[RDI] = "rdi",
	[RBP] = "rbp",
	[RSP] = "rsp",
	[R8] = "r8",
	[R9] = "r9",
	[R10] = "r10",
	[R11] = "r11",
	[R12] = "r12",
	[R13] = "r13",
	[R14] = "r14",
	[R15] = "r15",
	[RIP] = "rip",
	[EFLAGS] = "eflags",
	[ORIG_RAX] = "orig_rax",
	[CS] = "cs",
	[SS] = "ss",
	[DS] = "ds",
	[ES] = "es",
	[FS] = "fs",
	[GS] = "gs",
	[FS_BASE] = "fs_base",
	[GS_BASE] = "gs_base",
};

/* Intel 64 and IA-32 manual, volume 2, table 3-1 */
static const uint8_t encoded[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI,
				   R8,	R9,  R10, R11, R12, R13, R14, R15 };

/* struct user_regs_struct of sys/user.h */
static const int16_t prstatus[COUNT] = {
	[R15] = 0 * 8,	[R14] = 1 * 8,	    [R13] = 2 * 8,	[R12] = 3 * 8,
	[RBP] = 4 * 8,	[RBX] = 5 * 8,	    [R11] = 6 * 8,	[R10] = 7 * 8,
	[R9] = 8 * 8,	[R8] = 9 * 8,	    [RAX] = 10 * 8,	[RCX] = 11 * 8,
	[RDX] = 12 * 8, [RSI] = 13 * 8,	    [RDI] = 14 * 8,	[ORIG_RAX] = 15 * 8,
	[RIP] = 16 * 8, [CS] = 17 * 8,	    [EFLAGS] = 18 * 8,	[RSP] = 19 * 8,
	[SS] = 20 * 8,	[FS_BASE] = 21 * 8, [GS_BASE] = 22 * 8, [DS] = 23 * 8,
	[ES] = 24 * 8,	[FS] = 25 * 8,	    [GS] = 26 * 8,
};

/* uc_flags, uc_link and uc_stack come before the registers: 40 bytes. */
static const int16_t ucontext[COUNT] = {
	[R8] = 40,	[R9] = 48,	[R10] = 56,	[R11] = 64,	 [R12] = 72,
	[R13] = 80,	[R14] = 88,	[R15] = 96,	[RDI] = 104,	 [RSI] = 112,
	[RBP] = 120,	[RBX] = 128,	[RDX] = 136,	[RAX] = 144,	 [RCX] = 152,
	[RSP] = 160,	[RIP] = 168,	[EFLAGS] = 176, [ORIG_RAX] = -1, [CS] = -1,
	[SS] = -1,	[DS] = -1,	[ES] = -1,	[FS] = -1,	 [GS] = -1,
	[FS_BASE] = -1, [GS_BASE] = -1,
};

const struct arch arch_amd64 = {
	.name = "amd64",
	.elf_machine = EM_X86_64,
	.reg_names = reg_names,
	.reg_count = COUNT,
	.dwarf_count = DWARF_COUNT,
	.encoded = encoded,
	.pc = RIP,
	.sp = RSP,
	.fp = RBP,
	.call_pushes = WORD,
	.go_arguments = { RAX, RBX, RCX, RDI, RSI },
	.go_context = RDX,
	.tls = FS_BASE,
	.syscall_number = ORIG_RAX,
	.syscall_args = { RDI, RSI, RDX, R10, R8, R9 },
	.syscall_result = RAX,
	.vector_prefix = "xmm",
	/* Intel 64 and IA-32 manual, volume 1, table 10-2 (FXSAVE) */
	.vector_control = 24,
	.vectors = 160,
	.vector_count = 16,
	.prstatus = prstatus,
	.ucontext = ucontext,
	.ucontext_size = 184,
	/* struct rt_sigframe of arch/x86/include/asm/sigframe.h: the kernel's ucontext has a
	 * mask of 8 bytes */
	.siginfo = 304,
};
