/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_expression.h - evaluates location expressions of C debug info on the registers
 * and memory of a frame. For a register's value on function entry, uses what the caller's
 * call site says it passed. Knows nothing of Go. */
#ifndef GOSNAP_DWARF_EXPRESSION_H
#define GOSNAP_DWARF_EXPRESSION_H

#include "lib/dwarf/dwarf_scopes.h"
#include "lib/target/arch.h"
#include "lib/target/target.h"

/* A frame of the process. */
struct dwarf_frame {
	struct dwarf *dwarf; /* NULL: no debug info */
	uint64_t bias;
	uint64_t pc; /* at_instruction: the current instruction, else a return address */
	bool at_instruction;
	uint64_t cfa;		 /* 0: unknown */
	const struct regs *regs; /* as restored by unwinding */
};

/* A frame of the stack; 0 is the innermost. False: no such frame, or nothing is known
 * about it. */
typedef bool dwarf_frame_fn(void *arg, size_t i, struct dwarf_frame *ret);
/* The thread-local storage block of frame i's object, for the thread of this stack. */
typedef bool dwarf_tls_fn(void *arg, size_t i, uint64_t *ret, struct err *err);
struct dwarf_stack {
	struct target *target;
	dwarf_frame_fn *frame;
	dwarf_tls_fn *tls; /* NULL: unknown */
	void *arg;
};

struct dwarf_result {
	bool is_value; /* number is the value, not its address */
	uint64_t number;
};

/* Evaluates a DWARF_PIECE_EXPRESSION of frame i. False: err says why it is unknown. */
MUST_CHECK bool dwarf_piece_compute(const struct dwarf_stack *stack, size_t i,
				    const struct dwarf_piece *piece,
				    struct dwarf_result *ret, struct err *err);

#endif
