/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/instructions/instructions.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <string.h>

#include "lib/base/util.h"

/* As the processor numbers them: Intel's manual, volume 2, table 2-2. */
static const char *const amd64_registers[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
					       "rsi", "rdi", "r8",  "r9",  "r10", "r11",
					       "r12", "r13", "r14", "r15" };

struct decoded {
	const struct arch *arch;
	uint64_t pc;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static int number_of(const struct arch *arch, const char *name)
{
	for (unsigned i = 0; i < arch->reg_count; i++)
		if (strcmp(arch->reg_names[i], name) == 0)
			return (int)i;
	return -1;
}

/* Of the register that it is a part of. -1: none of the general registers. */
static int amd64_register(const struct arch *arch, ZydisRegister part)
{
	const ZydisRegister reg =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);

	if (ZydisRegisterGetClass(part) == ZYDIS_REGCLASS_IP)
		return number_of(arch, "rip");
	if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR64)
		return number_of(arch, amd64_registers[ZydisRegisterGetId(reg)]);
	return -1;
}

static uint64_t amd64_end(const struct decoded *d)
{
	return d->pc + d->instruction.length;
}

/* Of the instruction's width, as the register is that it is moved to or compared with. */
static int64_t amd64_immediate(const struct decoded *d, const ZydisDecodedOperandImm *imm)
{
	const unsigned width = d->instruction.operand_width;

	if (imm->is_relative)
		return imm->value.s + (int64_t)amd64_end(d);
	return width < 64 ? (int64_t)(imm->value.u & ((UINT64_C(1) << width) - 1))
			  : imm->value.s;
}

static bool amd64_has_base(const ZydisDecodedOperandMem *memory)
{
	return memory->segment == ZYDIS_REGISTER_FS ||
	       memory->segment == ZYDIS_REGISTER_GS;
}

static struct operand amd64_operand(const struct decoded *d,
				    const ZydisDecodedOperand *op)
{
	struct operand ret = { .reg = -1, .index = -1, .bytes = op->size / 8 };

	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		ret.reg = amd64_register(d->arch, op->reg.value);
		ret.kind = ret.reg >= 0 ? OPERAND_REGISTER : OPERAND_NONE;
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		ret.kind = OPERAND_NUMBER;
		ret.number = amd64_immediate(d, &op->imm);
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		/* A segment's base is not known here. */
		if (amd64_has_base(&op->mem))
			break;
		ret.kind = OPERAND_MEMORY;
		ret.reg = amd64_register(d->arch, op->mem.base);
		ret.index = amd64_register(d->arch, op->mem.index);
		ret.scale = op->mem.scale;
		ret.number = op->mem.disp.value;
		if (op->mem.base == ZYDIS_REGISTER_RIP)
			ret.number += (int64_t)amd64_end(d);
		break;
	default:
		break;
	}
	return ret;
}

/* Half a register that a number is moved to is extended with zeros. */
static bool amd64_moves_word(const struct decoded *d)
{
	return d->operands[0].size == 8 * WORD ||
	       (d->operands[0].size == 8 * WORD / 2 &&
		d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		d->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE);
}

/* Half a register is extended as well when it is read from memory. */
static bool amd64_extends(const struct decoded *d)
{
	return d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       d->operands[0].size == 8 * WORD / 2 &&
	       d->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static enum instruction_kind amd64_word(const struct decoded *d,
					enum instruction_kind kind)
{
	return d->operands[0].size == 8 * WORD ? kind : INSTRUCTION_OTHER;
}

static enum instruction_kind amd64_kind(const struct decoded *d)
{
	switch (d->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		return amd64_moves_word(d) ? INSTRUCTION_MOVE
		       : amd64_extends(d)  ? INSTRUCTION_EXTEND
					   : INSTRUCTION_OTHER;
	case ZYDIS_MNEMONIC_MOVZX:
		return d->operands[0].size >= 8 * WORD / 2 ? INSTRUCTION_EXTEND
							   : INSTRUCTION_OTHER;
	case ZYDIS_MNEMONIC_LEA:
		return amd64_word(d, INSTRUCTION_ADDRESS);
	case ZYDIS_MNEMONIC_ADD:
		return amd64_word(d, INSTRUCTION_ADD);
	case ZYDIS_MNEMONIC_XADD:
		return d->instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK
			       ? INSTRUCTION_LOCKED_ADD
			       : INSTRUCTION_OTHER;
	case ZYDIS_MNEMONIC_CMPXCHG:
		return d->instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK
			       ? INSTRUCTION_LOCKED_EXCHANGE
			       : INSTRUCTION_OTHER;
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
		return INSTRUCTION_COMPARE;
	case ZYDIS_MNEMONIC_JMP:
		return INSTRUCTION_JUMP;
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_UD2:
		return INSTRUCTION_RETURN;
	case ZYDIS_MNEMONIC_CALL:
		return INSTRUCTION_CALL;
	default:
		return d->instruction.meta.category == ZYDIS_CATEGORY_COND_BR
			       ? INSTRUCTION_BRANCH
			       : INSTRUCTION_OTHER;
	}
}

static enum branch_when amd64_when(const struct decoded *d)
{
	switch (d->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_JNBE:
	case ZYDIS_MNEMONIC_JNB:
		return BRANCH_ABOVE;
	case ZYDIS_MNEMONIC_JB:
	case ZYDIS_MNEMONIC_JBE:
		return BRANCH_BELOW;
	case ZYDIS_MNEMONIC_JZ:
		return BRANCH_EQUAL;
	case ZYDIS_MNEMONIC_JNZ:
		return BRANCH_NOT_EQUAL;
	default:
		return BRANCH_OTHERWISE;
	}
}

/* Also those that it writes without naming them. */
static uint64_t written_by(const struct decoded *d)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < d->instruction.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->operands[i];
		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		int reg = amd64_register(d->arch, op->reg.value);
		ret |= reg >= 0 ? UINT64_C(1) << reg : 0;
	}
	return ret;
}

/* To xor a register with itself makes it 0. */
static bool is_zeroing(const struct decoded *d)
{
	return d->instruction.mnemonic == ZYDIS_MNEMONIC_XOR &&
	       d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       d->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       d->operands[0].reg.value == d->operands[1].reg.value;
}

static bool modifies(const struct decoded *d)
{
	const ZydisOperandActions actions = d->operands[0].actions;

	return d->instruction.operand_count_visible > 0 && !is_zeroing(d) &&
	       (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
	       actions != ZYDIS_OPERAND_ACTION_WRITE;
}

/* As many as the instruction names; a NOP has nothing to do with its own. */
static unsigned operands_named(const struct decoded *d)
{
	return d->instruction.mnemonic == ZYDIS_MNEMONIC_NOP
		       ? 0
		       : d->instruction.operand_count_visible;
}

static struct instruction take(const struct decoded *d)
{
	struct instruction ret = {
		.pc = d->pc,
		.len = d->instruction.length,
		.kind = amd64_kind(d),
		.when = amd64_when(d),
	};

	for (size_t i = 0; i < ARRAY_SIZE(ret.operand); i++)
		ret.operand[i] = i < operands_named(d)
					 ? amd64_operand(d, &d->operands[i])
					 : (struct operand){ .reg = -1, .index = -1 };
	if (is_zeroing(d) && d->operands[0].size >= 8 * WORD / 2) {
		ret.kind = INSTRUCTION_MOVE;
		ret.operand[1] = (struct operand){ .kind = OPERAND_NUMBER,
						   .reg = -1,
						   .index = -1,
						   .bytes = ret.operand[0].bytes };
	}
	ret.written = ret.kind == INSTRUCTION_CALL ? UINT64_MAX : written_by(d);
	ret.modifies = modifies(d);
	ret.masks = d->instruction.mnemonic == ZYDIS_MNEMONIC_TEST;
	if (ret.kind >= INSTRUCTION_BRANCH && ret.operand[0].kind == OPERAND_NUMBER)
		ret.target = (uint64_t)ret.operand[0].number;
	return ret;
}

struct instruction *instructions_decode(const struct arch *arch, const void *code,
					size_t len, uint64_t pc, size_t *ret_count,
					struct err *err)
{
	struct decoded d = { .arch = arch, .pc = pc };
	struct instruction *list = NULL;
	size_t cap = 0, n = 0;
	const uint8_t *at = code;
	ZydisDecoder decoder;

	if (arch->elf_machine != EM_X86_64 ||
	    ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64))) {
		err_set(err, ERR_UNSUPPORTED, "no decoder for the code of %s",
			arch->name);
		return NULL;
	}
	while (ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&decoder, at, len, &d.instruction, d.operands))) {
		GROW(list, n, cap);
		list[n++] = take(&d);
		at += d.instruction.length;
		len -= d.instruction.length;
		d.pc += d.instruction.length;
	}
	*ret_count = n;
	return list ? list : xcalloc(1, sizeof(*list));
}
