/* SPDX-License-Identifier: Apache-2.0 */
/* instructions.h - machine code as a list of what matters to find out where a value came from: which
 * registers an instruction writes, what it moves, compares and calls. Decoded by zydis, as a
 * compiler uses more forms than are worth a decoder of our own. The main header of
 * lib/instructions. Knows one instruction at a time, and nothing of functions, Go or memory. */
#ifndef GOSNAP_INSTRUCTIONS_H
#define GOSNAP_INSTRUCTIONS_H

#include "lib/base/err.h"
#include "lib/target/arch.h"

enum operand_kind {
	OPERAND_NONE, /* or of another kind, such as a vector register */
	OPERAND_REGISTER,
	OPERAND_MEMORY,
	OPERAND_NUMBER,
};

struct operand {
	enum operand_kind kind;
	int reg;	/* number as in struct regs; of memory: its base, -1: none */
	int index;	/* of memory; -1: none */
	uint8_t scale;	/* of the index */
	uint16_t bytes; /* its size */
	int64_t number; /* of memory: the displacement, or with base pc the address; else as wide as what
			 * it is moved to or compared with */
};

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_MOVE,    /* operand[0] = operand[1], whole words; a register = 0 */
	INSTRUCTION_EXTEND,  /* operand[0], a register, = operand[1] and zeros */
	INSTRUCTION_ADDRESS, /* operand[0] = the address of operand[1] */
	INSTRUCTION_ADD,     /* operand[0] += operand[1], whole words */
	INSTRUCTION_LOCKED_ADD, /* operand[0], memory, += operand[1], at once for all processors */
	INSTRUCTION_LOCKED_EXCHANGE, /* operand[0], memory, = operand[1], if it is what the
				      * accumulator says, at once for all processors */
	INSTRUCTION_COMPARE,	     /* sets flags only */
	INSTRUCTION_BRANCH,	     /* on a condition */
	INSTRUCTION_JUMP,
	INSTRUCTION_RETURN, /* or one that never ends */
	INSTRUCTION_CALL,
};

/* Of unsigned numbers, after a comparison of operand[0] with operand[1]; one with itself asks whether it
 * is zero. */
enum branch_when {
	BRANCH_OTHERWISE,
	BRANCH_ABOVE, /* or equal */
	BRANCH_BELOW, /* or equal */
	BRANCH_EQUAL, /* or zero */
	BRANCH_NOT_EQUAL,
};

struct instruction {
	uint64_t pc, target; /* target of a branch, jump or call; 0: not known */
	uint8_t len;
	enum instruction_kind kind;
	enum branch_when when;
	struct operand operand[2];
	uint64_t written; /* bit n: register n; a call writes all */
	bool modifies;	  /* what operand[0] becomes depends on what it was */
	bool masks;	  /* of a comparison: of the bits that both have, with 0 */
};

/* Decodes the instructions of [code, code + len), which is at pc, until one is not valid. The
 * caller frees the array. NULL: ERR_UNSUPPORTED. */
struct instruction *instructions_decode(const struct arch *arch, const void *code,
					size_t len, uint64_t pc, size_t *ret_count,
					struct err *err);

#endif
