/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_expression.h - locations that are computed: expressions of C's debugging information over
 * the registers and memory of a frame and, for what a register held when the function was entered,
 * what its caller says to have passed. Knows no Go. */
#ifndef GOSNAP_DWARF_EXPRESSION_H
#define GOSNAP_DWARF_EXPRESSION_H

#include "lib/dwarf/dwarf_scopes.h"
#include "lib/target/arch.h"
#include "lib/target/target.h"

/* A frame of the process. */
struct dwarf_frame {
	struct dwarf *dwarf; /* NULL: nothing tells of it */
	uint64_t bias;
	uint64_t pc; /* exact: an instruction, else a return address */
	bool exact;
	uint64_t cfa;		 /* 0: not known */
	const struct regs *regs; /* as unwinding restores them */
};

/* Those of a stack; frame 0 is the innermost. False: there is no such frame, or nothing is known
 * of it. */
typedef bool dwarf_frame_fn(void *arg, size_t i, struct dwarf_frame *ret);
/* Where the thread-local variables of frame i's file are, for the thread that the stack is of. */
typedef bool dwarf_tls_fn(void *arg, size_t i, uint64_t *ret, struct err *err);
struct dwarf_stack {
	struct target *target;
	dwarf_frame_fn *frame;
	dwarf_tls_fn *tls; /* NULL: not known */
	void *arg;
};

struct dwarf_result {
	bool is_value; /* number is what the variable is, not where */
	uint64_t number;
};

/* Of a DWARF_PIECE_EXPRESSION of frame i. False: err says why it is not known. */
MUST_CHECK bool dwarf_piece_compute(const struct dwarf_stack *stack, size_t i,
				    const struct dwarf_piece *piece,
				    struct dwarf_result *ret, struct err *err);

#endif
