/* SPDX-License-Identifier: Apache-2.0 */
/* made_code.h - made-up functions for tests of goruntime/operations: instructions are added one by one. It
 * answers what is asked of routine.h. */
#ifndef TESTS_UNIT_GORUNTIME_OPERATIONS_MADE_CODE_H
#define TESTS_UNIT_GORUNTIME_OPERATIONS_MADE_CODE_H

#include "goruntime/operations/routine.h"

/* Registers as in struct regs, of amd64. */
enum { AX = 0, DX = 1, CX = 2, BX = 3, SI = 4, DI = 5, SP = 7, R8 = 8, PC = 16 };

enum {
	MADE_ROUTINES = 8,
	MADE_INSTRUCTIONS = 600,
	MADE_BYTES = 4,	 /* of each instruction */
	MADE_FRAME = 64, /* bytes of each function's frame */
};

/* The functions, from number 0 on: no instruction, no name, no operation. */
struct made_routine {
	struct routine routine;
	struct instruction list[MADE_INSTRUCTIONS];
	int32_t frame_sizes[MADE_INSTRUCTIONS + 1];
	const char *name;
	bool leads;
};
extern struct made_routine made[MADE_ROUTINES];

void made_begin(void);
uint64_t made_entry(unsigned routine);
/* The address of an instruction. */
uint64_t made_pc(unsigned routine, size_t i);

struct operand none(void);
struct operand reg(int number);
struct operand number(int64_t n);
/* In memory, 8 bytes at a register and an offset. */
struct operand at(int base, int64_t offset);

/* Adds an instruction to function 0. What it writes to is noted of registers. */
struct instruction *add(enum instruction_kind kind, struct operand to,
			struct operand from);
/* The same with a target, to another function. */
struct instruction *add_to(unsigned routine, enum instruction_kind kind,
			   struct operand to, struct operand from);
/* A branch, jump or call. */
struct instruction *add_jump(enum instruction_kind kind, uint64_t target);

#endif
