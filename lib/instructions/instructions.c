/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/instructions/instructions.h"

#include <capstone.h>
#include <elf.h>
#include <string.h>

#include "lib/base/util.h"

/* The 64-bit register that each name is a part of. */
static const struct {
	x86_reg parts[5];
	const char *name;
} amd64_registers[] = {
	{ { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH }, "rax" },
	{ { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH }, "rbx" },
	{ { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH }, "rcx" },
	{ { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH }, "rdx" },
	{ { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL }, "rsi" },
	{ { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL }, "rdi" },
	{ { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL }, "rbp" },
	{ { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL }, "rsp" },
	{ { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B }, "r8" },
	{ { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B }, "r9" },
	{ { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B }, "r10" },
	{ { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B }, "r11" },
	{ { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B }, "r12" },
	{ { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B }, "r13" },
	{ { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B }, "r14" },
	{ { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B }, "r15" },
	{ { X86_REG_RIP, X86_REG_EIP, X86_REG_IP }, "rip" },
};

static int number_of(const struct arch *arch, const char *name)
{
	for (unsigned i = 0; i < arch->reg_count; i++)
		if (strcmp(arch->reg_names[i], name) == 0)
			return (int)i;
	return -1;
}

/* -1: none of the general registers. */
static int amd64_register(const struct arch *arch, unsigned reg)
{
	for (size_t i = 0; reg && i < ARRAY_SIZE(amd64_registers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(amd64_registers[i].parts); k++)
			if ((unsigned)amd64_registers[i].parts[k] == reg)
				return number_of(arch, amd64_registers[i].name);
	return -1;
}

static struct operand amd64_operand(const struct arch *arch, const cs_insn *insn,
				    const cs_x86_op *op)
{
	struct operand ret = { .reg = -1, .index = -1 };

	switch (op->type) {
	case X86_OP_REG:
		ret.reg = amd64_register(arch, op->reg);
		ret.kind = ret.reg >= 0 ? OPERAND_REGISTER : OPERAND_NONE;
		break;
	case X86_OP_IMM:
		ret.kind = OPERAND_NUMBER;
		ret.number = op->imm;
		break;
	case X86_OP_MEM:
		/* A segment's base is not known here. */
		if (op->mem.segment != X86_REG_INVALID)
			break;
		ret.kind = OPERAND_MEMORY;
		ret.reg = amd64_register(arch, op->mem.base);
		ret.index = amd64_register(arch, op->mem.index);
		ret.number = op->mem.disp;
		if (op->mem.base == X86_REG_RIP)
			ret.number += (int64_t)(insn->address + insn->size);
		break;
	default:
		break;
	}
	return ret;
}

static enum instruction_kind amd64_kind(csh handle, const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_MOV:
		return insn->detail->x86.operands[0].size == WORD ? INSTRUCTION_MOVE
								  : INSTRUCTION_OTHER;
	case X86_INS_CMP:
	case X86_INS_TEST:
		return INSTRUCTION_COMPARE;
	case X86_INS_JMP:
		return INSTRUCTION_JUMP;
	case X86_INS_RET:
	case X86_INS_UD2:
		return INSTRUCTION_RETURN;
	case X86_INS_CALL:
		return INSTRUCTION_CALL;
	default:
		return cs_insn_group(handle, insn, CS_GRP_JUMP) ? INSTRUCTION_BRANCH
								: INSTRUCTION_OTHER;
	}
}

static enum branch_when amd64_when(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JA:
	case X86_INS_JAE:
		return BRANCH_ABOVE;
	case X86_INS_JB:
	case X86_INS_JBE:
		return BRANCH_BELOW;
	default:
		return BRANCH_OTHERWISE;
	}
}

static uint64_t written_by(csh handle, const struct arch *arch, const cs_insn *insn)
{
	cs_regs read, written;
	uint8_t reads, writes;
	uint64_t ret = 0;

	if (cs_regs_access(handle, insn, read, &reads, written, &writes) != CS_ERR_OK)
		return UINT64_MAX;
	for (uint8_t i = 0; i < writes; i++) {
		int reg = amd64_register(arch, written[i]);
		ret |= reg >= 0 ? UINT64_C(1) << reg : 0;
	}
	return ret;
}

static void take(csh handle, const struct arch *arch, const cs_insn *insn,
		 struct instruction *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;

	*ret = (struct instruction){
		.pc = insn->address,
		.len = (uint8_t)insn->size,
		.kind = amd64_kind(handle, insn),
		.when = amd64_when(insn),
	};
	for (size_t i = 0; i < ARRAY_SIZE(ret->operand); i++)
		ret->operand[i] = i < x86->op_count
					  ? amd64_operand(arch, insn, &x86->operands[i])
					  : (struct operand){ .reg = -1, .index = -1 };
	ret->written = ret->kind == INSTRUCTION_CALL ? UINT64_MAX
						     : written_by(handle, arch, insn);
	if (ret->kind >= INSTRUCTION_BRANCH && ret->operand[0].kind == OPERAND_NUMBER)
		ret->target = (uint64_t)ret->operand[0].number;
}

struct instruction *instructions_decode(const struct arch *arch, const void *code,
					size_t len, uint64_t pc, size_t *ret_count,
					struct err *err)
{
	struct instruction *list = NULL;
	size_t cap = 0, n = 0;
	const uint8_t *at = code;
	csh handle;

	if (arch->elf_machine != EM_X86_64 ||
	    cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
		err_set(err, ERR_UNSUPPORTED, "no decoder for the code of %s",
			arch->name);
		return NULL;
	}
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_insn *insn = cs_malloc(handle);
	while (insn && cs_disasm_iter(handle, &at, &len, &pc, insn)) {
		GROW(list, n, cap);
		take(handle, arch, insn, &list[n++]);
	}
	if (insn)
		cs_free(insn, 1);
	cs_close(&handle);
	*ret_count = n;
	return list ? list : xcalloc(1, sizeof(*list));
}
