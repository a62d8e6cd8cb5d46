/* SPDX-License-Identifier: Apache-2.0 */
/* call_results.h - where a function leaves its results, by the calling convention: debugging information of
 * optimized code does not say so. Private to goruntime/calls. */
#ifndef GOSNAP_CALL_RESULTS_H
#define GOSNAP_CALL_RESULTS_H

#include "goruntime/calls/calls.h"
#include "goruntime/variables/variables_priv.h"

enum { CALL_RESULTS = 16, CALL_RESULT_PARTS = 16, CALL_PART_FLOAT = -1 };

struct call_part {
	uint64_t off; /* in the result */
	uint64_t size;
	int reg; /* DWARF number of a general register, or CALL_PART_FLOAT */
};

struct call_result {
	const struct type *type; /* NULL: not known, and so is where those behind are */
	bool in_registers;
	uint64_t stack; /* else: where, from the CFA */
	struct call_part part[CALL_RESULT_PARTS];
	size_t count;
};

struct call_results {
	struct call_result list[CALL_RESULTS];
	size_t count;
};
/* Of the function of the frame, which is at its entry. */
void call_results_find(const struct frame_variables *frame, struct call_results *ret);
/* Of the goroutine that is in the function, with these registers. */
void call_results_each(struct runtimes *all, const struct goroutine *g,
		       const struct regs *regs, variable_fn *fn, void *arg);

#endif
