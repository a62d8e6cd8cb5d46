/* SPDX-License-Identifier: Apache-2.0 */
/* variables.h - arguments, results and locals of a frame. What the debugging information says
 * of a pc is looked up once; a frame adds where its stack is. Private to goruntime. */
#ifndef GOSNAP_VARIABLES_H
#define GOSNAP_VARIABLES_H

#include "code.h"
#include "goruntime.h"

/* Of one pc. */
struct code_variables;

/* One of a goroutine's frames. */
struct frame_variables {
	struct runtime *rt;
	const struct code *code;
	uint32_t call;
	uint64_t cfa; /* 0: not known */
};

void code_variables_free(struct code_variables *variables);
/* False: there are none to be had, and *ret_why says why. */
bool variables_begin(struct frame_variables *frame, const char **ret_why);

#endif
