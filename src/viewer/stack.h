/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - frames as text, innermost first. What the runtime's own traceback hides is
 * left out, recursion is folded and very deep stacks are cut, unless all is asked for. */
#ifndef GOSNAP_STACK_H
#define GOSNAP_STACK_H

#include <stdio.h>

#include "viewer.h"

struct reader_node;

struct stack_style {
	FILE *out;
	struct viewer_options options;
	const char *module; /* the program's own; NULL: unknown. Borrowed */
	int indent;
};

void stack_print(const struct stack_style *style, const struct reader_node *frames);

#endif
