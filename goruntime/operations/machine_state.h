/* SPDX-License-Identifier: Apache-2.0 */
/* machine_state.h - registers and memory while code is followed, as far as they are
 * known. Private to goruntime/operations. */
#ifndef GOSNAP_MACHINE_STATE_H
#define GOSNAP_MACHINE_STATE_H

#include "lib/instructions/instructions.h"

struct runtime;
struct symbolic;

enum { MACHINE_REGISTERS = 32, MACHINE_CELLS = 48 };

/* A word that the code has written. */
struct machine_cell {
	uint64_t addr, value;
	bool known;
};

struct machine_state {
	struct runtime *rt;
	uint64_t stack_low, stack_valid; /* as of struct walk_of */
	struct symbolic *symbolic;	 /* as of struct walk_of */
	uint64_t pc;			 /* of the instruction */
	bool infer;
	bool lossy; /* there were too many words: the others are not known */
	uint8_t cell_count;
	uint32_t known; /* bit n: register n */
	uint64_t reg[MACHINE_REGISTERS];
	struct machine_cell cells[MACHINE_CELLS];
};

void machine_init(struct machine_state *s, struct runtime *rt);
void machine_set(struct machine_state *s, unsigned reg, uint64_t value);
bool machine_register(const struct machine_state *s, int reg, uint64_t *ret);
void machine_forget_registers(struct machine_state *s);
void machine_forget(struct machine_state *s, uint64_t addr, uint64_t len);
bool machine_load(struct machine_state *s, uint64_t addr, uint64_t *ret);
/* Loads a word only if the code has stored it. */
bool machine_stored(const struct machine_state *s, uint64_t addr, uint64_t *ret);
/* Computes the address of an operand in memory. sp: the stack pointer before the
 * instruction; 0: not known. */
bool machine_address(const struct machine_state *s, const struct operand *o, uint64_t sp,
		     uint64_t *ret);
bool machine_value(struct machine_state *s, const struct operand *o, uint64_t sp,
		   uint64_t *ret);
/* Follows an instruction that is neither a branch nor a call. */
void machine_step(struct machine_state *s, const struct instruction *in, uint64_t sp);

#endif
